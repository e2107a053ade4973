/** Finished answers: kept for repeated requests with the same id, and sent in parts. */
import { LRUCache } from 'lru-cache';
import { type AnswerError, MAX_PART_BYTES, type SatelliteMessage } from '@casebook/wire';

export type Answer = { text: string; bytes: number; tookMs: number } | { code: AnswerError; message: string };

/** An activity that lost its worker is retried within minutes. */
const RETENTION_MS = 10 * 60_000;
const MAX_ANSWERS = 500;
const MAX_BYTES = 64 * 1_048_576;

const ACTED_RETENTION_MS = 24 * 60 * 60_000;
const MAX_ACTED = 50_000;

/** Ids of calls that may have changed something: they outlive their answers, since the calls must not be repeated. */
export function createActedStore(): LRUCache<string, true> {
  return new LRUCache<string, true>({ max: MAX_ACTED, ttl: ACTED_RETENTION_MS });
}

export function createAnswerStore(): LRUCache<string, Answer> {
  return new LRUCache<string, Answer>({
    max: MAX_ANSWERS,
    maxSize: MAX_BYTES,
    ttl: RETENTION_MS,
    sizeCalculation: (answer) => 200 + ('text' in answer ? answer.text.length : answer.message.length),
  });
}

/** Destination of answers: one connection. */
export interface Outlet {
  /** Resolves when there is room for more. @throws when the connection is gone */
  send(message: SatelliteMessage): Promise<void>;
}

const MAX_MESSAGE_CHARACTERS = 4_000;

/**
 * @param options.maxBytes limit of this request, which may be lower than when the answer was produced
 * @param options.signal fires when another delivery of the same answer takes over
 */
export async function deliver(
  id: string,
  answer: Answer,
  outlet: Outlet,
  { maxBytes, signal }: { maxBytes: number; signal: AbortSignal },
): Promise<void> {
  if ('code' in answer) {
    const message = answer.message.slice(0, MAX_MESSAGE_CHARACTERS).toWellFormed();
    return await outlet.send({ type: 'answer.error', id, code: answer.code, message });
  }
  if (answer.bytes > maxBytes) {
    const message = `the answer has ${answer.bytes} bytes, more than the ${maxBytes} allowed: ask for less`;
    return await outlet.send({ type: 'answer.error', id, code: 'too_large', message });
  }
  let parts = 0;
  for (const text of partsOf(answer.text, MAX_PART_BYTES)) {
    if (signal.aborted) return undefined;
    await outlet.send({ type: 'answer.part', id, index: parts++, text });
  }
  if (signal.aborted) return undefined;
  return await outlet.send({ type: 'answer.end', id, parts, bytes: answer.bytes, tookMs: answer.tookMs });
}

/** Size in bytes of each code unit in JSON text. */
function costOf(unit: number): number {
  if (unit === 0x22 || unit === 0x5c) return 2;
  // \n and the like take two bytes; other control characters are written as \u0000.
  if (unit < 0x20) return unit >= 8 && unit <= 13 && unit !== 11 ? 2 : 6;
  if (unit < 0x80) return 1;
  return unit < 0x800 ? 2 : 3;
}

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

/**
 * Splits a text so that each part's JSON has at most `max` bytes. Surrogate pairs stay whole. Lazy: a part is cut when
 * it can be sent.
 * @param max at least 8: the longest character, and two quotes
 */
export function* partsOf(text: string, max: number): Generator<string> {
  let start = 0;
  let bytes = 2;
  for (let i = 0; i < text.length;) {
    const unit = text.charCodeAt(i);
    const isPair = isHigh(unit) && isLow(text.charCodeAt(i + 1));
    // A lone surrogate is written as \ud800.
    const cost = isPair ? 4 : isHigh(unit) || isLow(unit) ? 6 : costOf(unit);
    if (bytes + cost > max) {
      yield text.slice(start, i);
      start = i;
      bytes = 2;
    }
    bytes += cost;
    i += isPair ? 2 : 1;
  }
  if (start < text.length || text === '') yield text.slice(start);
}
