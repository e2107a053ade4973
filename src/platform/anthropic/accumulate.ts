/**
 * Assembles a message from stream events. The SDK's own accumulator completes truncated tool input by guessing and
 * throws away a message whose tool input is malformed; here the text is kept, so that the agent can be told.
 */
import type Anthropic from '@anthropic-ai/sdk';
import { INVALID_JSON_KEY, type ContentBlock, type ModelDelta, type ModelUsage, type StopReason } from './port.ts';

/** The message assembled so far. */
interface AccumulatedMessage {
  model: string;
  content: ContentBlock[];
  stopReason: StopReason | null;
  usage: ModelUsage;
  /** True once `message_stop` arrived: only then is the message complete. */
  complete: boolean;
}

/** Collects the events of one message; {@link add} returns what a reader may be shown. */
export class MessageAccumulator {
  readonly message: AccumulatedMessage = {
    model: '',
    content: [],
    stopReason: null,
    usage: { inputTokens: 0, outputTokens: 0, cacheCreationInputTokens: 0, cacheReadInputTokens: 0 },
    complete: false,
  };
  /** Tool input as received, by block index. */
  readonly #inputs = new Map<number, string>();

  add(event: Anthropic.RawMessageStreamEvent): ModelDelta | undefined {
    switch (event.type) {
      case 'message_start':
        this.message.model = event.message.model;
        this.#count(event.message.usage);
        return undefined;
      case 'content_block_start':
        this.message.content[event.index] = { ...event.content_block };
        return event.content_block.type === 'tool_use'
          ? { kind: 'tool_call', name: event.content_block.name }
          : undefined;
      case 'content_block_delta':
        return this.#delta(event.index, event.delta);
      case 'message_delta':
        this.message.stopReason = event.delta.stop_reason ?? this.message.stopReason;
        this.#count(event.usage);
        return undefined;
      case 'message_stop':
        this.#finishInputs();
        this.message.complete = true;
        return undefined;
      default:
        return undefined;
    }
  }

  #delta(index: number, delta: Anthropic.RawContentBlockDelta): ModelDelta | undefined {
    const block = this.message.content[index];
    if (!block) return undefined;
    if (delta.type === 'text_delta' && block.type === 'text') {
      block.text += delta.text;
      return { kind: 'text', text: delta.text };
    }
    if (delta.type === 'thinking_delta' && block.type === 'thinking') {
      block.thinking += delta.thinking;
      return { kind: 'thinking', text: delta.thinking };
    }
    if (delta.type === 'signature_delta' && block.type === 'thinking') block.signature = delta.signature;
    if (delta.type === 'citations_delta' && block.type === 'text') {
      block.citations = [...(block.citations ?? []), delta.citation];
    }
    if (delta.type === 'input_json_delta') {
      this.#inputs.set(index, (this.#inputs.get(index) ?? '') + delta.partial_json);
    }
    return undefined;
  }

  #finishInputs(): void {
    for (const [index, text] of this.#inputs) {
      const block = this.message.content[index];
      if (block && 'input' in block && text !== '') block.input = parseInput(text);
    }
  }

  /** Counts are running totals; absent ones have not changed. */
  #count(usage: Anthropic.Usage | Anthropic.MessageDeltaUsage): void {
    const sum = this.message.usage;
    sum.inputTokens = usage.input_tokens ?? sum.inputTokens;
    sum.outputTokens = usage.output_tokens ?? sum.outputTokens;
    sum.cacheCreationInputTokens = usage.cache_creation_input_tokens ?? sum.cacheCreationInputTokens;
    sum.cacheReadInputTokens = usage.cache_read_input_tokens ?? sum.cacheReadInputTokens;
  }
}

/** Tool input must be an object; anything else is kept as text under {@link INVALID_JSON_KEY}. */
function parseInput(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // Malformed JSON is kept as received.
  }
  return { [INVALID_JSON_KEY]: text };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
