/** A model that knows its lines by the question, for any number of chats at once. */
import type Anthropic from '@anthropic-ai/sdk';
import type { MessagesRequest } from '@casebook/offline-model';
import {
  OUT_OF_SCRIPT,
  type Script,
  type ScriptContext,
  type ScriptedStep,
} from '../../support/scripted-model/index.ts';

const CASE = /\[case ([\w-]+)\]/;
const TASK = /^<task name="(\w+)">/;

/** What is answered in a turn, step by step; a function sees the request. */
export type Lines = ScriptedStep[] | ((context: ScriptContext & { step: number }) => ScriptedStep);

/** The text of a user message's own blocks, without tool results. */
function textsOf({ role, content }: Anthropic.MessageParam): string[] {
  if (role !== 'user') return [];
  if (typeof content === 'string') return [content];
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
}

/** The name of the question that a request is about, and how many answers of the model came after it. */
export function questionOf({ messages }: MessagesRequest): { name: string; step: number } {
  const at = messages.findLastIndex((message) => textsOf(message).some((text) => CASE.test(text)));
  const texts = at < 0 ? [] : textsOf(messages[at]!);
  const name = texts.findLast((text) => CASE.test(text)) ?? '';
  const step = messages.slice(at + 1).filter(({ role }) => role === 'assistant').length;
  return { name: [...name.matchAll(new RegExp(CASE, 'g'))].at(-1)?.[1] ?? '', step };
}

/** The name of the task, where a request is none of a conversation. */
export function taskOf({ messages }: MessagesRequest): string | undefined {
  return TASK.exec(messages.flatMap(textsOf)[0] ?? '')?.[1];
}

export const ask = (name: string, more = ''): string => `[case ${name}] ${more || 'Why is checkout slow?'}`;

/** Answers each question with its lines, and tasks with what is given for them. */
export function byQuestion(lines: Record<string, Lines>, tasks: Record<string, Lines> = {}): Script {
  return (context) => {
    const task = taskOf(context.request);
    if (task !== undefined) {
      const given = tasks[task] ?? [{ text: `About ${task}` }];
      return typeof given === 'function' ? given({ ...context, step: 0 }) : (given[0] ?? OUT_OF_SCRIPT);
    }
    const { name, step } = questionOf(context.request);
    const given = lines[name] ?? [];
    return typeof given === 'function' ? given({ ...context, step }) : (given[step] ?? OUT_OF_SCRIPT);
  };
}
