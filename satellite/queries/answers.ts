/** Finished answers, kept for repeated requests with the same id. */
import { LRUCache } from 'lru-cache';
import type { AnswerError } from '@casebook/wire';

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
