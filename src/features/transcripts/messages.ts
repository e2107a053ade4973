/** Builds the transcript in the form of the Messages API: a pure function of the rows. */
import type { ContentBlock, ContentBlockParam, MessageParam } from '../../platform/anthropic/port.ts';
import type { Message, ModelTurn, ToolCall } from './entities.ts';

export interface TranscriptRows {
  /** The first user message; null for a dialogue. */
  opening: string | null;
  /** Replaces everything before the other rows if the conversation was compacted. */
  summary?: string | null;
  /** By step, ascending. */
  turns: Pick<ModelTurn, 'step' | 'note' | 'content'>[];
  /** By evidence, ascending. */
  toolCalls: Pick<ToolCall, 'step' | 'evidence' | 'name' | 'digest' | 'toolUseId' | 'isError' | 'view'>[];
  /** By time; those with a delivered step go before that step's turn. */
  messages: Pick<Message, 'id' | 'role' | 'text' | 'context' | 'deliveredStep'>[];
}

type Said = MessageParam & { content: ContentBlockParam[] };

/**
 * @param rows everything before the turn to be requested
 * @param next the turn to be requested, and the loop's note before it
 * @returns alternating messages that start and end with the user's
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
  // An empty answer leaves two consecutive user messages, which `say` joins; the API wants the user last.
  if (said.at(-1)?.role !== 'user') say(said, 'user', [text('Go on.')]);
  return said;
}

/** A step may have been cut off before its turn was stored; the next one reads its messages. */
function sayBetween(said: Said[], rows: TranscriptRows, after: number, step: number, note: string | undefined): void {
  for (const message of rows.messages) {
    const { deliveredStep, role, context } = message;
    if (deliveredStep === null || deliveredStep <= after || deliveredStep > step) continue;
    // In a dialogue people simply speak; in a run they interrupt, and the model must see who is speaking.
    const words = rows.opening === null ? message.text : personSays(message.text);
    say(said, role, [...(context ? [text(context)] : []), text(words)]);
  }
  if (note) say(said, 'user', [text(note)]);
}

/** What the API accepts back of an answer: no blank text, and nothing of one that only thought. */
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
    // A run cut short between two steps leaves calls without a result; the API wants one for each.
    content: [text(call.view ?? 'The call was not made.')],
  };
}

function text(value: string): { type: 'text'; text: string } {
  return { type: 'text', text: value };
}

/** Appends blocks, merging consecutive messages of one role, since the API wants them to alternate. */
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
