import type { EventLog } from '../../platform/event-log/port.ts';
import type { SseEvent } from '../../http/sse.ts';
import { conversationStream, FINAL_EVENT_TYPES } from '../runs/index.ts';

/**
 * The events of a run from a point on, ending with the run. A run that has ended is replayed without waiting for more.
 * @param afterId the last event the client has seen
 * @param ended whether the run had ended when the client asked
 */
export async function* runEvents(
  log: EventLog,
  conversationId: string,
  options: { afterId?: string; ended: boolean; signal: AbortSignal },
): AsyncGenerator<SseEvent> {
  const stream = conversationStream(conversationId);
  if (options.ended) {
    let { afterId } = options;
    for (;;) {
      const page = await log.read(stream, { afterId, limit: 500 });
      if (page.length === 0) return;
      for (const { id, type, data, at } of page) yield { id, event: type, data: { ...data, at: at.toISOString() } };
      afterId = page.at(-1)!.id;
    }
  }
  for await (const { id, type, data, at } of log.tail(stream, { afterId: options.afterId, signal: options.signal })) {
    yield { id, event: type, data: { ...data, at: at.toISOString() } };
    if (FINAL_EVENT_TYPES.has(type)) return;
  }
}
