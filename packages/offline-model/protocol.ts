/**
 * The server's side of the Anthropic Messages API: what a request must satisfy, and the events that carry an answer.
 * Source: platform.claude.com/docs, "Messages", "Streaming messages" and "Errors".
 */
import type Anthropic from '@anthropic-ai/sdk';

export type AnswerBlock =
  | { type: 'text'; text: string }
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'redacted_thinking'; data: string }
  /** `rawInput` is sent instead of `input`: JSON text that may be malformed. */
  | { type: 'tool_use'; id: string; name: string; input: unknown; rawInput?: string };

export interface AnswerUsage {
  input_tokens: number;
  output_tokens: number;
  cache_creation_input_tokens?: number;
  cache_read_input_tokens?: number;
}

export interface Answer {
  id: string;
  model: string;
  content: AnswerBlock[];
  stopReason: Anthropic.StopReason;
  usage: AnswerUsage;
}

export interface MessagesRequest {
  model: string;
  max_tokens: number;
  messages: Anthropic.MessageParam[];
  system?: string | Anthropic.TextBlockParam[];
  tools?: Anthropic.Tool[];
  tool_choice?: Anthropic.ToolChoice;
  thinking?: Anthropic.ThinkingConfigParam;
  stream?: boolean;
}

export interface StreamEvent {
  type: string;
  [field: string]: unknown;
}

export function answerMessage(answer: Answer): Record<string, unknown> {
  return {
    ...envelope(answer),
    content: answer.content.map((block) =>
      block.type === 'tool_use' ? { type: 'tool_use', id: block.id, name: block.name, input: block.input } : block,
    ),
    stop_reason: answer.stopReason,
    usage: answer.usage,
  };
}

/** The answer as the API streams it. */
export function* answerEvents(answer: Answer, deltaCharacters = 80): Generator<StreamEvent> {
  const start = { ...answer.usage, output_tokens: 1 };
  yield { type: 'message_start', message: { ...envelope(answer), content: [], stop_reason: null, usage: start } };
  yield { type: 'ping' };
  for (const [index, block] of answer.content.entries()) {
    yield { type: 'content_block_start', index, content_block: emptyBlock(block) };
    for (const delta of blockDeltas(block, deltaCharacters)) yield { type: 'content_block_delta', index, delta };
    yield { type: 'content_block_stop', index };
  }
  yield {
    type: 'message_delta',
    delta: { stop_reason: answer.stopReason, stop_sequence: null },
    usage: { output_tokens: answer.usage.output_tokens },
  };
  yield { type: 'message_stop' };
}

export function encodeEvent(event: StreamEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

export function errorBody(type: string, message: string): Record<string, unknown> {
  return { type: 'error', error: { type, message }, request_id: null };
}

function envelope(answer: Answer): Record<string, unknown> {
  return { id: answer.id, type: 'message', role: 'assistant', model: answer.model, stop_sequence: null };
}

function emptyBlock(block: AnswerBlock): Record<string, unknown> {
  if (block.type === 'text') return { type: 'text', text: '' };
  if (block.type === 'thinking') return { type: 'thinking', thinking: '', signature: '' };
  if (block.type === 'redacted_thinking') return { ...block };
  return { type: 'tool_use', id: block.id, name: block.name, input: {} };
}

function* blockDeltas(block: AnswerBlock, size: number): Generator<StreamEvent> {
  if (block.type === 'text') {
    for (const text of pieces(block.text, size)) yield { type: 'text_delta', text };
  } else if (block.type === 'thinking') {
    for (const thinking of pieces(block.thinking, size)) yield { type: 'thinking_delta', thinking };
    yield { type: 'signature_delta', signature: block.signature };
  } else if (block.type === 'tool_use') {
    yield { type: 'input_json_delta', partial_json: '' };
    const json = block.rawInput ?? JSON.stringify(block.input);
    for (const partial_json of pieces(json, size)) yield { type: 'input_json_delta', partial_json };
  }
}

/** Never splits a surrogate pair. */
function* pieces(text: string, size: number): Generator<string> {
  for (let from = 0; from < text.length;) {
    let to = Math.min(text.length, from + Math.max(2, size));
    const unit = text.charCodeAt(to - 1);
    if (to < text.length && unit >= 0xd800 && unit <= 0xdbff) to -= 1;
    yield text.slice(from, to);
    from = to;
  }
}
