/** Reads a chat of the Messages API: what people asked, and what was answered. Tool calls are read by `transcript.ts`. */
import type Anthropic from '@anthropic-ai/sdk';

/** What a person wrote, word for word. */
export interface Question {
  text: string;
  /** What the chat tells beside it: the time, a subject. */
  context: string;
  /** Number of the assistant turn that was the first to read it, from 0. */
  turn: number;
}

export interface Dialogue {
  questions: Question[];
  /** Words of the assistant, by the turn that said them. */
  spoken: { turn: number; text: string }[];
  /** What stands for an earlier part of the chat. */
  summary?: string;
}

/** What the loop says itself begins with one of these; a person's words come after a context. */
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
 * @param concluding the loop asks for the end: what it says last to this purpose is no question, whatever its words are
 */
export function readDialogue(messages: readonly Anthropic.MessageParam[], concluding: boolean): Dialogue {
  const dialogue: Dialogue = { questions: [], spoken: [] };
  let turn = 0;
  for (const [index, message] of messages.entries()) {
    const texts = textsOf(message);
    if (message.role === 'assistant') {
      const text = texts.join('\n').trim();
      if (text !== '') dialogue.spoken.push({ turn, text });
      turn += 1;
      continue;
    }
    const said = index === 0 ? withoutSummary(texts, dialogue) : texts;
    const questions = questionsIn(said, turn);
    const isNote = concluding && index === messages.length - 1 && (hasResults(message) || questions.length > 1);
    const last = questions.at(-1);
    if (isNote && last && last.text === said.at(-1) && last.context === '') questions.pop();
    dialogue.questions.push(...questions);
  }
  return dialogue;
}

function questionsIn(texts: readonly string[], turn: number): Question[] {
  const questions: Question[] = [];
  let context: string | undefined;
  for (const [index, text] of texts.entries()) {
    const told = index < texts.length - 1 ? CONTEXT.exec(text)?.[1] : undefined;
    if (told !== undefined) {
      context = told;
    } else if (context !== undefined || !NOTES.some((note) => text.startsWith(note))) {
      questions.push({ text, context: context ?? '', turn });
      context = undefined;
    }
  }
  return questions;
}

/** A compacted chat begins with a summary, behind which stands what was asked last, when that was compacted too. */
function withoutSummary(texts: readonly string[], dialogue: Dialogue): string[] {
  const [first = '', ...rest] = texts;
  const end = first.lastIndexOf(SUMMARY_END);
  if (!first.startsWith('<summary>') || end < 0) return [...texts];
  dialogue.summary = first.slice('<summary>'.length, end).trim();
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
