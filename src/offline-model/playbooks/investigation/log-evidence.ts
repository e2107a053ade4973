/** What the logs of a service say about who is to blame. */
import type { SearchLogsResult } from '../../../features/tools/results.ts';
import type { CaseFile, Found } from './case-file.ts';
import { mentions } from './words.ts';

type Pattern = SearchLogsResult['patterns'][number];

/**
 * `blames`: a failure that names another service. `resource`: something of the service's own gave out (a pool, memory,
 * threads, a lock, its configuration). `other`: neither, as most symptoms are.
 */
export interface LogFinding {
  kind: 'blames' | 'resource' | 'other';
  /** The blamed service, for `blames`. */
  blamed?: string;
  pattern: Pattern;
  /** A whole line of the pattern where there is one, else the pattern. */
  text: string;
  source: Found<SearchLogsResult>;
}

const FAILURE =
  /time[d -]?out|deadline|refused|reset by|unavailable|unreachable|fail|error|abort|exceeded|circuit|slow|\b5\d\d\b|cancel/i;
const RESOURCE =
  /\bpool|connection is not available|out ?of ?memory|\boom|\bheap\b|\bgc\b|garbage|\bthreads?\b|too many|file descriptor|no space|\bdisk\b|semaphore|\bqueue\b|exhaust|\bleak|panic|throttl|dead ?lock|lock (?:wait|timeout)|certificate|quota|evict|sequential scan|full table scan|invalid config/i;
/** A line of an access log shows a symptom, whatever its path contains. */
const ACCESS = /^(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) \//;
/** A warning seen less often may be routine that happens to come after the onset. */
const FEW = 3;

/**
 * The patterns of a service's errors and warnings that were not there before the onset.
 * @param onset ISO time; without it every pattern counts
 * @param services names that a line may blame
 */
export function newFindings(
  { logs }: Pick<CaseFile, 'logs'>,
  service: string,
  onset: string | undefined,
  services: readonly string[],
): LogFinding[] {
  const earliest = onset ? Date.parse(onset) - 60_000 : -Infinity;
  return logs
    .filter((found) => found.call.input['service'] === service)
    .flatMap((source) =>
      source.result.patterns
        .filter((pattern) => Date.parse(pattern.first) >= earliest)
        .filter((pattern) => pattern.level === 'error' || pattern.count >= FEW)
        .map((pattern) => classify(pattern, source, service, services)),
    )
    .sort((a, b) => b.pattern.count - a.pattern.count);
}

function classify(
  pattern: Pattern,
  source: Found<SearchLogsResult>,
  service: string,
  services: readonly string[],
): LogFinding {
  const head = pattern.pattern.split('<*>')[0]?.trim() ?? '';
  const line = source.result.lines.find(({ message }) => head.length > 5 && message.startsWith(head));
  const text = line?.message ?? pattern.pattern;
  // A stack trace names classes of many services; only its first line is a statement.
  const [statement = ''] = text.split('\n');
  const finding = { pattern, text, source };
  if (ACCESS.test(statement)) return { ...finding, kind: 'other' };
  if (RESOURCE.test(statement)) return { ...finding, kind: 'resource' };
  const blamed = services.find((other) => other !== service && mentions(statement, other));
  if (blamed && FAILURE.test(statement)) return { ...finding, kind: 'blames', blamed };
  return { ...finding, kind: 'other' };
}

/**
 * The service that a service's new failures name most often, if they are at least a third of its new lines: fewer are
 * incidental.
 */
export function mainBlame(findings: readonly LogFinding[]): { service: string; finding: LogFinding } | undefined {
  const counts = new Map<string, number>();
  let total = 0;
  for (const { kind, blamed, pattern } of findings) {
    if (kind === 'other') continue;
    total += pattern.count;
    if (blamed) counts.set(blamed, (counts.get(blamed) ?? 0) + pattern.count);
  }
  const [most] = [...counts].sort((a, b) => b[1] - a[1]);
  if (!most || most[1] * 3 < total) return undefined;
  const finding = findings.find(({ blamed }) => blamed === most[0]);
  return finding && { service: most[0], finding };
}
