/** Log lines of a window, page by page, up to a limit. */
import { type LogLine, type LogQuery, SourceError, type TelemetrySource, type TimeWindow } from '../../sources/port.ts';
import { clip } from '../../tools/index.ts';
import type { SubjectOf } from '../plan/schema.ts';
import { listOf, membersOf } from './ask.ts';
import { at, duration, listed, near } from './figures.ts';
import { type Wildcard, wildcard } from './wildcard.ts';

/** Lines on the first page; later pages are larger. */
const FIRST_PAGE = 1_000;
const LARGEST_PAGE = 20_000;
const MAX_PAGES = 30;
/** Maximum lines read in total. */
const MAX_LINES = 60_000;
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

/** A service may be silent for a while. */
const LOOKED_BACK_SECONDS = 3_600;

/**
 * Whether the source has, or knows of, logs for a check's subject.
 * @returns why nothing could be searched; undefined if logs exist
 */
export async function hasLines(
  source: LogSource,
  { service }: Pick<LogQuery, 'service'>,
  window: TimeWindow,
  signal: AbortSignal,
): Promise<string | undefined> {
  const period = { from: Math.min(window.from, window.to - LOOKED_BACK_SECONDS), to: window.to };
  const query = { ...period, ...(service !== undefined && { service }) };
  const any = await readLines(source, query, wildcard(undefined), { enough: 1, signal });
  if (any.lines.length > 0) return undefined;
  const none = `no log lines of ${service ?? 'any service'} in the last ${duration(period.to - period.from)}`;
  if (service === undefined) return none;
  const known = await servicesOf(source, signal);
  if (known === undefined || known.includes(service)) return known === undefined ? none : undefined;
  return `${none}; services are: ${listed(near(service, known)) || 'none'}`;
}

/** Undefined if the source does not say. */
async function servicesOf(source: LogSource, signal: AbortSignal): Promise<string[] | undefined> {
  if (!source.services) return undefined;
  try {
    const answer: unknown = await source.services({ signal });
    if (!Array.isArray(answer)) return undefined;
    return answer.slice(0, 10_000).flatMap((one) => {
      const name = membersOf(one)?.name;
      return typeof name === 'string' ? [name] : [];
    });
  } catch (error) {
    if (error instanceof SourceError) return undefined;
    throw error;
  }
}

const LINE_CHARACTERS = 1_000;

/** A log line as evidence shows it. */
export function shownLine({ at: time, service, level, message }: LogLine): Record<string, unknown> {
  return {
    at: at(time),
    service: clip(service, 200),
    ...(level && { level }),
    message: clip(message, LINE_CHARACTERS),
  };
}

/** What a check searches for, as a person would write it. */
export function describeQuestion(subject: SubjectOf<'log_pattern'>): string {
  return `${describePattern(subject)} of ${subject.service ?? 'every service'}`;
}

/** The required properties of a line. */
export function describePattern({ pattern, level }: SubjectOf<'log_pattern'>): string {
  return (
    [level ? `of level ${level}` : '', pattern ? `with "${clip(pattern, 100)}"` : ''].filter(Boolean).join(' ') ||
    'of any kind'
  );
}
