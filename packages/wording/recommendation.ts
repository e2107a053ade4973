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
  [/flag|toggle|experiment/i, 'Turn back'],
  [/job|cron|schedule/i, 'Stop'],
];

/** Steps by what a service's own log says has given out. */
const BY_LINE: readonly (readonly [RegExp, (service: string) => string])[] = [
  [/out ?of ?memory|\boom|\bheap\b/i, (service) => `Restart ${service} with a higher memory limit.`],
  [/throttl/i, (service) => `Raise the CPU limit of ${service}.`],
  [/\bpool\b|connection is not available/i, (service) => `Restart ${service} to release the connections it holds.`],
  [/no space|\bdisk\b/i, (service) => `Free disk space on ${service}, or enlarge its volume.`],
  [/certificate/i, (service) => `Renew the certificate that ${service} uses.`],
  [
    /too many (?:open )?files|file descriptor/i,
    (service) => `Raise the limit of open files of ${service}, and restart it.`,
  ],
  [/sequential scan|full table scan/i, (service) => `Add an index for the query that ${service} reports.`],
  [/dead ?lock|lock (?:wait|timeout)/i, (service) => `End the transaction that holds the lock ${service} waits for.`],
  [/quota/i, (service) => `Raise the quota that ${service} has used up.`],
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
  const [, step] = BY_LINE.find(([says]) => says.test(line)) ?? [];
  return step ? step(named) : bySignal(named, trouble);
}

function bySignal(service: string, { kind, metric = '', operation, caller }: Trouble): string {
  const where = operation === undefined ? service : `${code(operation)} on ${service}`;
  if (kind === 'edge_time') {
    return `Move ${service} to another node, away from the network path on which${caller ? ` ${code(caller)}'s` : ''} calls wait.`;
  }
  if (/cpu/i.test(metric)) return `Add a replica of ${service}, or raise its CPU limit.`;
  if (/mem|heap|rss/i.test(metric)) return `Restart ${service} with a higher memory limit.`;
  if (/pool|conn/i.test(metric)) return `Restart ${service} to release the connections it holds.`;
  if (kind === 'saturation' || kind === 'headroom') return `Add a replica of ${service}.`;
  if (kind === 'traffic') return `Limit the request rate that ${service} accepts to its usual level.`;
  const isSlow = kind === 'latency' || kind === 'self_time';
  if (isSlow && DATABASE.test(service)) return `List the running statements of ${service}, and cancel the longest.`;
  if (isSlow) return `Capture a profile of ${where} while it is slow, then restart it.`;
  return `Restart one instance of ${service}, and send it a request that fails${operation ? ` (${code(operation)})` : ''}.`;
}

/** ``It worked if median latency (`latency`) of `orders` returns to about 20 ms within minutes.`` */
export function confirmation({ service = '', unit, before, ...metric }: Omit<Change, 'after'>): string {
  return `It worked if the ${metricPhrase(metric)} of ${code(service)} returns to about ${quantity(before, unit)} within a few minutes.`;
}
