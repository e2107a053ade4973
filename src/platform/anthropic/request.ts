/** Turns a {@link ModelRequest} into the body of a Messages API call. Pure. */
import type Anthropic from '@anthropic-ai/sdk';
import { takesForcedTool, thinkingOf } from './models.ts';
import type { ContentBlockParam, MessageParam, ModelRequest } from './port.ts';

/** The API's minimum for a fixed thinking budget. */
const MIN_THINKING_TOKENS = 1024;
const CACHE = { type: 'ephemeral' } as const;

type CacheableBlock = Exclude<ContentBlockParam, { type: 'thinking' | 'redacted_thinking' }>;

/**
 * The call's body. Prompt caching is on, with at most four breakpoints: the system prompt, the last tool and the last
 * two user messages (the earlier one because the API looks back only 20 blocks from a breakpoint, and a turn with many
 * parallel tool calls is longer).
 */
export function messagesBody(model: string, request: ModelRequest): Anthropic.MessageCreateParamsStreaming {
  const forced = request.toolChoice?.type === 'any' || request.toolChoice?.type === 'tool';
  return {
    model,
    max_tokens: request.maxTokens,
    stream: true,
    ...(request.system && { system: [{ type: 'text' as const, text: request.system, cache_control: CACHE }] }),
    messages: withCacheMarkers(request.messages),
    ...(request.tools.length > 0 && {
      tools: request.tools.map((tool, index) =>
        index === request.tools.length - 1 ? { ...tool, cache_control: CACHE } : tool,
      ),
      tool_choice: toolChoice(model, request.toolChoice, forced),
    }),
    thinking: thinking(model, forced, request.maxTokens),
  };
}

/** A model that rejects forced tools gets `auto`; the conversation must then ask for the tool in words. */
function toolChoice(model: string, choice: ModelRequest['toolChoice'], forced: boolean) {
  return choice && (!forced || takesForcedTool(model)) ? choice : ({ type: 'auto' } as const);
}

/** Forced tool use and thinking are mutually exclusive, and some models think by default. */
function thinking(model: string, forced: boolean, maxTokens: number): Anthropic.ThinkingConfigParam | undefined {
  const kind = thinkingOf(model);
  if (kind === 'none') return undefined;
  if (kind === 'always') return { type: 'adaptive', display: 'summarized' };
  if (forced) return { type: 'disabled' };
  if (kind === 'adaptive') return { type: 'adaptive', display: 'summarized' };
  if (maxTokens < 2 * MIN_THINKING_TOKENS) return { type: 'disabled' };
  return { type: 'enabled', budget_tokens: Math.floor(maxTokens / 2) };
}

function withCacheMarkers(messages: MessageParam[]): MessageParam[] {
  const marked = new Set(messages.flatMap((message, index) => (message.role === 'user' ? [index] : [])).slice(-2));
  return messages.map((message, index) => (marked.has(index) ? markLastBlock(message) : message));
}

function markLastBlock(message: MessageParam): MessageParam {
  if (message.role === 'system') return message;
  const blocks: ContentBlockParam[] =
    typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : [...message.content];
  const last = blocks.findLastIndex(isCacheable);
  const block = blocks[last];
  if (!block || !isCacheable(block)) return message;
  blocks[last] = { ...block, cache_control: CACHE };
  return { ...message, content: blocks };
}

/** Thinking blocks and empty text cannot carry a marker. */
function isCacheable(block: ContentBlockParam): block is CacheableBlock {
  if (block.type === 'thinking' || block.type === 'redacted_thinking') return false;
  return block.type !== 'text' || block.text.length > 0;
}
