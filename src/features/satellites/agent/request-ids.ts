/** Ids of the questions that one tool call asks satellites: equal for every attempt at the call. */
import { uuidOf } from '../../../platform/uuid.ts';
import type { RequestTarget } from '@casebook/wire';

export type RequestIds = (satelliteId: string, target: RequestTarget) => string;

/**
 * A question's id follows from the tool call, the target and how often the call has asked it before, so that a repeated
 * attempt finds the answers of an earlier one, and a tool that asks the same twice gets two answers.
 */
export function requestIdsOf(toolCallId: string): RequestIds {
  const asked = new Map<string, number>();
  return (satelliteId, target) => {
    // Targets are made by code: equal ones have their members in the same order.
    const question = JSON.stringify([toolCallId, satelliteId, target]);
    const occurrence = asked.get(question) ?? 0;
    asked.set(question, occurrence + 1);
    return uuidOf(`${occurrence} ${question}`);
  };
}
