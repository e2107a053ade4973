/** The events about one request in the event log, between the caller and the node that holds the connection. */
import { z } from 'zod';
import type { LogEvent, NewEvent } from '../../../platform/event-log/index.ts';
import { ANSWER_ERRORS, requestMessage } from '@casebook/wire';

/** The stream of one request. */
export const replyStream = (requestId: string): string => `satellite-reply:${requestId}`;

/** A request in a node's inbox. */
export const inboxRequest = z.object({
  satelliteId: z.uuid(),
  /** The intended connection: another one must not get it, because its caller repeats the request itself. */
  connectionId: z.uuid(),
  attempt: z.number().int().min(1),
  /** When the caller gives up, unix ms. */
  deadline: z.number(),
  request: requestMessage,
});
export const inboxCancel = z.object({ satelliteId: z.uuid(), requestId: z.uuid() });
export type InboxRequest = z.output<typeof inboxRequest>;
export type InboxCancel = z.output<typeof inboxCancel>;

const replyEvents = z.discriminatedUnion('type', [
  /** The caller has sent it to a connection. Only when others may take over the waiting. */
  z.object({ type: z.literal('sent'), connectionId: z.uuid(), instance: z.uuid() }),
  z.object({ type: z.literal('part'), index: z.number().int().min(0), text: z.string() }),
  z.object({ type: z.literal('end'), parts: z.number().int().min(1), tookMs: z.number() }),
  z.object({ type: z.literal('error'), code: z.enum(ANSWER_ERRORS), message: z.string() }),
  z.object({ type: z.literal('dropped') }),
]);
export type ReplyEvent = z.output<typeof replyEvents>;

/** In the form for appending: its key makes a repeated append harmless. */
export function replyEvent(attempt: number, { type, ...data }: ReplyEvent): NewEvent {
  const part = type === 'part' && 'index' in data ? `:${data.index}` : '';
  return { type, data: { attempt, ...data }, key: `${attempt}:${type}${part}` };
}

/** In the form it is read. @throws when the log holds something else, which only we could have put there */
export function readReplyEvent({ type, data }: LogEvent): { attempt: number; event: ReplyEvent } {
  return { attempt: z.number().parse(data['attempt']), event: replyEvents.parse({ ...data, type }) };
}
