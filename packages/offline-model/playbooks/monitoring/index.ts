/**
 * The playbook of a monitoring agent's chat. What is to be watched is read from the person's words alone; sources, services
 * and metrics are looked up, and the checks are written into the plan. Questions about the system are answered as in any chat.
 */
import type { Playbook, Situation, Turn } from '../../decide.ts';
import type { Call } from '../../transcript.ts';
import { readChat, type Chat } from '../conversation/chat.ts';
import { conversation } from '../conversation/index.ts';
import { NOTHING, replay } from '../conversation/replay.ts';
import { bullets, paragraphs } from '../conversation/wording.ts';
import { acknowledgePlay, costPlay, missedPlay, snoozePlay } from './abilities.ts';
import { changePlay } from './changes.ts';
import { removePlay, runPlay, testPlay, togglePlay } from './controls.ts';
import { currentPlan } from './current-plan.ts';
import { telemetryOf } from './drafting/telemetry.ts';
import { historyPlay, undoPlay } from './earlier-changes.ts';
import { meantInstead } from './meant.ts';
import { readFirst, type Can, type Play } from './play.ts';
import { caseOf } from '../conversation/earlier.ts';
import { takeReporting } from './reading/reporting.ts';
import { takeUnable, unableLines } from './reading/unable.ts';
import { quote } from '../investigation/statements.ts';
import { findingsPlay, planPlay, sessionsPlay, standingPlay } from './reports.ts';
import type { Request } from './request.ts';
import { readRequests, type Wanted } from './requests.ts';
import { watchPlay } from './watch.ts';
import { whereTo } from './watch-answer.ts';

/** Model turns for one message; then it is answered with what there is. More wishes in it take more. */
const MOST_TURNS = 9;
const MORE_TURNS = 3;
const MOST_IN_ALL = 18;
const OWN = 'update_monitoring_plan';
const READ = 'read_monitoring_plan';
/** What these say is no longer so after a change: another part of the message calls them again. */
const STATEFUL = new Set([
  OWN,
  READ,
  'list_monitoring_findings',
  'list_monitoring_sessions',
  'run_check_now',
  'test_monitoring_check',
]);

export const monitoring: Playbook = {
  name: 'monitoring',
  // A key that may not change the plan may still ask about it.
  fits: ({ offered }) => offered.has(OWN) || offered.has(READ),
  play(situation) {
    if (situation.forcedTool) return { text: '', calls: [{ name: situation.forcedTool, input: {} }] };
    const chat = readChat(situation);
    const wanted = wantedIn(chat);
    const most = Math.min(MOST_IN_ALL, MOST_TURNS + MORE_TURNS * (wanted.length - 1));
    const answers: string[] = [];
    let calls = chat.calls;
    for (const one of wanted) {
      const { turn, taken } = playOne({ ...chat, question: { ...chat.question, text: one.text }, calls }, one, {
        most,
        isOnly: wanted.length === 1,
      });
      if (turn.calls.length > 0) return turn;
      answers.push(turn.text);
      calls = calls.filter(({ id, tool }) => !STATEFUL.has(tool) || !taken.has(id));
    }
    return { text: paragraphs(...new Set(answers)), calls: [] };
  },
};

/** One of the things a message wants: what is to be called for it now, else its answer and the calls it rests on. */
function playOne(
  chat: Chat,
  { request }: Wanted,
  { most, isOnly }: { most: number; isOnly: boolean },
): { turn: Turn; taken: Set<string> } {
  const { situation } = chat;
  if (request.kind === 'question')
    return { turn: conversation.play(isOnly ? situation : asking(situation, chat.question.text)), taken: new Set() };
  const can: Can = (tool) => situation.offered.has(tool);
  const { plan, answer } = playOf(chat, request, can, isOnly);
  const { file, pending } = replay(chat, plan, true);
  const calls = pending?.calls.filter(({ name }) => situation.tools.has(name)) ?? [];
  if (pending && calls.length > 0 && chat.turnsSpent < most)
    return { turn: { text: pending.text, calls }, taken: new Set() };
  return { turn: { text: answer(file), calls: [] }, taken: new Set(file.transcript.calls.map(({ id }: Call) => id)) };
}

/** The same chat as if only this had been asked. */
function asking(situation: Situation, text: string): Situation {
  const { dialogue } = situation;
  const questions = dialogue.questions.map((question, index) =>
    index === dialogue.questions.length - 1 ? { ...question, text } : question,
  );
  return { ...situation, dialogue: { ...dialogue, questions } };
}

/** What is wanted is decided by the words and by what was known when they were said: not by what is found meanwhile. */
function wantedIn(chat: Chat): Wanted[] {
  const file = caseOf(chat.earlierCalls);
  const known = telemetryOf(file, '').services;
  const before = currentPlan(file);
  const hasWritten = chat.earlierCalls.some(({ tool, isError }) => tool === OWN && !isError);
  const hasChecks = hasWritten || (before?.checks.length ?? 0) > 0 || chat.summary !== '';
  return readRequests((hasChecks ? meantInstead(chat) : undefined) ?? chat.question.text, known, hasChecks);
}

/** @param isOnly nothing else is wanted in the message */
function playOf(chat: Chat, request: Request, can: Can, isOnly: boolean): Play {
  switch (request.kind) {
    case 'watch':
      return watchPlay(chat, can);
    case 'change':
      return changePlay(chat, can);
    case 'pause':
    case 'resume':
      return togglePlay(chat, can, request.kind === 'resume');
    case 'remove':
    case 'toggle':
      return removePlay(chat, can, request);
    case 'run':
      return runPlay(can, request.of);
    case 'test':
      return testPlay(can, request.of);
    case 'plan':
      return planPlay(can);
    case 'findings':
      return findingsPlay(can);
    case 'sessions':
      return sessionsPlay(can);
    case 'channel':
      return channelPlay(chat, can);
    case 'snooze':
      return snoozePlay(chat);
    case 'acknowledge':
      return acknowledgePlay(chat);
    case 'cost':
      return costPlay(can);
    case 'missed':
      return missedPlay(chat, can);
    case 'standing':
      return standingPlay(can);
    case 'undo':
      return undoPlay(chat, can);
    case 'history':
      return historyPlay(chat, can);
    case 'delete':
      return said(
        'Say “pause” to have me stop until you say “resume”; the plan stays. To end me for good delete me in the list of agents (DELETE /api/monitoring-chat/{chat_id}): I cannot do that myself.',
      );
    case 'remark':
      return said(`I take this as background, so nothing is changed by it: ${quote(chat.question.text, 300)}.`);
    case 'thanks':
      return said("You're welcome.");
    case 'introduction':
      return said(introduction());
    default:
      return isOnly
        ? said(paragraphs('I did not understand what you want of me, so nothing is changed.', introduction()))
        : said(`I did not understand ${quote(chat.question.text, 200)}, so nothing is changed by it.`);
  }
}

/** Where it reports is not said in a conversation, but in its configuration. */
function channelPlay(chat: Chat, can: Can): Play {
  return {
    plan: { query: '', next: (file) => readFirst(file, can) },
    answer(file) {
      const passage = { text: chat.question.text };
      const unable = takeUnable(passage);
      const named = takeReporting(passage);
      return paragraphs(
        named.length > 0 ? '' : 'Where I report is not set in this conversation.',
        whereTo(file, named),
        unableLines(unable, (one) => quote(one, 160)).join(' '),
      );
    },
  };
}

function said(text: string): Play {
  return { plan: NOTHING, answer: () => text };
}

function introduction(): string {
  return paragraphs(
    "I am a monitoring agent: I watch what you tell me to, for as long as you want. Without an Anthropic API key I am Casebook's offline model and understand plain sentences:",
    bullets([
      '“Watch the p95 latency and error rate of checkout every minute” (without a limit I compare with what is usual)',
      '“Tell me if the error rate of payments goes above 5 % for 10 minutes, critical”',
      '“Look for "connection refused" in the logs of orders”, “new errors in the logs of orders”',
      '“Watch all services every 5 minutes, not between 22:00 and 6:00 Europe/Berlin”',
      '“Every weekday at 9:00 check whether yesterday’s deploys changed memory use”',
      '“Check every minute instead”, “raise the threshold to 800 ms”, “only notify”, “remove the log check”, “pause”, “resume”, “undo that”',
      '“What are you watching?”, “Did you find anything?”, “Why did you not tell me?”, “What does it cost?”, “Run it now”, “Test it”',
    ]),
  );
}
