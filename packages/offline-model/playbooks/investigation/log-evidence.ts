/** What a service's logs say about who is to blame. */
import type { SearchLogsResult } from '../../../../src/features/tools/results.ts';
import type { CaseFile, Found } from './case-file.ts';
import { mentions } from './words.ts';

type Pattern = SearchLogsResult['patterns'][number];

/**
 * `blames`: a failure that names another service. `resource`: one of the service's own resources gave out. `access`: a
 * line of an access log.
 */
export interface LogFinding {
  kind: 'blames' | 'resource' | 'other' | 'access';
  blamed?: string;
  pattern: Pattern;
  /** A line of the pattern if there is one, else the pattern. */
  text: string;
  source: Found<SearchLogsResult>;
}

const FAILURE =
  /time[d -]?out|deadline|refused|reset by|unavailable|unreachable|fail|error|abort|exceeded|circuit|slow|\b5\d\d\b|cancel/i;
const RESOURCE =
  /\bpool|connection is not available|out ?of ?memory|\boom|\bheap\b|\bgc\b|garbage|\bthreads?\b|too many|file descriptor|no space|\bdisk\b|semaphore|\bqueue\b|exhaust|\bleak|panic|throttl|dead ?lock|lock (?:wait|timeout)|certificate|quota|evict|sequential scan|full table scan|invalid config/i;
/** A line of an access log is a symptom, whatever its path contains. */
const ACCESS = /^(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) \//;
/** Delayed alerts and sampled metrics find an onset up to this much too late. */
const ONSET_DELAY_MS = 10 * 60_000;
/** By Poisson's law, this many missing lines are no accident (below 5 %). */
const MISSED_LINES = 3;

/**
 * The error and warning patterns that came with the incident: they start near the onset or later, and at their rate
 * since then, several lines would have been expected before. For an error that names an exhausted resource, one line is
 * enough.
 * @param onset in milliseconds
 */
export function newFindings(
  { logs }: Pick<CaseFile, 'logs'>,
  service: string,
  onset: number,
  blameable: readonly string[],
): LogFinding[] {
  return logs
    .filter((found) => found.call.input['service'] === service)
    .flatMap((source) => source.result.patterns.map((pattern) => classify(pattern, source, blameable)))
    .filter(({ kind, pattern, source }) => {
      if (Date.parse(pattern.first) < onset - ONSET_DELAY_MS) return false;
      return (
        missedBefore(pattern, source.result.window) >= MISSED_LINES ||
        (kind === 'resource' && pattern.level === 'error')
      );
    })
    .sort((a, b) => b.pattern.count - a.pattern.count);
}

/** Lines to expect before the first one, at the rate since then. */
function missedBefore(pattern: Pattern, window: SearchLogsResult['window']): number {
  const first = Date.parse(pattern.first);
  const since = Math.max(Date.parse(window.to) - first, 1);
  return (pattern.count * (first - Date.parse(window.from))) / since;
}

function classify(pattern: Pattern, source: Found<SearchLogsResult>, blameable: readonly string[]): LogFinding {
  const head = pattern.pattern.split('<*>')[0]?.trim() ?? '';
  const line = source.result.lines.find(({ message }) => head.length > 5 && message.startsWith(head));
  const text = line?.message ?? pattern.pattern;
  // A stack trace names classes of many services, so only its first line counts.
  const [statement = ''] = text.split('\n');
  const finding = { pattern, text, source };
  if (ACCESS.test(statement)) return { ...finding, kind: 'access' };
  if (RESOURCE.test(statement)) return { ...finding, kind: 'resource' };
  const blamed = blameable.find((service) => mentions(statement, service));
  if (blamed && FAILURE.test(statement)) return { ...finding, kind: 'blames', blamed };
  return { ...finding, kind: 'other' };
}

/** The service that new failures name most, if in at least a third of the lines. */
export function mainBlame(findings: readonly LogFinding[]): { service: string; finding: LogFinding } | undefined {
  const counts = new Map<string, number>();
  let total = 0;
  for (const { kind, blamed, pattern } of findings) {
    if (kind !== 'blames' && kind !== 'resource') continue;
    total += pattern.count;
    if (blamed) counts.set(blamed, (counts.get(blamed) ?? 0) + pattern.count);
  }
  const [most] = [...counts].sort((a, b) => b[1] - a[1]);
  if (!most || most[1] * 3 < total) return undefined;
  const finding = findings.find(({ blamed }) => blamed === most[0]);
  return finding && { service: most[0], finding };
}
