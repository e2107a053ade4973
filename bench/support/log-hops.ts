/** Round-trip time of the event log alone: a request appended by one process, answered by another. */
import { randomUUID } from 'node:crypto';
import { createEventLog, type EventLog, type NewEvent } from '../../src/platform/event-log/index.ts';
import { createLogger } from '../../src/platform/logger.ts';

export interface LogHops {
  /** One question and its answer, as a query of a satellite has them; nothing is done in between. */
  ask(): Promise<void>;
  close(): Promise<void>;
}

const INBOX = 'bench-inbox';
const replyOf = (id: string): string => `bench-reply:${id}`;

export function openLogHops(options: { databaseUrl: string; redisUrl?: string }): LogHops {
  const log = createLogger({ name: 'bench', level: 'warn' });
  const asker: EventLog = createEventLog({ ...options, log });
  const holder: EventLog = createEventLog({ ...options, log });
  const ending = new AbortController();
  const answering = answerAll(holder, ending.signal);
  return {
    async ask() {
      const id = randomUUID();
      const answered = firstEvent(asker, replyOf(id), ending.signal);
      await asker.append(INBOX, [{ type: 'request', data: { id } }]);
      await answered;
      void asker.remove([replyOf(id)]);
    },
    async close() {
      ending.abort();
      await answering;
      await Promise.all([asker.close(), holder.close()]);
    },
  };
}

async function answerAll(log: EventLog, signal: AbortSignal): Promise<void> {
  for await (const { data } of log.tail(INBOX, { signal })) {
    const answer: NewEvent[] = [
      { type: 'part', data: { text: 'answer' }, key: '1:part:0' },
      { type: 'end', data: {}, key: '1:end' },
    ];
    void log.append(replyOf(String(data['id'])), answer);
  }
}

async function firstEvent(log: EventLog, stream: string, signal: AbortSignal): Promise<void> {
  for await (const _ of log.tail(stream, { signal })) return;
}
