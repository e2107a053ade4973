import { Conflict, HttpError, InvalidRequest, NotFound } from '../../http/errors.ts';

export const chatNotFound = (): NotFound => new NotFound('Chat not found.');

/** Nobody knows when the running turn will end, so callers retry soon. */
const RETRY_SECONDS = '2';

export const turnIsRunning = (chatId: string): Conflict =>
  new Conflict('A turn of this chat is running. Wait for it to end, follow its stream, or cancel it.', 'turn_running', {
    headers: { 'Retry-After': RETRY_SECONDS },
    fields: { chat_id: chatId },
  });

export const noTurnIsRunning = (): Conflict => new Conflict('No turn of this chat is running.', 'no_turn_running');

export const isMonitoringAgent = (chatId: string): Conflict =>
  new Conflict(
    `This chat belongs to a monitoring agent. Delete the agent at /api/monitoring-chat/${chatId}, which deletes the chat too.`,
    'monitoring_agent',
    { fields: { chat_id: chatId } },
  );

export const sideEffectsOfMonitoring = (): InvalidRequest =>
  InvalidRequest.at(['body', 'allow_side_effects'], 'A monitoring agent cannot have side effects', true);

export const otherRequest = (chatId: string): Conflict =>
  new Conflict(
    'Last-Event-ID belongs to a turn that another request started. Repeat that request, or omit the header.',
    'other_request',
    {
      fields: { chat_id: chatId },
    },
  );

export const positionLost = (chatId: string): Conflict =>
  new Conflict('The position of Last-Event-ID is no longer known. Try again without it.', 'position_lost', {
    fields: { chat_id: chatId },
  });

/** The response to a caller who waited for a turn that failed. */
export function turnWithoutAnswer(turn: { chatId: string; status: string; explanation: string | null }): HttpError {
  const fields = { chat_id: turn.chatId };
  if (turn.status === 'cancelled') return new Conflict('The turn was cancelled.', 'turn_cancelled', { fields });
  return new HttpError(502, 'turn_failed', turn.explanation ?? 'The turn failed.', { fields });
}
