/** Tasks outside a conversation: one message that holds a task in tags, without tools. */
import type { Playbook, Situation } from '../../decide.ts';
import { findingJudgement } from './judgement.ts';
import { chatSummary } from './summary.ts';
import { chatTitle } from './title.ts';

const TASK = /^<task name="([a-z_]+)">([\s\S]*)<\/task>\s*$/;

const TASKS: Record<string, (text: string) => string> = {
  chat_title: chatTitle,
  chat_summary: chatSummary,
  finding_judgement: findingJudgement,
  // Not a list: an empty one would mean that nothing fits.
  choose_excerpts: () => 'Without a language model nobody can choose; use the excerpts as they were found.',
};

/** A person's text is never a task, because chats always offer tools. */
export const task: Playbook = {
  name: 'task',
  fits: (situation) => taskOf(situation) !== undefined,
  play: (situation) => ({ text: taskOf(situation)?.() ?? '', calls: [] }),
};

function taskOf({ offered, transcript, questions }: Situation): (() => string) | undefined {
  const [question] = questions;
  if (offered.size > 0 || transcript.turn > 0 || questions.length !== 1) return undefined;
  const [, name = '', text = ''] = TASK.exec(question?.text ?? '') ?? [];
  const work = Object.hasOwn(TASKS, name) ? TASKS[name] : undefined;
  return work && (() => work(text));
}
