/** What is wrong with the service at fault, in two or three words. */
import type { Conclusion } from '../../investigation/conclusion.ts';

/** What logs say when a certain thing gave out; the first that fits. */
const BY_LINE: [RegExp, string][] = [
  [/\bpool\b|connection is not available|too many (?:connections|clients)/i, 'connection pool'],
  [/\boom|out ?of ?memory|memory limit|\bheap\b|garbage|\bgc\b/i, 'memory'],
  [/throttl/i, 'CPU throttling'],
  [/seq(?:uential)? ?scan|full table scan/i, 'sequential scan'],
  [/slowlog|slow command/i, 'slow commands'],
  [/dead ?lock|lock (?:wait|timeout)/i, 'locks'],
  [/no space|\bdisk\b/i, 'disk'],
  [/certificate/i, 'certificate'],
  [/quota|rate limit|too many requests/i, 'limits'],
  [/timed? ?out|time-?out|deadline/i, 'time-outs'],
  [/refused|unreachable|reset by/i, 'connections refused'],
];
/** Lines that tell of an effect, whatever brought it about. */
const EFFECTS = new Set(['time-outs', 'slow commands']);
const BY_METRIC: [RegExp, string][] = [
  [/throttl/i, 'CPU throttling'],
  [/pool/i, 'connection pool'],
  [/memory|heap|rss/i, 'memory'],
  [/cpu/i, 'CPU'],
  [/disk|iops/i, 'disk'],
  [/queue|backlog|lag/i, 'backlog'],
  [/connection/i, 'connections'],
  [/restart/i, 'restarts'],
];
const BY_MEANING: Record<string, string> = {
  latency: 'slow',
  errors: 'failing',
  availability: 'failing',
  saturation: 'saturated',
  headroom: 'short of a resource',
  traffic: 'unusual traffic',
};

export function faultOf({ cause, findings }: Conclusion): string {
  const [signal] = cause?.signals ?? [];
  // A metric that says which resource is short says it more exactly than a line about its effect.
  const byMetric = signal && BY_METRIC.find(([said]) => said.test(signal.metric))?.[1];
  const said = new Set(findings.filter(({ kind }) => kind !== 'access').map(({ text }) => saidBy(text)));
  const byLine = BY_LINE.find(([, fault]) => said.has(fault))?.[1];
  if (byLine !== undefined) return EFFECTS.has(byLine) ? (byMetric ?? byLine) : byLine;
  return byMetric ?? BY_MEANING[signal?.meaning ?? ''] ?? 'disturbed';
}

/** What the first line of a log message says gave out; undefined when it says nothing of the kind. */
export function saidBy(text: string): string | undefined {
  const [line = ''] = text.split('\n');
  return BY_LINE.find(([says]) => says.test(line))?.[1];
}
