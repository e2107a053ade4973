/** The transcript as the Messages API takes it, built from what is stored: a pure function of the rows. */
import type { ContentBlock, ContentBlockParam, MessageParam } from '../../platform/anthropic/port.ts';
import type { Message, ModelTurn, ToolCall } from './entities.ts';

export interface TranscriptRows {
  /** The first user message; null for a dialogue. */
  opening: string | null;
  /** What stands for everything before the other rows, if the conversation was compacted. */
  summary?: string | null;
  /** By step, ascending. */
  turns: Pick<ModelTurn, 'step' | 'note' | 'content'>[];
  /** By evidence, ascending. */
  toolCalls: Pick<ToolCall, 'step' | 'evidence' | 'name' | 'digest' | 'toolUseId' | 'isError' | 'view'>[];
  /** By time; those with a delivered step are placed before that step's turn. */
  messages: Pick<Message, 'id' | 'role' | 'text' | 'context' | 'deliveredStep'>[];
}

type Said = MessageParam & { content: ContentBlockParam[] };

/**
 * @param rows everything up to, but not including, the turn to be asked for
 * @param next the turn to be asked for, and what the loop says before it
 * @returns alternating messages, the first and the last one from the user
 */
export function buildMessages(rows: TranscriptRows, next: { step: number; note?: string }): MessageParam[] {
  const said: Said[] = [];
  if (rows.opening !== null) say(said, 'user', [text(rows.opening)]);
  if (rows.summary) say(said, 'user', [text(rows.summary)]);
  let previous = 0;
  for (const turn of rows.turns) {
    sayBetween(said, rows, previous, turn.step, turn.note ?? undefined);
    previous = turn.step;
    say(said, 'assistant', sendable(turn.content));
    say(said, 'user', rows.toolCalls.filter((call) => call.step === turn.step).map(toolResult));
  }
  sayBetween(said, rows, previous, next.step, next.note);
  // An empty answer leaves two user messages behind each other, which `say` joins; the API wants the user last.
  if (said.at(-1)?.role !== 'user') say(said, 'user', [text('Go on.')]);
  return said;
}

/** A step may have been cut off before its turn was stored; what it was to read is read by the next one. */
function sayBetween(said: Said[], rows: TranscriptRows, after: number, step: number, note: string | undefined): void {
  for (const message of rows.messages) {
    const { deliveredStep, role, context } = message;
    if (deliveredStep === null || deliveredStep <= after || deliveredStep > step) continue;
    // In a dialogue people are simply heard; in a run they break in, and the model must see who speaks.
    const words = rows.opening === null ? message.text : personSays(message.text);
    say(said, role, [...(context ? [text(context)] : []), text(words)]);
  }
  if (note) say(said, 'user', [text(note)]);
}

/** What the API takes back of an answer: no blank text, and nothing of one that only thought. */
function sendable(content: ContentBlock[]): ContentBlock[] {
  const blocks = content.filter((block) => block.type !== 'text' || block.text.trim() !== '');
  return blocks.some(({ type }) => type !== 'thinking' && type !== 'redacted_thinking') ? blocks : [];
}

function personSays(message: string): string {
  return `<user_message>\n${message}\n</user_message>`;
}

function toolResult(call: Pick<ToolCall, 'toolUseId' | 'isError' | 'view'>): ContentBlockParam {
  return {
    type: 'tool_result',
    tool_use_id: call.toolUseId,
    is_error: call.isError,
    // A run that was cut short between two steps leaves calls without a result; the API wants one for each.
    content: [text(call.view ?? 'The call was not made.')],
  };
}

function text(value: string): { type: 'text'; text: string } {
  return { type: 'text', text: value };
}

/** Adds blocks to the conversation; two messages of one role become one, since the API wants them to alternate. */
function say(said: Said[], role: 'user' | 'assistant', blocks: ContentBlockParam[]): void {
  if (blocks.length === 0) return;
  const last = said.at(-1);
  if (last?.role === role) {
    last.content.push(...blocks);
    return;
  }
  if (!last && role === 'assistant') said.push({ role: 'user', content: [text('(The conversation so far:)')] });
  said.push({ role, content: [...blocks] });
}
