/**
 * The playbook of chats. `intent.ts` reads the person's words alone; each intent has a play, which names the next calls
 * and writes an answer from their results.
 */
import type { Playbook } from '../../decide.ts';
import { bullets, name, paragraphs } from '../wording.ts';
import { chartPlay } from './charts.ts';
import { has, readChat, type Chat, type Play } from './chat.ts';
import { isAboutNow, readIntent } from './intent.ts';
import { listPlay, readPlay, startPlay, subjectOf } from './investigations.ts';
import { lookupPlay } from './lookups.ts';
import { problemPlay } from './problem.ts';
import { pullRequestPlay } from './pull-request.ts';
import { systemsPlay } from './systems.ts';

/** Model turns for one question, before it answers with what it has. */
const MAX_TURNS = 13;
const NO_EDITS =
  'Nothing changed: editing files needs a language model, and no Anthropic API key is configured (ANTHROPIC_API_KEY).';
const WHO =
  "I am Casebook's offline model: I follow written playbooks, because no Anthropic API key is configured (ANTHROPIC_API_KEY).";
const NOT_UNDERSTOOD =
  'I did not understand that. The offline model understands a few plain questions only; with an Anthropic API key (ANTHROPIC_API_KEY), a language model answers any.';

export const conversation: Playbook = {
  fits: () => true,
  play(situation) {
    const chat = readChat(situation);
    const play = playOf(chat);
    const next = play.next?.();
    const calls = next?.calls.filter(({ name }) => situation.tools.has(name)) ?? [];
    if (next && calls.length > 0 && chat.turnsSpent < MAX_TURNS) return { text: next.text, calls };
    return { text: play.answer(next !== undefined), calls: [] };
  },
};

function playOf(chat: Chat): Play {
  const { purpose } = chat.situation;
  if (purpose === 'edit') return { answer: () => NO_EDITS };
  const intent = purpose === 'chart' ? 'chart' : readIntent(chat.question.text);
  const ofSystems = systemsPlay(chat, intent);
  if (ofSystems) return ofSystems;
  // A chat may be about an investigation.
  const report = subjectOf(chat) === undefined ? undefined : readPlay(chat);
  switch (intent) {
    case 'introduction':
      return { answer: () => paragraphs(WHO, abilities(chat)) };
    case 'chart':
      return has(chat, 'draw_chart') ? chartPlay(chat) : missing('draw_chart');
    case 'start investigation':
      return has(chat, 'start_investigation') ? startPlay(chat) : problemPlay(chat);
    case 'list investigations':
      return has(chat, 'list_investigations') ? listPlay(chat) : missing('list_investigations');
    case 'read investigation':
      return has(chat, 'read_investigation') ? readPlay(chat) : missing('read_investigation');
    case 'pull request':
      return pullRequestPlay(chat);
    case 'problem':
      return report && chat.earlier.length === 0 && !isAboutNow(chat.question.text) ? report : problemPlay(chat);
    case undefined:
      return report ?? { answer: () => paragraphs(NOT_UNDERSTOOD, abilities(chat)) };
    default:
      return lookupPlay(chat, intent);
  }
}

function missing(tool: string): Play {
  return { answer: () => `The tool for that (${tool}) is not available in this chat.` };
}

function abilities(chat: Chat): string {
  return `What you can ask:\n\n${bullets([
    'the likely cause of a problem, with the evidence: “Why is checkout failing?”',
    'services, metrics, logs, dependencies, changes, alerts: “What depends on cart?”, “Is orders ok now?”',
    ...chat.situation.connected
      .filter(({ operation }) => operation === 'slow_queries')
      .slice(0, 1)
      .map(({ system }) => `what a connected system shows: “Which queries are slow in ${name(system)}?”`),
    ...(has(chat, 'start_investigation') ? ['an investigation: “Investigate the checkout errors”'] : []),
    ...(has(chat, 'read_investigation') ? ['past reports: “What did the last investigation find?”'] : []),
    ...(has(chat, 'suggest_pr') ? ['a revert: “Open a pull request that reverts 1a2b3c4d”'] : []),
    ...(has(chat, 'draw_chart') ? ['a chart: “Plot the latency of checkout”'] : []),
  ])}`;
}
