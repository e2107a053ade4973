import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '../../../db/orm.ts';
import { forTeam } from '../../../db/team-filter.ts';
import { conversationStream, OPEN, Run, stateEvent, type RunLimit } from '../../runs/index.ts';
import { AuxiliaryCall, closeSteps, Conversation, ModelTurn, ToolCall } from '../../transcripts/index.ts';
import type { CheckResult } from '../checks/port.ts';
import type { CheckRunResult, FinishInstructionCheckInput } from '../contract.ts';
import { notifyFindings } from '../findings/index.ts';
import { endSession, type SessionEnd, type SessionResult } from '../sessions/end-session.ts';
import { AGENT_DELETED, cancelledRun } from '../sessions/run-result.ts';
import { instructionOf, type InstructionCheckDeps } from './begin.ts';
import { checkResultOf } from './check-result.ts';
import { InstructionResult } from './submit-check-result.ts';

const NOT_WANTED = 'Superseded: the plan changed, or the agent was paused or deleted.';

/** Why a run gave no result, for people. */
const LIMITS: Record<RunLimit, string> = {
  steps: 'it reached its step limit',
  cost: 'it used up its cost budget',
  wall_time: 'it ran out of time',
  repeated_calls: 'the model repeated the same call',
  no_report: 'the model submitted no result',
  refusal: 'the model refused',
  model_failure: 'the model could not be reached',
};

/**
 * Records the end of a check that a model carried out, and applies it to findings. Idempotent: a recorded end stays. A
 * run that submitted nothing has failed, whatever ended it: it is never ok.
 */
export async function finishInstructionCheck(
  deps: InstructionCheckDeps,
  input: FinishInstructionCheckInput,
): Promise<CheckRunResult> {
  const { agentId, teamId, run } = input;
  const em = (): EntityManager => forTeam(deps.orm.em, teamId);
  const at = deps.clock.now();
  const planned = await instructionOf(em(), input);
  const conversation = await closeConversation(em(), run.sessionId);
  if (!planned || !conversation) return cancelledRun(run, AGENT_DELETED, at);
  const { result, findings } = await endSession(deps, {
    agent: { agentId, teamId },
    sessionId: run.sessionId,
    check: planned.check,
    result: await resultOf(em(), conversation, input),
    at,
    spent: await spentIn(em(), run.sessionId),
  });
  await notifyFindings(deps.findings, findings);
  const { status, digest } = result;
  const ending = { ok: 'completed', finding: 'completed', failed: 'failed', cancelled: 'cancelled' } as const;
  const explanation = ending[status] === 'completed' ? null : digest;
  await em().nativeUpdate(
    Run,
    { id: run.sessionId, status: { $in: OPEN } },
    { status: ending[status], limitReached: input.limit ?? null, explanation, finishedAt: at, updatedAt: at },
  );
  await deps.events.append(conversationStream(run.sessionId), [
    stateEvent(`run.${ending[status]}`, 'run:ended', { status, digest }),
  ]);
  return result;
}

/** From here on nothing is added to the run, and unfinished calls are over. */
async function closeConversation(em: EntityManager, id: string): Promise<Conversation | null> {
  return em.transactional(async (tx) => {
    const conversation = await tx.findOne(Conversation, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (!conversation) return null;
    await closeSteps(tx, conversation);
    return conversation;
  });
}

async function resultOf(
  em: EntityManager,
  { id, result }: Conversation,
  { outcome, limit, explanation }: FinishInstructionCheckInput,
): Promise<SessionResult> {
  if (outcome === 'cancelled') return { status: 'cancelled', summary: explanation ?? NOT_WANTED };
  const handedIn = InstructionResult.safeParse(result?.value);
  if (!handedIn.success) return failed(limit, explanation);
  const numbers = [...new Set(handedIn.data.observations.flatMap(({ evidence }) => evidence))];
  const cited =
    numbers.length > 0
      ? await em.find(ToolCall, { conversationId: id, evidence: { $in: numbers } }, { orderBy: { evidence: 'asc' } })
      : [];
  return checkResultOf(handedIn.data, cited);
}

function failed(limit: RunLimit | undefined, explanation: string | undefined): CheckResult {
  const why = limit === undefined ? 'it ended early' : LIMITS[limit];
  const summary = `No result: ${why}${explanation === undefined ? '' : ` (${explanation})`}.`;
  return { status: 'failed', summary, observations: [], evidence: [] };
}

/** Model usage of a run: its turns, and summaries of its conversation. */
async function spentIn(em: EntityManager, conversationId: string): Promise<SessionEnd['spent']> {
  const turns = await em.find(ModelTurn, { conversationId }, { orderBy: { step: 'asc' }, exclude: ['content'] });
  const calls = [...(await em.find(AuxiliaryCall, { conversationId })), ...turns];
  const sum = (value: (call: (typeof calls)[number]) => number): number =>
    calls.reduce((total, call) => total + value(call), 0);
  return {
    costUsd: sum(({ costUsd }) => costUsd),
    inputTokens: sum((call) => call.inputTokens + call.cacheCreationInputTokens + call.cacheReadInputTokens),
    outputTokens: sum(({ outputTokens }) => outputTokens),
    model: turns.at(-1)?.model ?? null,
  };
}
