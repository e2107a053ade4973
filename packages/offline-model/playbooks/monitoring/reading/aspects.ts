/** What of a service is to be watched, as people call it, and how metrics of it are told. */
import type { MetricMeaning } from '../../../../../src/features/diagnosis/index.ts';

export interface Aspect {
  /** Part of the id of a check. */
  id: string;
  /** For people. */
  title: string;
  said: RegExp;
  /** What a metric must measure; empty: whatever its name says. */
  meanings: readonly MetricMeaning[];
  /** What its name or help must say; absent: anything. */
  named?: RegExp;
  /** Names that are better, and names that are worse. */
  better?: RegExp;
  worse?: RegExp;
  /** In which direction a change is bad. */
  direction: 'above' | 'below' | 'both';
}

const STATISTIC =
  /\b(?:p(\d{2,3})|(\d{2})(?:th)?[- ]percentile|(mean|average|avg)|(median)|(max(?:imum)?)|(min(?:imum)?))\b/iu;

/** In the order in which they are looked for: what is told by more comes first. */
export const ASPECTS: readonly Aspect[] = [
  {
    id: 'throttling',
    title: 'CPU throttling',
    said: /\b(?:cpu\s+)?throttl\w*/iu,
    meanings: [],
    named: /throttl/i,
    direction: 'above',
  },
  {
    id: 'queue',
    title: 'queue',
    said: /\b(?:queue(?:s|d)?(?:\s+(?:length|depth|size|lag))?|backlogs?|consumer lag|lag|pending (?:requests|messages|jobs))\b/iu,
    meanings: [],
    named: /queue|backlog|pending|lag/i,
    worse: /eventloop/i,
    direction: 'above',
  },
  {
    id: 'connections',
    title: 'connections',
    said: /\b(?:(?:db|database|connection)\s+)?(?:connections?(?: pool)?|pool(?:\s+(?:usage|size|exhaustion))?)\b(?!\s*(?:refused|reset|error|time))/iu,
    meanings: [],
    named: /conn|pool/i,
    better: /in_use|used|active|open/i,
    worse: /size|max|limit|wait/i,
    direction: 'above',
  },
  {
    id: 'restarts',
    title: 'restarts',
    said: /\brestart(?:s|ed|ing)?\b|\bcrash ?loop\w*/iu,
    meanings: [],
    named: /restart/i,
    direction: 'above',
  },
  {
    id: 'replicas',
    title: 'replicas',
    said: /\b(?:replicas?|instances|pods)\b/iu,
    meanings: [],
    named: /replica|instances|pods/i,
    better: /avail|ready/i,
    direction: 'below',
  },
  {
    id: 'errors',
    title: 'error rate',
    said: /\b(?:(?:error|failure|fault)s?[- ]?(?:rates?|ratios?|percentages?|budget)?|(?:failed|failing)\s+(?:requests|calls)|fail(?:s|ures?|ing)?|5xx(?:\s+(?:errors?|rate|responses?))?|http\s+5\d\d|500s|success(?:es)?[- ]?(?:rates?|ratios?))\b/iu,
    meanings: ['errors'],
    named: /err|fail|5xx|fault|requests?_total/i,
    better: /ratio|rate\b|percent|http|request/i,
    worse: /retr|drop|evict|throttl|restart|client|log/i,
    direction: 'above',
  },
  {
    id: 'latency',
    title: 'latency',
    said: /\b(?:latenc(?:y|ies)|response[- ]?times?|durations?|slow(?:er|ness|ly)?|speed|request times?|time to (?:answer|respond|first byte))\b/iu,
    meanings: ['latency'],
    better: /http|request|response|rpc|server|^latency/i,
    worse: /db_|query|pool|wait|gc_|eventloop|lag|dns|client|queue|cpu/i,
    direction: 'above',
  },
  {
    id: 'cpu',
    title: 'CPU use',
    said: /\b(?:cpu|processor)(?:\s+(?:use|usage|utili[sz]ation|load|time))?\b/iu,
    meanings: [],
    named: /cpu/i,
    better: /utili|usage|seconds/i,
    worse: /throttl|limit|request/i,
    direction: 'above',
  },
  {
    id: 'memory',
    title: 'memory use',
    said: /\b(?:memory|mem|ram|heap|rss)(?:\s+(?:use|usage|utili[sz]ation|consumption|footprint))?\b/iu,
    meanings: [],
    named: /mem|rss|heap/i,
    better: /working_set|resident|usage|used/i,
    worse: /limit|request|total|free|avail/i,
    direction: 'above',
  },
  {
    id: 'disk',
    title: 'disk use',
    said: /\bdisks?(?:\s+(?:space|use|usage))?\b|\bstorage\b|\bfilesystem\b/iu,
    meanings: [],
    named: /disk|filesystem|storage|volume/i,
    direction: 'above',
  },
  {
    id: 'traffic',
    title: 'request rate',
    said: /\b(?:traffic|throughput|request[- ]?(?:rates?|volume|count)|requests(?: per (?:second|minute))?|load|rps|qps|orders per \w+|number of requests)\b/iu,
    meanings: ['traffic'],
    better: /request|http|rps/i,
    worse: /bytes|network|graph|client/i,
    direction: 'both',
  },
  {
    id: 'availability',
    title: 'availability',
    said: /\b(?:availability|uptime)\b/iu,
    meanings: ['availability'],
    direction: 'below',
  },
];

/** A successful share is bad when it falls. */
export const SUCCESS = /\bsuccess(?:es)?[- ]?(?:rates?|ratios?)\b/iu;

/** The statistic a text names, as it is called in metrics: `p95`, `average`, `max`. */
export function statisticOf(text: string): string | undefined {
  const [, p, percentile, mean, median, max, min] = STATISTIC.exec(text) ?? [];
  if (p ?? percentile) return `p${p ?? percentile}`;
  if (mean) return 'average';
  if (median) return 'p50';
  return max ? 'max' : min ? 'min' : undefined;
}

/** The aspects that a text names, in the order of the text. */
export function aspectsIn(text: string): { aspect: Aspect; at: number; length: number }[] {
  let rest = text;
  const found = ASPECTS.flatMap((aspect) => {
    const match = aspect.said.exec(rest);
    if (!match) return [];
    rest = `${rest.slice(0, match.index)}${' '.repeat(match[0].length)}${rest.slice(match.index + match[0].length)}`;
    return [{ aspect, at: match.index, length: match[0].length }];
  });
  return found.toSorted((a, b) => a.at - b.at);
}
