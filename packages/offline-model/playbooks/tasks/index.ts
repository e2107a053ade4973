/** Tasks outside a conversation: one message that holds a task in tags, without tools. */
import type { Playbook, Situation } from '../../decide.ts';
import { jsonOf, textOf } from '../calls.ts';
import { clip } from '../wording.ts';
import { chatSummary } from './summary.ts';
import { chatTitle } from './title.ts';

const TASK = /^<task name="([a-z_]+)">([\s\S]*)<\/task>\s*$/;

const FINDING = /<finding>\n([\s\S]*?)\n<\/finding>/;

const TASKS: Record<string, (text: string) => string> = {
  chat_title: chatTitle,
  chat_summary: chatSummary,
  finding_judgement: findingJudgement,
  // Not a list: an empty one would mean that nothing fits.
  choose_excerpts: () => 'Without a language model nobody can choose; use the excerpts as they were found.',
};

/** A person's text is never a task, because chats always offer tools. */
export const task: Playbook = {
  fits: (situation) => taskOf(situation) !== undefined,
  play: (situation) => ({ text: taskOf(situation)?.() ?? '', calls: [] }),
};

/** Judging takes a language model, so people are notified of every finding. */
function findingJudgement(text: string): string {
  const finding = jsonOf({ body: FINDING.exec(text)?.[1] ?? '' });
  const title = clip(textOf(finding, 'summary') || textOf(finding, 'title'), 120) || 'A finding without a description';
  return JSON.stringify({ worth_telling: true, title, reason: 'No language model judged it.' });
}

function taskOf({ offered, transcript }: Situation): (() => string) | undefined {
  if (offered.size > 0) return undefined;
  const [, name = '', text = ''] = TASK.exec(transcript.opening) ?? [];
  const work = Object.hasOwn(TASKS, name) ? TASKS[name] : undefined;
  return work && (() => work(text));
}
