/** Sends one answer: its parts, then its end. */
import { MAX_PART_BYTES, type SatelliteMessage } from '@casebook/wire';
import type { Answer } from './answers.ts';
import { partsOf } from './parts.ts';

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
