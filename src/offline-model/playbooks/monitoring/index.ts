/**
 * The playbook of a monitoring agent's chat. What is to be watched is read from the person's words alone; sources, services
 * and metrics are looked up, and the checks are written into the plan. Questions about the system are answered as in any chat.
 */
import type { Playbook } from '../../decide.ts';
import { readChat, type Chat } from '../conversation/chat.ts';
import { conversation } from '../conversation/index.ts';
import { NOTHING, replay } from '../conversation/replay.ts';
import { bullets, paragraphs } from '../conversation/wording.ts';
import { changePlay } from './changes.ts';
import { removePlay, runPlay, testPlay, togglePlay } from './controls.ts';
import { currentPlan } from './current-plan.ts';
import { telemetryOf } from './drafting/telemetry.ts';
import type { Can, Play } from './play.ts';
import { caseOf } from '../conversation/earlier.ts';
import { findingsPlay, planPlay, sessionsPlay } from './reports.ts';
import { readRequest, type Request } from './request.ts';
import { watchPlay } from './watch.ts';
import { whereTo } from './watch-answer.ts';

/** Model turns for one message; then it is answered with what there is. */
const MOST_TURNS = 9;
const OWN = 'update_monitoring_plan';
const READ = 'read_monitoring_plan';

export const monitoring: Playbook = {
  name: 'monitoring',
  // A key that may not change the plan may still ask about it.
  fits: ({ offered }) => offered.has(OWN) || offered.has(READ),
  play(situation) {
    if (situation.forcedTool) return { text: '', calls: [{ name: situation.forcedTool, input: {} }] };
    const chat = readChat(situation);
    const request = requestOf(chat);
    if (request.kind === 'question') return conversation.play(situation);
    const can: Can = (tool) => situation.offered.has(tool);
    const { plan, answer } = playOf(chat, request, can);
    const { file, pending } = replay(chat, plan);
    const calls = pending?.calls.filter(({ name }) => situation.tools.has(name)) ?? [];
    if (pending && calls.length > 0 && chat.turnsSpent < MOST_TURNS) return { text: pending.text, calls };
    return { text: answer(file), calls: [] };
  },
};

/** What is wanted is decided by the words and by what was known when they were said: not by what is found meanwhile. */
function requestOf(chat: Chat): Request {
  const file = caseOf(chat.earlierCalls);
  const known = telemetryOf(file, '').services;
  const before = currentPlan(file);
  const hasWritten = chat.earlierCalls.some(({ tool, isError }) => tool === OWN && !isError);
  return readRequest(chat.question.text, known, hasWritten || (before?.checks.length ?? 0) > 0 || chat.summary !== '');
}

function playOf(chat: Chat, request: Request, can: Can): Play {
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
      return {
        ...planPlay(can),
        answer: (file) => paragraphs('Where I report is not set in this conversation.', whereTo(file)),
      };
    case 'delete':
      return said(
        'I cannot delete myself: do it in the list of agents (DELETE /api/monitoring-chat/{chat_id}). Say “pause” to have me stop until you want me again.',
      );
    case 'thanks':
      return said("You're welcome.");
    case 'introduction':
      return said(introduction());
    default:
      return said(paragraphs('I did not understand what you want of me, so nothing is changed.', introduction()));
  }
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
      '“Check every minute instead”, “raise the threshold to 800 ms”, “only notify”, “remove the log check”, “pause”, “resume”',
      '“What are you watching?”, “Did you find anything?”, “Run it now”, “Test it”',
    ]),
  );
}
