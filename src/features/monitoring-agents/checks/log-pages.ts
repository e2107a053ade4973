/** Log lines of a window, page by page, up to a limit. */
import { SourceError, type LogLine, type LogQuery, type TelemetrySource, type TimeWindow } from '../../sources/port.ts';
import { listOf, membersOf } from './ask.ts';
import type { Wildcard } from './wildcard.ts';

/** Lines on the first page; later pages are larger. */
const FIRST_PAGE = 1_000;
const LARGEST_PAGE = 20_000;
const MAX_PAGES = 30;
/** Maximum lines read in total. */
export const MAX_LINES = 60_000;
const MAX_LINE_CHARACTERS = 64 * 1_024;

export type LogSource = TelemetrySource & Required<Pick<TelemetrySource, 'searchLogs'>>;

export interface ReadLines {
  /** The matching lines, in time order. */
  lines: LogLine[];
  /** More lines match, or may match. */
  truncated: boolean;
  /** Warnings about lines that could not be read. */
  unreadable: number;
}

/**
 * The matching lines of a window.
 * @param query what the source itself filters by
 * @param options.enough stops after this many matching lines
 */
export async function readLines(
  source: LogSource,
  query: Pick<LogQuery, 'service' | 'level'> & TimeWindow,
  pattern: Wildcard,
  options: { enough: number; signal: AbortSignal },
): Promise<ReadLines> {
  const { enough, signal } = options;
  const ask = async (until: number, limit: number): Promise<ReadLines> => {
    signal.throwIfAborted();
    const asked = { ...query, to: until, ...(pattern.literal !== undefined && { text: pattern.literal }), limit };
    return readPage(await source.searchLogs(asked, { signal }), asked);
  };
  const matching = (lines: readonly LogLine[]): LogLine[] => lines.filter(({ message }) => pattern.matches(message));

  const first = await ask(query.to, Math.min(LARGEST_PAGE, Math.max(FIRST_PAGE, enough)));
  const few = matching(first.lines);
  if (!first.truncated || few.length >= enough) return { ...first, lines: few };

  const found: LogLine[] = [];
  let [looked, unreadable] = [0, 0];
  // Sources return the newest lines first: older pages each end where the previous one began.
  let counted = Number.POSITIVE_INFINITY;
  for (let page = 0; page < MAX_PAGES; page++) {
    const answer = await ask(page === 0 ? query.to : counted + MOMENT, LARGEST_PAGE);
    const fresh = answer.lines.filter((line) => line.at <= counted);
    unreadable += answer.unreadable;
    if (!answer.truncated) return { lines: sorted([...found, ...matching(fresh)]), truncated: false, unreadable };
    // A page may hold only some lines of its oldest moment: they belong to the next page.
    const oldest = fresh[0]?.at ?? query.from;
    const complete = fresh.filter((line) => line.at > oldest);
    looked += fresh.length;
    const isStuck = complete.length === 0;
    found.push(...matching(isStuck ? fresh : complete));
    if (isStuck || found.length >= enough || looked >= MAX_LINES) break;
    counted = oldest;
  }
  return { lines: sorted(found), truncated: true, unreadable };
}

/** Windows are half-open: the smallest step, in seconds, that puts the end of one after a moment. */
const MOMENT = 1e-6;

const sorted = (lines: LogLine[]): LogLine[] => lines.sort((a, b) => a.at - b.at);

/** @throws {SourceError} when the answer is not a page of lines, or none of its lines is valid */
function readPage(answer: unknown, { from, to }: TimeWindow): ReadLines {
  const members = membersOf(answer);
  if (!members) throw new SourceError('the source did not return a page of log lines');
  const list = listOf(members.lines, 'log lines', 2 * MAX_LINES);
  const lines: LogLine[] = [];
  for (let index = 0; index < list.length; index++) {
    const line = membersOf(list[index]);
    if (!line || typeof line.at !== 'number' || typeof line.message !== 'string') continue;
    if (!(line.at >= from && line.at < to)) continue;
    lines.push({
      at: line.at,
      service: typeof line.service === 'string' ? line.service.slice(0, 300) : '',
      ...(typeof line.level === 'string' && { level: line.level.slice(0, 50) }),
      message: line.message.slice(0, MAX_LINE_CHARACTERS),
    });
  }
  if (list.length > 0 && lines.length === 0) {
    throw new SourceError(`none of the ${list.length} log lines from the source can be read`);
  }
  const stated = typeof members.unreadable === 'number' && members.unreadable > 0 ? members.unreadable : 0;
  return {
    lines: sorted(lines),
    truncated: Boolean(members.truncated),
    unreadable: stated + list.length - lines.length,
  };
}
