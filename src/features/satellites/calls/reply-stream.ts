/** What is said about one question in the event log, between whoever asks and the node that holds the connection. */
import { z } from 'zod';
import type { LogEvent, NewEvent } from '../../../platform/event-log/index.ts';
import { ANSWER_ERRORS, requestMessage } from '@casebook/wire';

/** The stream of one question. */
export const replyStream = (requestId: string): string => `satellite-reply:${requestId}`;

/** A request in a node's inbox. */
export const inboxRequest = z.object({
  satelliteId: z.uuid(),
  /** The connection it was meant for: another one is not to get it, because its asker asks again by itself. */
  connectionId: z.uuid(),
  attempt: z.number().int().min(1),
  /** When nobody waits any more, unix ms. */
  deadline: z.number(),
  request: requestMessage,
});
export const inboxCancel = z.object({ satelliteId: z.uuid(), requestId: z.uuid() });
export type InboxRequest = z.output<typeof inboxRequest>;
export type InboxCancel = z.output<typeof inboxCancel>;

const replyEvents = z.discriminatedUnion('type', [
  /** Whoever asks has sent it to a connection. Only where others may take over the waiting. */
  z.object({ type: z.literal('sent'), connectionId: z.uuid(), instance: z.uuid() }),
  z.object({ type: z.literal('part'), index: z.number().int().min(0), text: z.string() }),
  z.object({ type: z.literal('end'), parts: z.number().int().min(1), tookMs: z.number() }),
  z.object({ type: z.literal('error'), code: z.enum(ANSWER_ERRORS), message: z.string() }),
  z.object({ type: z.literal('dropped') }),
]);
export type ReplyEvent = z.output<typeof replyEvents>;

/** As it is appended: its key makes a repeated append harmless. */
export function replyEvent(attempt: number, { type, ...data }: ReplyEvent): NewEvent {
  const part = type === 'part' && 'index' in data ? `:${data.index}` : '';
  return { type, data: { attempt, ...data }, key: `${attempt}:${type}${part}` };
}

/** As it is read. @throws when the log holds something else, which nobody but us could have put there */
export function readReplyEvent({ type, data }: LogEvent): { attempt: number; event: ReplyEvent } {
  return { attempt: z.number().parse(data['attempt']), event: replyEvents.parse({ ...data, type }) };
}
