/** Ends a turn: records its text and results once, and notifies followers. */
import { LockMode } from '@mikro-orm/core';
import type { EntityManager, Orm } from '../../../db/orm.ts';
import { forTeam } from '../../../db/team-filter.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { EventLog } from '../../../platform/event-log/port.ts';
import { CUT_OFF } from '../../../platform/anthropic/index.ts';
import { storableText } from '../../../platform/storable.ts';
import {
  CANCELLED_BY_USER,
  isOpen,
  OPEN,
  Run,
  runStream,
  spokenParts,
  type Attempt,
  type RunLimit,
  shownStatus,
} from '../../runs/index.ts';
import { haveSourcesFailed, listSources } from '../../tools/index.ts';
import { closeSteps, Conversation, sourceOfCall, ToolCall, type ModelTurn } from '../../transcripts/index.ts';
import type { ExcerptMatcher } from '../../citations/index.ts';
import type { WorkspaceDrafts } from '../../workspace/index.ts';
import type { FinishChatTurnInput, FinishChatTurnResult } from '../contract.ts';
import { purgeChat } from '../delete.ts';
import { Chat, ChatTurn, type ChatTurnOutcome } from '../entities.ts';
import { searchTextOf } from '../service.ts';
import { turnEndEvent } from '../stream/end.ts';
import { messageText, textDigest } from '../stream/message-text.ts';
import { citationsOf } from './citations.ts';
import { modelTurnsOf, stepsOf, usageOf, type TurnSteps } from './model-turns.ts';
import { finishEdit } from './edit.ts';
import { drawnCharts } from './charts.ts';

export interface FinishDeps {
  orm: Orm;
  events: EventLog;
  clock: Clock;
  drafts: WorkspaceDrafts;
  /** Finds the excerpts of evidence that support a claim. */
  matcher: ExcerptMatcher;
  /** Notified of a new title of a monitoring agent's chat, which is also the agent's. */
  titled?: (chat: Pick<Chat, 'id' | 'teamId'>, title: string) => Promise<void>;
}

type FinishAttempt = Pick<Attempt, 'number' | 'signal'>;

/** Sources that an explanation names. */
const MAX_NAMED = 5;
const NO_ANSWER = 'The model gave no answer.';
const REFUSED = 'The model refused to answer.';
/** A provider's error may be a whole page, but the last event of a stream, which holds the explanation, is bounded. */
const EXPLANATION_CHARACTERS = 2_000;

/**
 * Records how a turn ended: its text, citations and results, or why there are none. Idempotent: a recorded end stays. A
 * turn without an answer has failed, whatever ended it.
 * @param attempt of the workflow; 1 by default
 */
export async function finishTurn(
  deps: FinishDeps,
  input: FinishChatTurnInput,
  attempt?: FinishAttempt,
): Promise<FinishChatTurnResult> {
  const em = (): EntityManager => forTeam(deps.orm.em, input.teamId);
  const found = await em().findOne(ChatTurn, { id: input.turnId });
  // A workflow that starts late finds nothing of a deleted chat.
  if (!found) return { status: 'cancelled', digest: 'The chat was deleted.' };
  const lastStep = isOpen(found.status) ? await closeTurn(em(), found) : undefined;
  if (lastStep !== undefined) {
    const end = await endOf(deps, em(), { ...found, lastStep }, input, attempt);
    await em().transactional(async (tx) => {
      const row = await tx.findOneOrFail(ChatTurn, { id: found.id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (isOpen(row.status)) tx.assign(row, { ...end, lastStep, finishedAt: deps.clock.now() });
    });
  }
  return announce(deps, em(), found.id, attempt?.signal);
}

async function announce(
  deps: FinishDeps,
  em: EntityManager,
  id: string,
  signal?: AbortSignal,
): Promise<FinishChatTurnResult> {
  const turn = await em.findOneOrFail(ChatTurn, { id });
  const usage = usageOf(await modelTurnsOf(em, turn));
  const stream = runStream({ conversationId: turn.chatId, runId: turn.id });
  await deps.events.append(stream, [turnEndEvent(turn, textDigest(turn.text ?? ''), usage)]);
  const chat = await em.findOne(Chat, { id: turn.chatId }, { filters: { present: false } });
  // It was deleted while the turn was running.
  if (chat?.deletedAt) await purgeChat(deps, em, chat, signal);
  return { status: shownStatus(turn.status), digest: turn.explanation ?? `${turn.text?.length ?? 0} characters` };
}

/**
 * Closes the turn's steps: nothing is added from here on, and unfinished calls are over.
 * @returns its last step, or the one before its first if it has none; undefined if another attempt has recorded the
 *   end: the steps may then be those of the next turn
 */
async function closeTurn(em: EntityManager, { id, chatId, firstStep }: ChatTurn): Promise<number | undefined> {
  return em.transactional(async (tx) => {
    const lockMode = LockMode.PESSIMISTIC_WRITE;
    const conversation = await tx.findOneOrFail(Conversation, { id: chatId }, { lockMode });
    if ((await tx.count(Run, { id, status: { $in: OPEN } })) === 0) return undefined;
    return closeSteps(tx, conversation, firstStep);
  });
}

type End = Pick<ChatTurn, 'status' | 'text' | 'citations' | 'outcome' | 'limitReached' | 'explanation' | 'searchText'>;

async function endOf(
  deps: FinishDeps,
  em: EntityManager,
  turn: ChatTurn,
  { outcome: ended, limit, explanation }: FinishChatTurnInput,
  attempt: FinishAttempt | undefined,
): Promise<End> {
  const modelTurns = await modelTurnsOf(em, turn);
  const text = messageText(modelTurns.flatMap(({ content }) => spokenParts(content)));
  const spoke = ended === 'completed' && !answers(modelTurns.at(-1)) ? 'failed' : ended;
  const edit = await finishEdit(deps.drafts, turn, { answered: spoke === 'completed', ...attempt });
  const failure = edit.failure ?? (edit.changes ? undefined : await failureOfSources(em, turn));
  const status = failure === undefined || spoke === 'cancelled' ? spoke : 'failed';
  const outcome: ChatTurnOutcome = {};
  const charts = await drawnCharts(em, turn);
  if (charts.length > 0) outcome.charts = charts;
  if (edit.changes) outcome.changes = edit.changes;
  return {
    status,
    text,
    citations: await citationsOf(deps.matcher, em, turn, text),
    outcome: Object.keys(outcome).length > 0 ? outcome : null,
    limitReached: limit ?? null,
    explanation: status === 'completed' ? null : whyNot(status, limit, failure ?? explanation),
    searchText: searchTextOf(turn.question, text),
  };
}

function whyNot(status: 'failed' | 'cancelled', limit: RunLimit | undefined, explanation: string | undefined): string {
  if (explanation !== undefined) return storableText(explanation.slice(0, EXPLANATION_CHARACTERS));
  if (status === 'cancelled') return CANCELLED_BY_USER;
  return limit === 'refusal' ? REFUSED : NO_ANSWER;
}

/** An answer for which no source could be asked has failed, however sure its model is. */
async function failureOfSources(em: EntityManager, turn: TurnSteps): Promise<string | undefined> {
  const calls = await em.find(ToolCall, { ...stepsOf(turn), status: 'completed', answer: { $ne: null } });
  // That sources are listed does not mean that they answer.
  const asked = calls.filter(({ name, answer }) => name !== listSources.name || answer === 'unavailable');
  if (!haveSourcesFailed(asked.flatMap(({ answer }) => answer ?? []))) return undefined;
  const lost = asked.filter(({ answer, name }) => answer === 'unavailable' && name !== listSources.name);
  const reasons = new Map(lost.map((call) => [sourceOfCall(call) ?? call.name, call.digest ?? '']));
  const named = [...reasons].slice(0, MAX_NAMED).map(([name, digest]) => {
    const reason = digest.replace(/^Error: /u, '').replace(/\.$/u, '');
    return reason === '' ? name : `${name} (${reason})`;
  });
  return `No telemetry source answered${named.length > 0 ? `: ${named.join('; ')}` : ''}.`;
}

/** Whether the model's last act was to say something to the person. */
function answers(turn: ModelTurn | undefined): boolean {
  if (!turn || turn.stopReason === CUT_OFF) return false;
  return (
    !turn.content.some(({ type }) => type === 'tool_use') &&
    spokenParts(turn.content).some(({ kind, text }) => kind === 'text' && text.trim() !== '')
  );
}
