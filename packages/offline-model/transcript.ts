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

/** A person's message, or a note of the agent loop. */
export interface Remark {
  turn: number;
  text: string;
  fromPerson: boolean;
}

export interface Transcript {
  /** The turn to write, from 0. */
  turn: number;
  /** The text in `<query>` of the first message. */
  query?: string;
  remarks: Remark[];
  calls: Call[];
}

const QUERY = /<query>([\s\S]*)<\/query>/;
const PERSON = /<user_message>([\s\S]*)<\/user_message>/;
const FRAME =
  /^<tool_result evidence="(\d+)" tool="[^"<>\n]*" characters="\d+" shown="\d+-\d+">\n([\s\S]*)\n<\/tool_result>/u;
/** Data that looks like the frame's tag is escaped with a backslash. */
const ESCAPED_TAG = /<\\(\\*)((?:\s{0,8}\/)?\s{0,8}tool_result)/giu;

export function readTranscript(messages: Anthropic.MessageParam[]): Transcript {
  const transcript: Transcript = { turn: 0, remarks: [], calls: [] };
  const open = new Map<string, Omit<Call, 'isError' | 'body'>>();
  for (const [index, message] of messages.entries()) {
    const blocks: Anthropic.ContentBlockParam[] =
      typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content;
    for (const block of blocks) {
      if (block.type === 'tool_use') {
        open.set(block.id, { id: block.id, tool: block.name, input: asObject(block.input), turn: transcript.turn });
      } else if (block.type === 'tool_result') {
        const call = open.get(block.tool_use_id);
        if (call) transcript.calls.push({ ...call, ...readResult(block) });
      } else if (block.type === 'text' && message.role === 'user') {
        if (index === 0) transcript.query ??= QUERY.exec(block.text)?.[1]?.trim();
        else transcript.remarks.push({ turn: transcript.turn, ...readRemark(block.text) });
      }
    }
    if (message.role === 'assistant') transcript.turn += 1;
  }
  return transcript;
}

function readRemark(text: string): Pick<Remark, 'text' | 'fromPerson'> {
  const message = PERSON.exec(text)?.[1];
  return message === undefined ? { text, fromPerson: false } : { text: message.trim(), fromPerson: true };
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
