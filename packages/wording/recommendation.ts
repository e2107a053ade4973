/** What to do first, as one step that can be taken now, and how to see that it worked. */
import { code, word } from './code.ts';
import { metricPhrase } from './metric.ts';
import { quantity } from './quantity.ts';
import type { Change } from './change.ts';

export interface ChangeToUndo {
  id: string;
  /** As sources name it: `deploy`, `flag`, `config`, `job`. */
  kind: string;
  summary: string;
}

/** What is known about the service at fault. */
export interface Trouble {
  /** A change of the service shortly before the onset. */
  change?: ChangeToUndo;
  /** A new line of its log. */
  line?: string;
  /** By `metricMeaning` of its strongest signal, or a kind of evidence from spans. */
  kind?: string;
  metric?: string;
  operation?: string;
  caller?: string;
  callee?: string;
}

export interface Step {
  summary: string;
  details: string;
}

const UNDO: readonly (readonly [RegExp, string])[] = [
  [/deploy|release|rollout|image/i, 'Roll back'],
  [/job|cron|schedule/i, 'Stop'],
];

interface Remedy {
  /** A line of the service's own log that says what has given out. */
  line?: RegExp;
  /** The metric that shows it. */
  metric?: RegExp;
  step: (service: string) => string;
}

/** The first that fits. */
const REMEDIES: readonly Remedy[] = [
  {
    line: /event ?loop/i,
    metric: /event_?loop/i,
    step: (service) => `Event loop blocked: profile the CPU of ${service}; scale out meanwhile.`,
  },
  {
    line: /out ?of ?memory|\boom|\bheap\b/i,
    metric: /mem|heap|rss/i,
    step: (service) => `Restart ${service} with a higher memory limit.`,
  },
  { line: /throttl/i, metric: /throttl/i, step: (service) => `Raise the CPU limit of ${service}.` },
  { metric: /cpu/i, step: (service) => `Scale out ${service} or raise its CPU limit.` },
  {
    line: /\bpool\b|connection is not available/i,
    metric: /pool|conn/i,
    step: (service) => `Restart ${service} to release the connections it holds.`,
  },
  {
    line: /no space|\bdisk\b/i,
    metric: /disk|filesystem/i,
    step: (service) => `Free disk space on ${service} or enlarge its volume.`,
  },
  { metric: /queue|backlog/i, step: (service) => `Scale out the consumers of ${service} until the backlog is gone.` },
  { line: /certificate/i, step: (service) => `Renew the certificate that ${service} uses.` },
  {
    line: /too many (?:open )?files|file descriptor/i,
    step: (service) => `Raise the open-file limit of ${service} and restart it.`,
  },
  { line: /sequential scan|full table scan/i, step: (service) => `Add an index for the query that ${service} logs.` },
  {
    line: /dead ?lock|lock (?:wait|timeout)/i,
    step: (service) => `Terminate the transaction that holds the lock ${service} waits for.`,
  },
  { line: /quota/i, step: (service) => `Raise the quota that ${service} has exhausted.` },
];

const DATABASE = /postgres|mysql|maria|mongo|oracle|sql|(?:^|[-_`])db\b|database/i;

/** @returns the one step that fits best */
export function changeStep(service: string, trouble: Trouble): string {
  const { change, line = '' } = trouble;
  const named = code(service);
  if (change) {
    const [, verb = 'Revert'] = UNDO.find(([kind]) => kind.test(change.kind)) ?? [];
    return `${verb} the ${word(change.kind)} ${code(change.id)} of ${named}: ${code(change.summary, 240)}.`;
  }
  const remedy = REMEDIES.find((one) => one.line?.test(line));
  return remedy ? remedy.step(named) : bySignal(named, trouble);
}

function bySignal(service: string, { kind, metric = '', operation, caller }: Trouble): string {
  const where = operation === undefined ? service : `${code(operation)} on ${service}`;
  if (kind === 'edge_time') {
    return `Move ${service} to another node: ${caller ? `calls from ${code(caller)}` : 'calls to it'} wait on the network path.`;
  }
  const remedy = REMEDIES.find((one) => one.metric?.test(metric));
  if (remedy) return remedy.step(service);
  if (kind === 'saturation' || kind === 'headroom') return `Scale out ${service}.`;
  if (kind === 'traffic') return `Rate-limit ${service} to its usual request rate.`;
  const isSlow = kind === 'latency' || kind === 'self_time';
  if (isSlow && DATABASE.test(service)) return `List the running queries of ${service} and cancel the longest.`;
  if (isSlow) return `Profile ${where} while it is slow, then restart it.`;
  return `Restart one instance of ${service} and retry a failing request${operation ? ` (${code(operation)})` : ''}.`;
}

/** ``To verify: the median latency (`latency`) of `orders` should return to about 20 ms within a few minutes.`` */
export function confirmation({ service = '', unit, before, ...metric }: Omit<Change, 'after'>): string {
  return `To verify: the ${metricPhrase(metric)} of ${code(service)} should return to about ${quantity(before, unit)} within a few minutes.`;
}
