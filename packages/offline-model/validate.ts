/** Refuses what the Messages API refuses, so that a client that passes here passes there. */
import type Anthropic from '@anthropic-ai/sdk';
import type { MessagesRequest } from './protocol.ts';

const MAX_CACHE_BREAKPOINTS = 4;

/** @returns the request, or the message of an `invalid_request_error` */
export function parseRequest(body: unknown): MessagesRequest | string {
  if (!isRequestShaped(body)) return 'model, max_tokens and messages are required';
  return (
    maxTokensFault(body) ??
    cacheFault(body) ??
    toolFault(body) ??
    body.messages.map(messageFault).find(Boolean) ??
    repeatedId(body) ??
    body
  );
}

function isRequestShaped(body: unknown): body is MessagesRequest {
  return (
    typeof body === 'object' &&
    body !== null &&
    'model' in body &&
    typeof body.model === 'string' &&
    'max_tokens' in body &&
    typeof body.max_tokens === 'number' &&
    'messages' in body &&
    Array.isArray(body.messages) &&
    body.messages.length > 0
  );
}

function maxTokensFault(body: MessagesRequest): string | undefined {
  if (!Number.isInteger(body.max_tokens) || body.max_tokens < 1) return 'max_tokens: must be at least 1';
  if (body.thinking?.type !== 'enabled') return undefined;
  const budget = body.thinking.budget_tokens;
  return budget >= 1024 && budget < body.max_tokens
    ? undefined
    : 'thinking.budget_tokens: must be at least 1024 and less than max_tokens';
}

function cacheFault(body: MessagesRequest): string | undefined {
  const count = JSON.stringify([body.system, body.tools, body.messages]).split('"cache_control":{').length - 1;
  return count > MAX_CACHE_BREAKPOINTS
    ? `A maximum of ${MAX_CACHE_BREAKPOINTS} blocks with cache_control may be provided. Found ${count}.`
    : undefined;
}

function toolFault(body: MessagesRequest): string | undefined {
  const names = (body.tools ?? []).map((tool) => tool.name);
  if (new Set(names).size < names.length) return 'tools: Tool names must be unique.';
  const choice = body.tool_choice;
  if (!choice) return undefined;
  if (names.length === 0) return 'tool_choice: may only be specified while providing tools';
  if (choice.type === 'tool' && !names.includes(choice.name)) return `tool_choice: Tool '${choice.name}' not found`;
  const thinks = body.thinking?.type === 'enabled' || body.thinking?.type === 'adaptive';
  return thinks && (choice.type === 'any' || choice.type === 'tool')
    ? 'Thinking may not be enabled when tool_choice forces tool use.'
    : undefined;
}

function messageFault(
  message: Anthropic.MessageParam,
  index: number,
  all: Anthropic.MessageParam[],
): string | undefined {
  const where = `messages.${index}`;
  if (index === 0 && message.role !== 'user') return `${where}: first message must use the "user" role`;
  const blocks = blocksOf(message);
  if (blocks.length === 0) return `${where}: all messages must have non-empty content`;
  if (blocks.some((block) => block.type === 'text' && block.text === '')) {
    return `${where}: text content blocks must be non-empty`;
  }
  const previous = all[index - 1];
  const calls = previous?.role === 'assistant' ? idsOf(blocksOf(previous), 'tool_use') : [];
  const results = idsOf(blocks, 'tool_result');
  const missing = calls.find((id) => !results.includes(id));
  if (missing) return `${where}: \`tool_use\` id without a \`tool_result\` block immediately after: ${missing}`;
  const unknown = results.find((id) => !calls.includes(id));
  if (unknown) return `${where}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${unknown}`;
  return undefined;
}

function repeatedId(body: MessagesRequest): string | undefined {
  const ids = body.messages.flatMap((message) => idsOf(blocksOf(message), 'tool_use'));
  if (new Set(ids).size === ids.length) return undefined;
  return `messages: \`tool_use\` ids must be unique: ${ids.find((id, at) => ids.indexOf(id) !== at)}`;
}

function blocksOf(message: Anthropic.MessageParam): Anthropic.ContentBlockParam[] {
  return typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content;
}

function idsOf(blocks: Anthropic.ContentBlockParam[], type: 'tool_use' | 'tool_result'): string[] {
  return blocks.flatMap((block) => {
    if (block.type !== type) return [];
    return [block.type === 'tool_use' ? block.id : block.tool_use_id];
  });
}
