/** What a service's logs say that they did not say in health. */
import type { SearchLogsResult } from '../../../../src/features/tools/results.ts';
import type { CaseFile, Found } from './case-file.ts';
import { mentions } from './words.ts';

type Pattern = SearchLogsResult['patterns'][number];

/**
 * `resource`: one of the service's own resources gave out. `blames`: a failure that names another service. `access`: a
 * line of an access log.
 */
export interface LogFinding {
  kind: 'resource' | 'blames' | 'other' | 'access';
  blamed?: string;
  pattern: Pattern;
  /** A line of the pattern if there is one, else the pattern. */
  text: string;
  source: Found<SearchLogsResult>;
}

/** The most telling first. */
const TELLING: readonly LogFinding['kind'][] = ['resource', 'blames', 'other', 'access'];
const FAILURE =
  /time[d -]?out|deadline|refused|reset by|unavailable|unreachable|fail|error|abort|exceeded|circuit|slow|\b5\d\d\b|cancel/i;
const RESOURCE =
  /\bpool|connection is not available|out ?of ?memory|\boom|\bheap\b|\bgc\b|garbage|\bthreads?\b|too many|file descriptor|no space|\bdisk\b|semaphore|\bqueue\b|exhaust|\bleak|panic|throttl|dead ?lock|lock (?:wait|timeout)|certificate|event ?loop|quota|evict|sequential scan|full table scan|invalid config/i;
/** A line of an access log is a symptom, whatever its path contains. */
const ACCESS = /^(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) \//;
/** Delayed alerts and sampled metrics find an onset up to this much too late. */
const ONSET_DELAY_MS = 10 * 60_000;
/** By Poisson's law, this many missing lines are no accident (below 5 %). */
const MISSED_LINES = 3;

/**
 * The error and warning patterns that came with the incident, the most telling first: they start near the onset or later,
 * and at their rate since then, several lines would have been expected before, in the same search or in that of the
 * healthy time. For an error that names an exhausted resource, one line is enough.
 * @param onset in milliseconds
 */
export function newFindings(
  { logs }: Pick<CaseFile, 'logs'>,
  service: string,
  onset: number,
  others: readonly string[],
): LogFinding[] {
  const seen = new Set<string>();
  return logs
    .flatMap((source) =>
      source.result.patterns
        .filter(({ services }) => services.includes(service))
        .map((pattern) => classify(pattern, source, others)),
    )
    .filter(({ kind, pattern, source }) => {
      if (!(Date.parse(pattern.first) >= onset - ONSET_DELAY_MS) || wasHealthy(logs, service, pattern, onset)) {
        return false;
      }
      return (
        missedBefore(pattern, source.result.window) >= MISSED_LINES ||
        (kind === 'resource' && pattern.level === 'error')
      );
    })
    .toSorted((a, b) => TELLING.indexOf(a.kind) - TELLING.indexOf(b.kind) || b.pattern.count - a.pattern.count)
    .filter(({ pattern }) => !seen.has(pattern.pattern) && seen.add(pattern.pattern));
}

/** Services other than those examined that log errors they did not log in health, the most lines first. */
export function newlyFailing(file: Pick<CaseFile, 'logs'>, onset: number): string[] {
  const counts = new Map<string, number>();
  const services = new Set(file.logs.flatMap(({ result }) => result.patterns.flatMap((pattern) => pattern.services)));
  for (const service of services) {
    const lines = newFindings(file, service, onset, []).filter(({ kind }) => kind !== 'access');
    if (lines.length > 0) {
      counts.set(
        service,
        lines.reduce((sum, { pattern }) => sum + pattern.count, 0),
      );
    }
  }
  return [...counts].toSorted((a, b) => b[1] - a[1]).map(([service]) => service);
}

/** Whether a search that ended before the onset found the pattern too. */
function wasHealthy(logs: CaseFile['logs'], service: string, { pattern }: Pattern, onset: number): boolean {
  return logs.some(
    ({ result }) =>
      Date.parse(result.window.to) <= onset &&
      result.patterns.some((one) => one.pattern === pattern && one.services.includes(service)),
  );
}

/** Lines to expect before the first one, at the rate since then. */
function missedBefore(pattern: Pattern, window: SearchLogsResult['window']): number {
  const first = Date.parse(pattern.first);
  const since = Math.max(Date.parse(window.to) - first, 1);
  return (pattern.count * (first - Date.parse(window.from))) / since;
}

function classify(pattern: Pattern, source: Found<SearchLogsResult>, others: readonly string[]): LogFinding {
  const head = pattern.pattern.split('<*>')[0]?.trim() ?? '';
  const line = source.result.lines.find(
    ({ message, service }) => head.length > 5 && message.startsWith(head) && pattern.services.includes(service),
  );
  const text = line?.message ?? pattern.pattern;
  // A stack trace names classes of many services, so only its first line counts.
  const [statement = ''] = text.split('\n');
  const finding = { pattern, text, source };
  if (ACCESS.test(statement)) return { ...finding, kind: 'access' };
  if (RESOURCE.test(statement)) return { ...finding, kind: 'resource' };
  const blamed = others.find((service) => mentions(statement, service));
  if (blamed && FAILURE.test(statement)) return { ...finding, kind: 'blames', blamed };
  return { ...finding, kind: 'other' };
}
