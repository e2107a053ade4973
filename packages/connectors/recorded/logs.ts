/** The log lines of a recorded incident. */
import type { z } from 'zod';
import { openFile } from './files.ts';
import { logRecord } from './schema.ts';

/** Longer lines are skipped. */
const MAX_LINE_CHARACTERS = 256 * 1_024;

export interface LogSearch {
  service?: string;
  /** Case-insensitive, part of the message. */
  text?: string;
  level?: string;
  /** Unix seconds, half-open. */
  from: number;
  to: number;
  limit: number;
}

/** Of more matches than `limit`, the newest; in the order of time. */
export async function searchLogs(folder: string, search: LogSearch, signal: AbortSignal) {
  type Line = z.output<typeof logRecord>;
  let lines: Line[] = [];
  let matched = 0;
  let unreadable = 0;
  const newest = (): Line[] => lines.sort((a, b) => a.at - b.at).slice(-search.limit);
  const file = await openFile(folder, 'logs.jsonl');
  if (!file) return { lines, truncated: false, unreadable };
  const text = search.text?.toLowerCase();
  try {
    for await (const line of file.readLines()) {
      signal.throwIfAborted();
      if (line.trim() === '') continue;
      const record = line.length > MAX_LINE_CHARACTERS ? undefined : parseLine(line);
      if (!record) {
        unreadable++;
        continue;
      }
      if (record.at < search.from || record.at >= search.to) continue;
      if (search.service !== undefined && record.service !== search.service) continue;
      if (search.level !== undefined && record.level?.toLowerCase() !== search.level.toLowerCase()) continue;
      if (text !== undefined && !record.message.toLowerCase().includes(text)) continue;
      matched++;
      lines.push(record);
      if (lines.length >= 2 * search.limit) lines = newest();
    }
  } finally {
    await file.close();
  }
  return { lines: newest(), truncated: matched > search.limit, unreadable };
}

function parseLine(line: string): z.output<typeof logRecord> | undefined {
  try {
    return logRecord.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
