import type { UIMessage } from 'ai';
import { SdkChat, type SdkOptions } from '../../../support/chat-ai-sdk.ts';
import { createParser } from 'eventsource-parser';
import type { UiChunk } from '../../../../src/features/chats/stream/chunks.ts';
import type { Chats, Detail, StreamedEvent } from '../support.ts';

/** A chat of the SDK with the installation of a test. */
export const sdkChat = ({ harness }: Chats, options: Pick<SdkOptions, 'include' | 'goesOn'> = {}): SdkChat =>
  new SdkChat({ url: () => harness.url, apiKey: harness.apiKey, ...options });

type Kept = Detail['messages'][number];

/** The last answer of a chat, as it is stored. */
export async function storedAnswer(chats: Chats, chatId: string): Promise<Kept & { turn: NonNullable<Kept['turn']> }> {
  const { messages } = await chats.detail(chatId);
  const answer = messages.at(-1);
  if (!answer?.turn) throw new Error(`Chat ${chatId} has no answer.`);
  return { ...answer, turn: answer.turn };
}

/** The parts that are also stored. What is undefined goes, as it does on the wire, and the names of parts while they come. */
export function keptParts({ parts }: Pick<UIMessage, 'parts'>): unknown {
  const kept = parts.filter(({ type }) => !['step-start', 'data-citations', 'data-plan'].includes(type));
  return JSON.parse(
    JSON.stringify(kept.map((part) => (part.type === 'reasoning' ? { ...part, id: undefined } : part))),
  );
}

/** Of stored parts, those that everybody gets. */
export const words = ({ parts }: Kept): Kept['parts'] =>
  parts.filter(({ type }) => type === 'text' || type === 'reasoning');

/** The events of a stream, or of what is left of it, as they come. */
export async function* eventsOf(response: Response): AsyncGenerator<StreamedEvent> {
  if (!response.ok || !response.body) throw new Error(`The API answered ${response.status}: ${await response.text()}`);
  let arrived: StreamedEvent[] = [];
  const parser = createParser({ onEvent: ({ id = '', data }) => arrived.push({ id, data }) });
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    parser.feed(text);
    yield* arrived;
    arrived = [];
  }
}

export const chunksOf = (events: readonly StreamedEvent[]): UiChunk[] =>
  events.filter(({ data }) => data !== '[DONE]').map(({ data }): UiChunk => JSON.parse(data));
