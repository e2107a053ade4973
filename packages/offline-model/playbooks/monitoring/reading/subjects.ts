/** What a statement wants watched, once what it says of when and how gravely is taken out. */
import { aspectsIn, statisticOf, SUCCESS } from './aspects.ts';
import { takeComparison } from './comparison.ts';
import { dependencyIn } from './dependency.ts';
import { logsIn, type SaidLogs } from './logs.ts';
import { quotesIn, unhide, type Hidden } from './quotes.ts';
import { servicesIn, type NamedServices } from './services.ts';
import { takeLimit, type SaidLimit } from './thresholds.ts';
import type { Service, Subject } from './wish.ts';

export interface SaidSubject {
  subject: Subject;
  services: string[];
}

export interface SaidSubjects {
  subjects: SaidSubject[];
  named: NamedServices;
}

const MOST_PARTS = 40;
const BETWEEN = /\s*(?:,|;|&|\+|\band\b|\bor\b|\bplus\b|\bas well as\b)\s*/iu;
/** All of what there is. */
export const WHOLE =
  /\b(?:(?:whole|entire|complete)(?:\s+(?!of\b)[\p{L}\d-]+)?|(?:all|every|each)\s+(?:of\s+)?(?:the\s+|our\s+|my\s+)?(?:services?|systems?|apps?|applications?|components?)\b|everything\b|everywhere\b|anything\b|(?:the|our|my)\s+(?:system|shop|platform|cluster|stack|site|environment|production|services)\b)/iu;
const HEALTH =
  /\b(?:health(?:y|iness)?|un ?healthy|is (?:up|down|ok(?:ay)?|fine|alive|well)|goes down|down|outages?|broken|status|unavailable|available|reachable|responds?|behaves?|doing|trouble|problems?|issues?|wrong|off)\b/iu;
const INSTRUCTS =
  /^\W*(?:please\s+|also\s+|and\s+|then\s+|can you\s+|could you\s+|i want you to\s+|you should\s+)*(?:check|look|verify|make sure|ensure|compare|review|summari[sz]e|see|have a look|find out|go through|read|inspect|examine|analy[sz]e|evaluate|assess|report|confirm|test|tell me|let me know|determine)\b/iu;
/** What may be a question as well. */
const TELLS = /^\W*(?:please\s+)?(?:tell me|let me know|see|read|test|report)\b/iu;
/** What no other check can say. */
const BEYOND =
  /\b(?:deploy\w*|releases?|rollouts?|roll-outs?|yesterday\w*|last (?:night|week|month|day)|previous (?:day|week)|week(?:ly)?[- ](?:on|over)[- ]week|compare[ds]?|comparing|trends?|summar\w+|certificates?|backups?|cost|explain|correlat\w+|recent changes|config\w*|feature flags?|who|why|which|anything (?:else )?(?:unusual|interesting|suspicious|notable))\b/iu;
const METRIC_NAME = /(?<![\p{L}\p{N}_:])[a-z][a-z\d]*(?:[_:][a-z\d_:]+)+(?![\p{L}\p{N}_:])/giu;
const PROMQL = /[({[]/u;
const FEWEST_WORDS = 4;

interface Part {
  text: string;
  services: string[];
  logs?: SaidLogs;
  aspects: Subject[];
}

interface Group {
  isLogs: boolean;
  subjects: Subject[];
  services: string[];
}

/** @param hidden the statement's whole text with its quotes */
export function subjectsIn(text: string, hidden: Hidden, services: readonly Service[]): SaidSubjects {
  const isWhole = WHOLE.test(text);
  const named = servicesIn(withoutMetricNames(text).replace(WHOLE, ' '), services);
  if (countWords(text) >= FEWEST_WORDS && INSTRUCTS.test(text) && BEYOND.test(text)) {
    return { subjects: [instruction(text, hidden)], named: { ...named, unknown: [] } };
  }
  const isInstruction = countWords(text) >= FEWEST_WORDS && INSTRUCTS.test(text) && !TELLS.test(text);
  const promql = quotesIn(text, hidden).find((quote) => PROMQL.test(quote) && /[\w\s)\]}]$/u.test(quote));
  if (promql !== undefined && !logsIn(text, [])) return { subjects: [promqlOf(promql, text)], named };
  const dependency = dependencyIn(text, services);
  if (dependency) return { subjects: [{ subject: dependency, services: [] }], named };
  const subjects = groupsOf(text, hidden, services).flatMap((group) => {
    const meant = group.services.length > 0 ? group.services : isWhole ? [] : named.names;
    // Of a name that nobody knows nothing is made, least of all everything.
    if (meant.length === 0 && !isWhole && named.unknown.length > 0) return [];
    return group.subjects.map((subject) => ({ subject, services: meant }));
  });
  if (subjects.length > 0) return { subjects, named };
  if (named.names.length > 0 && (!isInstruction || HEALTH.test(text))) {
    return { subjects: [{ subject: healthOf(text), services: named.names }], named };
  }
  if (isWhole && named.unknown.length === 0) return { subjects: [{ subject: healthOf(text), services: [] }], named };
  if (isInstruction && aspectsIn(text).length === 0) {
    return { subjects: [instruction(text, hidden)], named: { ...named, unknown: [] } };
  }
  return { subjects: [], named };
}

function groupsOf(text: string, hidden: Hidden, services: readonly Service[]): Group[] {
  const groups: Group[] = [];
  for (const piece of text.split(BETWEEN).slice(0, MOST_PARTS)) {
    const part = readPart(piece, hidden, services);
    const subjects = part.logs ? part.logs.subjects : part.aspects;
    const current = groups.at(-1);
    const isComplete = current && current.subjects.length > 0 && current.services.length > 0;
    const begins =
      subjects.length > 0 &&
      (!current || current.isLogs !== Boolean(part.logs) || (isComplete && part.services.length > 0));
    if (begins || !current) {
      groups.push({ isLogs: Boolean(part.logs), subjects: [...subjects], services: [...part.services] });
      continue;
    }
    current.subjects.push(...subjects);
    current.services.push(...part.services.filter((one) => !current.services.includes(one)));
    if (subjects.length === 0) attachLimit(current, takeLimit({ text: part.text }));
  }
  // Services that were named first are those of what comes next: `checkout and payment: latency`.
  const [first, second] = groups;
  if (first && second && first.subjects.length === 0 && second.services.length === 0) second.services = first.services;
  return groups;
}

function readPart(text: string, hidden: Hidden, services: readonly Service[]): Part {
  const named = servicesIn(withoutMetricNames(text), services).names;
  const logs = logsIn(text, quotesIn(text, hidden));
  if (logs) return { text, services: named, logs, aspects: [] };
  const passage = { text };
  const limit = takeLimit(passage);
  const statistic = statisticOf(text);
  const metrics = text.match(METRIC_NAME) ?? [];
  const isService = (name: string): boolean => services.some((one) => one.name === name);
  const exact = metrics
    .filter((metric) => !isService(metric))
    .map((metric): Subject => ({ kind: 'named metric', metric, ...(statistic && { statistic }), limit }));
  if (exact.length > 0) return { text, services: named, aspects: exact };
  const aspects = aspectsIn(withoutServices(passage.text, named)).map(({ aspect }): Subject => {
    const success = aspect.id === 'errors' && SUCCESS.test(text);
    return { kind: 'metric', aspect, ...(statistic && { statistic }), limit, ...(success && { success }) };
  });
  // `p99` and `slower than 500 ms` are said of latency.
  if (aspects.length === 0 && isLatency(text, limit)) {
    const latency = aspectsIn('latency').map(({ aspect }): Subject => ({
      kind: 'metric',
      aspect,
      ...(statistic && { statistic }),
      limit,
    }));
    return { text, services: named, aspects: latency };
  }
  return { text, services: named, aspects };
}

function isLatency(text: string, { threshold }: SaidLimit): boolean {
  if (/\bp(?:50|75|9\d{1,2})\b/iu.test(text)) return true;
  return threshold !== undefined && /\b(?:takes?|slower|longer|respond\w*|answers?)\b/iu.test(text);
}

function attachLimit(group: Group, limit: SaidLimit): void {
  const last = group.subjects.at(-1);
  if (Object.keys(limit).length === 0 || !last || !('limit' in last) || last.limit.threshold) return;
  last.limit = { ...last.limit, ...limit };
}

function promqlOf(quote: string, text: string): SaidSubject {
  const [, promql = quote, compared = ''] =
    /^(.*?[\w)\]}])\s*((?:>=|<=|==|!=|>|<)(?:\s*bool)?\s*-?[\d.]+)\s*$/u.exec(quote) ?? [];
  const within = takeLimit({ text: compared.replace(/^(>=|<=|==|!=|>|<)/u, '$1 ') });
  return {
    subject: { kind: 'promql', promql: promql.trim(), limit: { ...takeLimit({ text }), ...within } },
    services: [],
  };
}

function instruction(text: string, hidden: Hidden): SaidSubject {
  const plain = unhide(text, hidden)
    .replace(/^[\s,;:.–-]+|[\s,;:–-]+$/gu, '')
    .replaceAll(/\s+/gu, ' ')
    .slice(0, 4_500)
    .trim();
  return {
    subject: { kind: 'instruction', instruction: plain.charAt(0).toUpperCase() + plain.slice(1) },
    services: [],
  };
}

function healthOf(text: string): Subject {
  return { kind: 'health', compared: takeComparison({ text }) };
}

function withoutMetricNames(text: string): string {
  return text.replaceAll(METRIC_NAME, ' ');
}

function withoutServices(text: string, names: readonly string[]): string {
  return names.reduce((rest, name) => rest.replaceAll(name, ' '), text);
}

function countWords(text: string): number {
  return text.match(/[\p{L}\d]+/gu)?.length ?? 0;
}
