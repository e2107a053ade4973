/**
 * The playbook of chats. What is wanted is read from the person's words alone (`intent.ts`); each intent has a plan, which
 * names the next calls, and an answer, which is written from what they returned.
 */
import type { Playbook, Situation } from '../../decide.ts';
import type { CaseFile } from '../investigation/case-file.ts';
import { aboutAnswer, aboutAnswerPlan } from './about-answer.ts';
import { chartAnswer, chartPlan } from './charts.ts';
import { has, readChat, type Chat } from './chat.ts';
import { chatAt, lastCauseQuestion } from './earlier.ts';
import { editAnswer, editPlan, NO_INSTRUCTION } from './editing/index.ts';
import { drawn, readIntent, type Intent, type IntentContext } from './intent.ts';
import { introduction } from './introduction.ts';
import {
  listAnswer,
  listPlan,
  readAnswer,
  readPlan,
  startAnswer,
  startPlan,
  statedInvestigation,
  subjectId,
} from './investigations.ts';
import { lookupAnswer, lookupPlan, overviewAnswer, overviewPlan } from './lookups/index.ts';
import { problemAnswer } from './problem/answer.ts';
import { problemPlan } from './problem/index.ts';
import { rememberedCause } from './remembered.ts';
import { NOTHING, replay, type Plan } from './replay.ts';

/** Model turns for one question; then it is answered with what there is. */
const MOST_TURNS = 13;

/** What people say without wanting anything done. */
const NO_WISH = new Set<Intent['kind']>(['introduction', 'thanks']);
const CONTINUES =
  /^(?:(?:ok(?:ay)?|now)[\s,]+)*(?:and|what about|how about|same (?:for|of|with)|also|the same)\b.{0,60}$/i;

interface Play {
  plan?: Plan;
  /** @param cutShort the plan was not played to its end */
  answer: (file: CaseFile, cutShort: boolean) => string;
}

export const conversation: Playbook = {
  name: 'conversation',
  fits: () => true,
  play(situation) {
    if (situation.forcedTool) return { text: '', calls: [{ name: situation.forcedTool, input: {} }] };
    const chat = readChat(situation);
    const { plan = NOTHING, answer } = playOf(chat, intentOf(chat), situation);
    const { file, pending } = replay(chat, plan);
    const calls = pending?.calls.filter(({ name }) => situation.tools.has(name)) ?? [];
    if (pending && calls.length > 0 && chat.turnsSpent < MOST_TURNS) return { text: pending.text, calls };
    return { text: answer(file, pending !== undefined), calls: [] };
  },
};

function playOf(chat: Chat, intent: Intent, situation: Situation): Play {
  // Also where none may be called any more, the plan must come to the same calls as before.
  const can = (tool: string): boolean => situation.offered.has(tool);
  switch (intent.kind) {
    case 'introduction':
      return { answer: () => introduction(chat) };
    case 'thanks':
      return { answer: () => "You're welcome." };
    case 'no instruction':
      return { answer: () => NO_INSTRUCTION };
    case 'problem':
    case 'unclear':
      return { plan: problemPlan(chat, can), answer: (file, cutShort) => problemAnswer(chat, file, cutShort) };
    case 'lookup':
      return { plan: lookupPlan(chat, intent.kinds, can), answer: (file) => lookupAnswer(chat, intent.kinds, file) };
    case 'overview':
      return { plan: overviewPlan(chat, intent.of, can), answer: (file) => overviewAnswer(chat, intent.of, file) };
    case 'about answer':
      return { plan: aboutAnswerPlan(chat, intent, can), answer: (file) => aboutAnswer(chat, intent, file) };
    case 'start investigation':
      if (intent.instead) {
        const head = 'This chat may not start investigations, so I looked into it myself.';
        const answer: Play['answer'] = (file, cutShort) => `${head}\n\n${problemAnswer(chat, file, cutShort)}`;
        return { plan: problemPlan(chat, can), answer };
      }
      return { plan: startPlan(chat, can), answer: (file) => startAnswer(chat, file) };
    case 'read investigation':
      return { plan: readPlan(chat, intent.id, can), answer: (file) => readAnswer(chat, intent.whole ?? false, file) };
    case 'list investigations':
      return { plan: listPlan(can), answer: (file) => listAnswer(chat, file) };
    case 'chart':
      return { plan: chartPlan(chat, intent.of, can), answer: (file) => chartAnswer(chat, file) };
    default:
      return {
        plan: editPlan(chat, intent.instruction, can),
        answer: (file) => editAnswer(chat, intent.instruction, file),
      };
  }
}

function intentOf(chat: Chat): Intent {
  const intent = readIntent(chat.question.text, contextOf(chat));
  const { purpose } = chat.situation;
  if (purpose === 'chart' && !NO_WISH.has(intent.kind)) return { kind: 'chart', of: drawn(chat.question.text) };
  if (purpose === 'edit' && intent.kind === 'unclear') return { kind: 'no instruction' };
  if (intent.kind === 'start investigation' && !has(chat, 'start_investigation') && has(chat, 'list_sources')) {
    return { ...intent, instead: true };
  }
  const id = statedInvestigation(chat);
  const isOpen = intent.kind === 'problem' || intent.kind === 'unclear';
  if (!isOpen || id === undefined || !has(chat, 'read_investigation')) return continued(chat, intent);
  return { kind: 'read investigation', id, whole: intent.kind === 'problem' };
}

/** `and of cart?` after a look-up asks for the same of another service. */
function continued(chat: Chat, intent: Intent): Intent {
  const isOpen = intent.kind === 'unclear' || (intent.kind === 'about answer' && intent.of === 'service');
  if (!isOpen || !CONTINUES.test(chat.question.text)) return intent;
  const last = chat.earlier.length - 1;
  const before = last < 0 ? intent : intentOf(chatAt(chat, last));
  return before.kind === 'lookup' ? before : intent;
}

function contextOf(chat: Chat): IntentContext {
  const answeredCause = lastCauseQuestion(chat) >= 0 || rememberedCause(chat) !== undefined;
  return { answeredCause, aboutInvestigation: subjectId(chat) !== undefined };
}
