/** Reads log entries, page by page. */
import { z } from 'zod';
import { QueryError, type OperationContext } from '../connector.ts';
import { parseAnswer } from '../shared/http-api/answers.ts';
import type { GoogleCloud } from './cloud.ts';

const labels = z.record(z.string(), z.string()).optional();

/** The members that are read here; entries have more. */
export const logEntry = z.looseObject({
  insertId: z.string().optional(),
  timestamp: z.string().optional(),
  receiveTimestamp: z.string().optional(),
  severity: z.string().optional(),
  textPayload: z.string().optional(),
  jsonPayload: z.record(z.string(), z.unknown()).optional(),
  protoPayload: z.record(z.string(), z.unknown()).optional(),
  httpRequest: z
    .object({
      requestMethod: z.string().optional(),
      requestUrl: z.string().optional(),
      status: z.number().optional(),
      latency: z.string().optional(),
    })
    .optional(),
  resource: z.object({ type: z.string().optional(), labels }).optional(),
  labels,
  operation: z.object({ id: z.string().optional(), first: z.boolean().optional() }).optional(),
});

export type LogEntry = z.output<typeof logEntry>;

const page = z.object({ entries: z.array(logEntry).default([]), nextPageToken: z.string().optional() });

/** Logging's own maximum. */
export const MAX_ENTRIES = 1_000;
/** Logging answers with an empty page when it needs more time; a request counts against a quota of 60 per minute. */
const MAX_PAGES = 5;

export interface EntryQuery {
  filter: string;
  order: 'timestamp asc' | 'timestamp desc';
  /** Maximum number of entries. */
  limit: number;
  pageToken?: string;
  /** Entries that do not count; without it, all do. */
  counts?: (entry: LogEntry) => boolean;
}

/**
 * @returns up to `limit` entries that count, and the token of the next page if there may be more
 * @throws {QueryError} `too_large` when the first page is already too large; later ones are left out
 */
export async function listEntries(
  cloud: GoogleCloud,
  { filter, order, limit, pageToken, counts }: EntryQuery,
  context: OperationContext,
): Promise<{ entries: LogEntry[]; nextPageToken?: string }> {
  const entries: LogEntry[] = [];
  let token = pageToken;
  let maxBytes = context.maxBytes;
  for (let pages = 0; pages < MAX_PAGES && maxBytes > 0; pages += 1) {
    const body = {
      resourceNames: [`projects/${cloud.project}`],
      filter,
      orderBy: order,
      pageSize: Math.min(MAX_ENTRIES, counts ? limit : limit - entries.length),
      ...(token !== undefined && { pageToken: token }),
    };
    let answer: unknown;
    try {
      answer = await cloud.json('logging', { path: ['v2', 'entries:list'], body }, { ...context, maxBytes });
    } catch (error) {
      if (pages === 0 || !(error instanceof QueryError) || error.code !== 'too_large') throw error;
      break;
    }
    const read = parseAnswer(page, answer, cloud.place('logging'));
    entries.push(...(counts ? read.entries.filter(counts) : read.entries));
    token = read.nextPageToken;
    if (token === undefined || token === '') return { entries: entries.slice(0, limit) };
    if (entries.length >= limit) break;
    maxBytes -= Buffer.byteLength(JSON.stringify(answer));
  }
  return { entries: entries.slice(0, limit), nextPageToken: token };
}
