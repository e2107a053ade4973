/** Finished answers, kept for whoever asks again with the same id. */
import { LRUCache } from 'lru-cache';
import type { AnswerError } from '../../src/features/satellites/wire/index.ts';

export type Answer = { text: string; bytes: number; tookMs: number } | { code: AnswerError; message: string };

/** An activity that lost its worker comes back within minutes. */
const KEPT_MS = 10 * 60_000;
const MOST_ANSWERS = 500;
const MOST_BYTES = 64 * 1_048_576;

export function createAnswerStore(): LRUCache<string, Answer> {
  return new LRUCache<string, Answer>({
    max: MOST_ANSWERS,
    maxSize: MOST_BYTES,
    ttl: KEPT_MS,
    sizeCalculation: (answer) => 200 + ('text' in answer ? answer.text.length : answer.message.length),
  });
}
