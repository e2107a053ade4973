import type { EventLog, LogEvent } from '../../platform/event-log/port.ts';
import type { SseEvent } from '../../http/sse.ts';
import { conversationStream, FINAL_EVENT_TYPES } from '../runs/index.ts';

/**
 * The events of a run from a point on, ending with the run. A run that has ended is replayed without waiting for more.
 * @param afterId the last event the client has seen
 * @param ended whether the run had ended when the client asked
 * @param onEnd called before the run's last event is given out
 */
export async function* runEvents(
  log: EventLog,
  conversationId: string,
  options: { afterId?: string; ended: boolean; onEnd: () => void; signal: AbortSignal },
): AsyncGenerator<SseEvent> {
  const stream = conversationStream(conversationId);
  const { afterId, ended, onEnd, signal } = options;
  const found = ended ? everything(log, stream, afterId) : log.tail(stream, { afterId, signal });
  for await (const { id, type, data, at } of found) {
    const last = FINAL_EVENT_TYPES.has(type);
    if (last) onEnd();
    yield { id, event: type, data: { ...data, at: at.toISOString() } };
    if (last) return;
  }
}

async function* everything(log: EventLog, stream: string, from: string | undefined): AsyncGenerator<LogEvent> {
  for (let afterId = from; ;) {
    const page = await log.read(stream, { afterId, limit: 500 });
    yield* page;
    const last = page.at(-1);
    if (!last) return;
    afterId = last.id;
  }
}
