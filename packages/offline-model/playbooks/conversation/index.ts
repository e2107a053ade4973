/**
 * The playbook of chats. `intent.ts` reads the person's words alone; each intent has a plan, which names the next
 * calls, and an answer, written from their results.
 */
import type { Playbook } from '../../decide.ts';
import type { CaseFile } from '../investigation/case-file.ts';
import { chartAnswer, chartPlan } from './charts.ts';
import { has, readChat, type Chat } from './chat.ts';
import { readIntent, type LookupKind } from './intent.ts';
import { listAnswer, listPlan, readAnswer, readPlan, startAnswer, startPlan, subjectOf } from './investigations.ts';
import { lookupAnswer, lookupPlan } from './lookups.ts';
import { aboutAnswer, problemAnswer, problemPlan } from './problem.ts';
import { NOTHING, replay, type Plan } from './replay.ts';
import { lastCause } from './target.ts';
import { bullets, paragraphs } from '../wording.ts';

/** Model turns for one question, before it answers with what it has. */
const MAX_TURNS = 13;
/** `and of cart?` after a look-up asks the same about another service. */
const CONTINUES = /^(?:(?:ok|now)[\s,]+)?(?:and|what about|how about|same (?:for|of))\b.{0,60}$/i;
const NO_EDITS =
  'I changed nothing: editing files needs a language model, and no Anthropic API key is configured (ANTHROPIC_API_KEY).';
const WHO =
  "I am Casebook's offline model: I follow written playbooks, because no Anthropic API key is configured (ANTHROPIC_API_KEY).";

interface Play {
  plan?: Plan;
  /** @param cutShort the plan did not finish */
  answer: (file: CaseFile, cutShort: boolean) => string;
}

export const conversation: Playbook = {
  name: 'conversation',
  fits: () => true,
  play(situation) {
    if (situation.forcedTool) return { text: '', calls: [{ name: situation.forcedTool, input: {} }] };
    const chat = readChat(situation);
    const { plan = NOTHING, answer } = playOf(chat);
    const { file, pending } = replay(chat, plan);
    const calls = pending?.calls.filter(({ name }) => situation.tools.has(name)) ?? [];
    if (pending && calls.length > 0 && chat.turnsSpent < MAX_TURNS) return { text: pending.text, calls };
    return { text: answer(file, pending !== undefined), calls: [] };
  },
};

function playOf(chat: Chat): Play {
  const { text } = chat.question;
  const { offered, purpose } = chat.situation;
  // A plan must lead to the same calls when none may be made any more.
  const can = (tool: string): boolean => offered.has(tool);
  if (purpose === 'edit') return { answer: () => NO_EDITS };
  const cause = lastCause(chat);
  const intent = readIntent(text, cause !== undefined);
  if (intent.kind === 'introduction') return { answer: () => introduction(chat) };
  if (intent.kind === 'thanks') return { answer: () => "You're welcome." };
  if (purpose === 'chart' || intent.kind === 'chart') {
    if (!has(chat, 'draw_chart'))
      return { answer: () => 'The tool that draws charts (draw_chart) is not available in this chat.' };
    return { plan: chartPlan(chat, can), answer: (file) => chartAnswer(chat, file) };
  }
  const problem: Play = {
    plan: problemPlan(chat, can),
    answer: (file, cutShort) => problemAnswer(chat, file, cutShort),
  };
  const lookup = (of: LookupKind): Play => ({
    plan: lookupPlan(chat, of, can),
    answer: (file) => lookupAnswer(chat, of, file),
  });
  const isAboutOne = subjectOf(chat) !== undefined && has(chat, 'read_investigation');
  switch (intent.kind) {
    case 'start investigation':
      return has(chat, 'start_investigation') ? { plan: startPlan(chat), answer: startAnswer } : problem;
    case 'read investigation':
      return has(chat, 'read_investigation')
        ? { plan: readPlan(chat, intent.id), answer: readAnswer }
        : { answer: () => 'The tool that reads investigations (read_investigation) is not available in this chat.' };
    case 'list investigations':
      return { plan: listPlan, answer: listAnswer };
    case 'about answer':
      return cause
        ? { plan: problemPlan(cause, can), answer: (file) => aboutAnswer(file, intent.of) }
        : { answer: () => notUnderstood(chat) };
    case 'lookup':
      return lookup(intent.of);
    case 'problem':
      return isAboutOne && chat.earlier.length === 0
        ? { plan: readPlan(chat, undefined), answer: readAnswer }
        : problem;
    default: {
      if (isAboutOne) return { plan: readPlan(chat, undefined), answer: readAnswer };
      const before = chat.earlier.at(-1)?.text;
      const last = before === undefined ? intent : readIntent(before, false);
      if (CONTINUES.test(text) && last.kind === 'lookup') return lookup(last.of);
      return { answer: () => notUnderstood(chat) };
    }
  }
}

function notUnderstood(chat: Chat): string {
  return paragraphs(
    'I did not understand that. The offline model understands only a few plain questions; with an Anthropic API key (ANTHROPIC_API_KEY), a language model answers any question.',
    abilities(chat),
  );
}

function introduction(chat: Chat): string {
  return paragraphs(WHO, abilities(chat));
}

function abilities(chat: Chat): string {
  return `What you can ask:\n\n${bullets([
    'the likely cause of a problem, with the evidence: “Why is checkout failing?”',
    'services, metrics, logs, traces and dependencies, recent changes, alerts: “What depends on cart?”, “Show me the logs of orders”',
    ...(has(chat, 'start_investigation') ? ['an investigation: “Investigate the checkout errors”'] : []),
    ...(has(chat, 'read_investigation') ? ['past reports: “What did the last investigation find?”'] : []),
    ...(has(chat, 'draw_chart') ? ['a chart: “Plot the latency of checkout”'] : []),
  ])}`;
}
