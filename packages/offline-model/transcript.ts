/** Reads a conversation of the Messages API: calls with their results, and what people said. */
import type Anthropic from '@anthropic-ai/sdk';

export interface Call {
  id: string;
  tool: string;
  input: Record<string, unknown>;
  /** Assistant turn that made it, from 0. */
  turn: number;
  isError: boolean;
  /** Number to cite the result by; absent when the result is not framed. */
  evidence?: number;
  /** The part of the stored result that was shown. */
  body: string;
}

/** A person's message, word for word. */
export interface Message {
  text: string;
  /** What a chat adds to it: the time, a subject. */
  context: string;
  /** The first assistant turn that read it, from 0. */
  turn: number;
}

export interface Transcript {
  /** The turn to write, from 0. */
  turn: number;
  /** The first message. */
  opening: string;
  /** What people wrote, without the opening. */
  messages: Message[];
  calls: Call[];
}

/** Marks a person's message in a run; in a chat, a context comes before each. */
const PERSON = /^<user_message>\n([\s\S]*)\n<\/user_message>$/;
const CONTEXT = /^<context>\n([\s\S]*?)\n<\/context>$/;
/** A compacted chat begins with a summary. The question follows it if that was compacted too. */
const SUMMARY = /^<summary>[\s\S]*<\/summary>\n(<context>[\s\S]*?<\/context>)\n([\s\S]*)$/;
const FRAME =
  /^<tool_result evidence="(\d+)" tool="[^"<>\n]*" characters="\d+" shown="\d+-\d+">\n([\s\S]*)\n<\/tool_result>/u;
/** Data that looks like the frame's tag is escaped with a backslash. */
const ESCAPED_TAG = /<\\(\\*)((?:\s{0,8}\/)?\s{0,8}tool_result)/giu;

export function readTranscript(messages: Anthropic.MessageParam[]): Transcript {
  const transcript: Transcript = { turn: 0, opening: '', messages: [], calls: [] };
  const open = new Map<string, Omit<Call, 'isError' | 'body'>>();
  for (const [index, { role, content }] of messages.entries()) {
    const blocks: Anthropic.ContentBlockParam[] =
      typeof content === 'string' ? [{ type: 'text', text: content }] : content;
    for (const block of blocks) {
      if (block.type === 'tool_use') {
        open.set(block.id, { id: block.id, tool: block.name, input: asObject(block.input), turn: transcript.turn });
      } else if (block.type === 'tool_result') {
        const call = open.get(block.tool_use_id);
        if (call) transcript.calls.push({ ...call, ...readResult(block) });
      }
    }
    if (role === 'assistant') {
      transcript.turn += 1;
      continue;
    }
    const texts = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : []));
    if (index === 0) transcript.opening = texts[0] ?? '';
    transcript.messages.push(...messagesIn(texts, transcript.turn));
  }
  return transcript;
}

/** Notes of the agent loop are unmarked, so they are skipped. */
function messagesIn(texts: readonly string[], turn: number): Message[] {
  const messages: Message[] = [];
  let context: string | undefined;
  for (const text of texts.flatMap((one) => SUMMARY.exec(one)?.slice(1) ?? [one])) {
    if (context !== undefined) {
      messages.push({ text, context, turn });
      context = undefined;
    } else {
      context = CONTEXT.exec(text)?.[1];
      const [, spoken] = PERSON.exec(text) ?? [];
      if (spoken !== undefined) messages.push({ text: spoken, context: '', turn });
    }
  }
  return messages;
}

function readResult(block: Anthropic.ToolResultBlockParam) {
  const text = typeof block.content === 'string' ? block.content : (block.content ?? []).map(textOf).join('');
  const isError = block.is_error ?? false;
  const [, evidence, data] = FRAME.exec(text) ?? [];
  if (data === undefined) return { isError, body: text };
  return { isError, evidence: Number(evidence), body: data.replace(ESCAPED_TAG, '<$1$2') };
}

function textOf(block: { type: string; text?: unknown }): string {
  return block.type === 'text' && typeof block.text === 'string' ? block.text : '';
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
