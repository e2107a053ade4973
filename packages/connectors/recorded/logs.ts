import type { z } from 'zod';
import { inferLevel, normalizeLevel } from '../log-level.ts';
import { openIncidentFile, readChunks } from './files.ts';
import { readLines } from './lines.ts';
import { logRecord } from './schema.ts';

interface LogSearch {
  service?: string;
  /** Case-insensitive substring of the message. */
  text?: string;
  level?: string;
  /** Unix seconds, half-open. */
  from: number;
  to: number;
  limit: number;
}

type LogLine = z.output<typeof logRecord>;

interface LogPage {
  lines: LogLine[];
  /** More lines matched than `limit`. */
  truncated: boolean;
  /** Lines that are not log records, or too long. */
  unreadable: number;
}

/**
 * Searches a file with one JSON object per line, streaming: memory holds at most twice `limit` lines. If more than
 * `limit` match, the newest are kept. Lines that are not log records are counted, not fatal.
 */
export async function searchLogFile(
  folder: string,
  name: string,
  query: LogSearch,
  signal: AbortSignal,
): Promise<LogPage> {
  const limit = Math.max(1, Math.floor(query.limit));
  const text = query.text?.toLowerCase();
  let kept: LogLine[] = [];
  let matched = 0;
  const unreadable = await forEachLine(folder, name, query, signal, (entry) => {
    if (query.service !== undefined && entry.service !== query.service) return;
    if (query.level !== undefined && !isOfLevel(entry, query.level)) return;
    if (text !== undefined && !entry.message.toLowerCase().includes(text)) return;
    matched++;
    kept.push(entry);
    if (kept.length >= limit * 2) kept = newest(kept, limit);
  });
  return { lines: newest(kept, limit), truncated: matched > limit, unreadable };
}

/**
 * Lines of all services, spread evenly over a window: every k-th, with k growing while the file is read, so that memory
 * holds at most twice `limit` lines.
 */
export async function sampleLogFile(
  folder: string,
  name: string,
  { limit, ...window }: Pick<LogSearch, 'from' | 'to' | 'limit'>,
  signal: AbortSignal,
): Promise<LogPage> {
  let kept: LogLine[] = [];
  let step = 1;
  let matched = 0;
  const unreadable = await forEachLine(folder, name, window, signal, (entry) => {
    if (matched++ % step > 0) return;
    kept.push(entry);
    if (kept.length <= limit * 2) return;
    kept = everySecond(kept);
    step *= 2;
  });
  const lines = kept.length <= limit ? kept : everySecond(kept).slice(0, limit);
  return { lines: lines.sort((a, b) => a.at - b.at), truncated: lines.length < matched, unreadable };
}

/** @returns the number of lines that are not log records; 0 for a file that is not there */
async function forEachLine(
  folder: string,
  name: string,
  { from, to }: Pick<LogSearch, 'from' | 'to'>,
  signal: AbortSignal,
  visit: (entry: LogLine) => void,
): Promise<number> {
  signal.throwIfAborted();
  const file = await openIncidentFile(folder, name);
  if (!file) return 0;
  let unreadable = 0;
  try {
    for await (const line of readLines(readChunks(file, signal))) {
      const entry = line === undefined ? undefined : parseLine(line);
      if (entry === undefined) unreadable++;
      else if (entry !== null && entry.at >= from && entry.at < to) visit(entry);
    }
  } finally {
    await file.close();
  }
  return unreadable;
}

function everySecond(lines: LogLine[]): LogLine[] {
  return lines.filter((_, index) => index % 2 === 0);
}

/** An unknown level is compared as text. */
function isOfLevel({ level, message }: LogLine, word: string): boolean {
  const wanted = normalizeLevel(word);
  if (wanted === undefined) return level?.toLowerCase() === word.toLowerCase();
  return (normalizeLevel(level) ?? inferLevel(message)) === wanted;
}

function newest(lines: LogLine[], limit: number): LogLine[] {
  return lines.sort((a, b) => a.at - b.at).slice(-limit);
}

/** @returns null for a blank line, undefined for one that is not a record */
function parseLine(line: string): LogLine | undefined | null {
  if (line.trim() === '') return null;
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  return logRecord.safeParse(value).data;
}
