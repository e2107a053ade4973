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
  signal.throwIfAborted();
  const file = await openIncidentFile(folder, name);
  if (!file) return { lines: [], truncated: false, unreadable: 0 };
  const limit = Math.max(1, Math.floor(query.limit));
  const text = query.text?.toLowerCase();
  let kept: LogLine[] = [];
  let matched = 0;
  let unreadable = 0;
  try {
    for await (const line of readLines(readChunks(file, signal))) {
      const entry = line === undefined ? undefined : parseLine(line);
      if (entry === null) continue;
      if (!entry) {
        unreadable++;
        continue;
      }
      if (entry.at < query.from || entry.at >= query.to) continue;
      if (query.service !== undefined && entry.service !== query.service) continue;
      if (query.level !== undefined && !isOfLevel(entry, query.level)) continue;
      if (text !== undefined && !entry.message.toLowerCase().includes(text)) continue;
      matched++;
      kept.push(entry);
      if (kept.length >= limit * 2) kept = newest(kept, limit);
    }
  } finally {
    await file.close();
  }
  return {
    lines: newest(kept, limit),
    truncated: matched > limit,
    unreadable,
  };
}

/**
 * Lines of all services, spread evenly over a window: every k-th, with k growing while the file is read, so that memory
 * holds at most twice `limit` lines.
 */
export async function sampleLogFile(
  folder: string,
  name: string,
  { from, to, limit }: Pick<LogSearch, 'from' | 'to' | 'limit'>,
  signal: AbortSignal,
): Promise<LogPage> {
  signal.throwIfAborted();
  const file = await openIncidentFile(folder, name);
  if (!file) return { lines: [], truncated: false, unreadable: 0 };
  let kept: LogLine[] = [];
  let step = 1;
  let matched = 0;
  let unreadable = 0;
  try {
    for await (const line of readLines(readChunks(file, signal))) {
      const entry = line === undefined ? undefined : parseLine(line);
      if (entry === null) continue;
      if (!entry) {
        unreadable++;
        continue;
      }
      if (entry.at < from || entry.at >= to) continue;
      if (matched++ % step > 0) continue;
      kept.push(entry);
      if (kept.length <= limit * 2) continue;
      kept = kept.filter((_, index) => index % 2 === 0);
      step *= 2;
    }
  } finally {
    await file.close();
  }
  const lines = kept.length <= limit ? kept : kept.filter((_, index) => index % 2 === 0).slice(0, limit);
  return { lines: lines.sort((a, b) => a.at - b.at), truncated: lines.length < matched, unreadable };
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
