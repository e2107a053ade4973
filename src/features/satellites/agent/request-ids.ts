/** Ids of the questions that one tool call asks satellites: equal for every attempt at the call. */
import { createHash } from 'node:crypto';
import type { RequestTarget } from '../wire/index.ts';

export type RequestIds = (satelliteId: string, target: RequestTarget) => string;

/**
 * A question's id follows from the tool call, the target and how often the call has asked it before, so that a repeated
 * attempt finds the answers of an earlier one, and a tool that asks the same twice gets two answers.
 * @returns ids as UUIDs of version 8 (RFC 9562, 5.8)
 */
export function requestIdsOf(toolCallId: string): RequestIds {
  const asked = new Map<string, number>();
  return (satelliteId, target) => {
    // Targets are made by code: equal ones have their members in the same order.
    const question = JSON.stringify([toolCallId, satelliteId, target]);
    const occurrence = asked.get(question) ?? 0;
    asked.set(question, occurrence + 1);
    const digest = createHash('sha256').update(`${occurrence} ${question}`).digest();
    digest[6] = (digest[6]! & 0x0f) | 0x80;
    digest[8] = (digest[8]! & 0x3f) | 0x80;
    const hex = digest.toString('hex');
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-');
  };
}
