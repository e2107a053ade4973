/** Sends a message to a monitoring agent and streams its answer. */
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { api, dataOf, type Schema } from '../../api/client.ts';

export interface TalkListener {
  /** The agent's id, as soon as it is known. */
  onAgent?: (agentId: string) => void;
  /** The whole answer so far. */
  onText?: (text: string) => void;
}

type Wanted = Pick<Schema<'MonitoringChatRequest'>, 'message' | 'chat_id' | 'title'>;

/**
 * @returns when the answer is complete; the agent keeps working even if nobody reads on
 * @throws {ApiError} if it is refused; {Error} with what the agent says went wrong
 */
export async function talk(wanted: Wanted, listener: TalkListener, signal?: AbortSignal): Promise<void> {
  const body = await dataOf(
    api.POST('/api/monitoring-chat', {
      params: { query: { stream: true } },
      body: wanted,
      parseAs: 'stream',
      ...(signal && { signal }),
    }),
  );
  if (body === null) throw new Error('The agent did not answer.');
  const events = body
    .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array<ArrayBuffer>>)
    .pipeThrough(new EventSourceParserStream())
    .getReader();
  let text = '';
  for (;;) {
    const { done, value } = await events.read();
    if (done) return;
    const event = partOf(value.data);
    if (typeof event['chatId'] === 'string') listener.onAgent?.(event['chatId']);
    if (event['type'] === 'text-delta' && typeof event['delta'] === 'string') {
      text += event['delta'];
      listener.onText?.(text);
    }
    if (event['type'] === 'error') {
      throw new Error(typeof event['errorText'] === 'string' ? event['errorText'] : 'The agent could not answer.');
    }
  }
}

/** The text of one event; nothing for the end marker. */
function partOf(data: string): Record<string, unknown> {
  if (data === '[DONE]') return {};
  const part: unknown = JSON.parse(data);
  return typeof part === 'object' && part !== null ? { ...part } : {};
}
