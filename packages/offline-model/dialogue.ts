/** What people asked in a chat of the Messages API. */
import type Anthropic from '@anthropic-ai/sdk';

/** A person's message, word for word. */
export interface Question {
  text: string;
  /** What the chat adds to it: the time, a subject. */
  context: string;
  /** Number of the first assistant turn that read it, from 0. */
  turn: number;
}

/** The agent loop's own notes begin with one of these; a person's words follow a context. */
const NOTES = [
  'Go on.',
  '(The conversation so far:)',
  'Your answer was cut off because it was too long.',
  'You ended your turn without ',
  'You ended your turn several times without ',
  'You keep making the same tool call',
  'The limit of steps for this run is reached.',
  'The cost budget of this run is used up.',
  'The time budget of this run is used up.',
  'The model refused to go on.',
  'The model could not be reached.',
];
const CONTEXT = /^<context>\n?([\s\S]*?)\n?<\/context>\s*$/;
const SUMMARY_END = '</summary>';

/**
 * @param concluding the loop asks for the final answer: its last words are a note, however they are phrased
 */
export function readQuestions(messages: readonly Anthropic.MessageParam[], concluding: boolean): Question[] {
  const questions: Question[] = [];
  let turn = 0;
  for (const [index, message] of messages.entries()) {
    if (message.role === 'assistant') {
      turn += 1;
      continue;
    }
    const texts = textsOf(message);
    const said = index === 0 ? withoutSummary(texts) : texts;
    const found = questionsIn(said, turn);
    const last = found.at(-1);
    const isNote = concluding && index === messages.length - 1 && (hasResults(message) || found.length > 1);
    if (isNote && last && last.text === said.at(-1) && last.context === '') found.pop();
    questions.push(...found);
  }
  return questions;
}

function questionsIn(texts: readonly string[], turn: number): Question[] {
  const questions: Question[] = [];
  let context: string | undefined;
  for (const [index, text] of texts.entries()) {
    const added = index < texts.length - 1 ? CONTEXT.exec(text)?.[1] : undefined;
    if (added !== undefined) {
      context = added;
    } else if (context !== undefined || !NOTES.some((note) => text.startsWith(note))) {
      questions.push({ text, context: context ?? '', turn });
      context = undefined;
    }
  }
  return questions;
}

/** A compacted chat begins with a summary, followed by the last question if that was compacted too. */
function withoutSummary(texts: readonly string[]): string[] {
  const [first = '', ...rest] = texts;
  const end = first.lastIndexOf(SUMMARY_END);
  if (!first.startsWith('<summary>') || end < 0) return [...texts];
  const behind = first.slice(end + SUMMARY_END.length).trim();
  if (behind === '') return rest;
  const [, context, text] = /^(<context>[\s\S]*?<\/context>)\s*([\s\S]*)$/.exec(behind) ?? [];
  return [...(context && text ? [context, text] : [behind]), ...rest];
}

function textsOf({ content }: Anthropic.MessageParam): string[] {
  if (typeof content === 'string') return [content];
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
}

function hasResults({ content }: Anthropic.MessageParam): boolean {
  return typeof content !== 'string' && content.some((block) => block.type === 'tool_result');
}
