/** Ids of a tool call's requests to satellites: equal for every attempt at the call. */
import { uuidOf } from '../../../platform/uuid.ts';
import type { RequestTarget } from '@casebook/wire';

export type RequestIds = (satelliteId: string, target: RequestTarget) => string;

/**
 * A request's id is derived from the tool call, the target and the number of earlier requests to it, so that a retry
 * finds the answers of an earlier attempt, while a tool that asks the same twice gets two answers.
 */
export function requestIdsOf(toolCallId: string): RequestIds {
  const asked = new Map<string, number>();
  return (satelliteId, target) => {
    // Code builds the targets, so equal ones have their members in the same order.
    const question = JSON.stringify([toolCallId, satelliteId, target]);
    const occurrence = asked.get(question) ?? 0;
    asked.set(question, occurrence + 1);
    return uuidOf(`${occurrence} ${question}`);
  };
}
