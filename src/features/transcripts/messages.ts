/** The transcript as the Messages API takes it, built from what is stored: a pure function of the rows. */
import type { ContentBlockParam, MessageParam } from '../../platform/anthropic/port.ts';
import type { ModelTurn, ToolCall, UserMessage } from './entities.ts';

export interface TranscriptRows {
  opening: string;
  /** By step, ascending. */
  turns: Pick<ModelTurn, 'step' | 'note' | 'content'>[];
  /** By evidence, ascending. */
  toolCalls: Pick<ToolCall, 'step' | 'toolUseId' | 'isError' | 'view'>[];
  /** By time; those with a delivered step are placed before that step's turn. */
  userMessages: Pick<UserMessage, 'id' | 'text' | 'deliveredStep'>[];
}

type Message = MessageParam & { content: ContentBlockParam[] };

/**
 * @param rows everything up to, but not including, the turn to be asked for
 * @param next the turn to be asked for, and what the loop says before it
 * @returns alternating messages, the last one from the user
 */
export function buildMessages(rows: TranscriptRows, next: { step: number; note?: string }): MessageParam[] {
  const messages: Message[] = [{ role: 'user', content: [text(rows.opening)] }];
  let previous = 0;
  for (const turn of rows.turns) {
    say(messages, 'user', spokenBetween(rows, previous, turn.step, turn.note ?? undefined));
    previous = turn.step;
    say(messages, 'assistant', turn.content);
    say(messages, 'user', rows.toolCalls.filter((call) => call.step === turn.step).map(toolResult));
  }
  say(messages, 'user', spokenBetween(rows, previous, next.step, next.note));
  // An empty answer leaves two user messages behind each other, which `say` joins; the API wants the user last.
  if (messages.at(-1)?.role !== 'user') say(messages, 'user', [text('Go on.')]);
  return messages;
}

/** A step may have been cut off before its turn was stored; what it was to read is read by the next one. */
function spokenBetween(
  rows: TranscriptRows,
  after: number,
  step: number,
  note: string | undefined,
): ContentBlockParam[] {
  const heard = rows.userMessages.filter(
    ({ deliveredStep }) => deliveredStep !== null && deliveredStep > after && deliveredStep <= step,
  );
  return [...heard.map((message) => text(personSays(message.text))), ...(note ? [text(note)] : [])];
}

function personSays(message: string): string {
  return `<user_message>\n${message}\n</user_message>`;
}

function toolResult(call: TranscriptRows['toolCalls'][number]): ContentBlockParam {
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
function say(messages: Message[], role: 'user' | 'assistant', blocks: ContentBlockParam[]): void {
  if (blocks.length === 0) return;
  const last = messages.at(-1);
  if (last?.role === role) last.content.push(...blocks);
  else messages.push({ role, content: [...blocks] });
}
