import { z } from 'zod';
import type { EntityManager } from '../../../db/orm.ts';
import { forTeam } from '../../../db/team-filter.ts';
import { storableText } from '../../../platform/storable.ts';
import { askOnce, type Attempt } from '../../runs/index.ts';
import { untilReachable } from '../../../db/reach.ts';
import type { FindingRef } from '../contract.ts';
import { Finding, type Judgement } from '../entities.ts';
import type { FindingDeps } from './deps.ts';
import { isToBeJudged } from './due.ts';
import { JUDGEMENT_PROMPT, judgementTask } from './prompt.ts';

/** Leaves room for a model that thinks before it answers. */
const ANSWER_TOKENS = 2_000;

const Answer = z.object({
  worth_telling: z.boolean(),
  title: z.string().trim().min(1).max(1_000),
  reason: z.string().trim().max(5_000).default(''),
});

/**
 * Has a model decide whether people are notified of a finding. The model is asked once, and its cost is recorded. If
 * the daily budget is spent or the answer is unreadable, people are notified, and the notification says so.
 * @throws {ModelError} when the model gave no complete answer
 */
export async function judgeFinding(
  deps: FindingDeps,
  ref: FindingRef,
  attempt: Pick<Attempt, 'signal'>,
): Promise<void> {
  const em = forTeam(deps.orm.em, ref.teamId);
  const find = () => em.findOne(Finding, { id: ref.findingId }, { populate: ['evidence'] });
  const finding = await untilReachable(find, attempt.signal);
  if (!finding || !isToBeJudged(finding)) return;
  const { agentId } = finding;
  const isSpent = async () => agentId !== null && (await deps.isBudgetSpent(em, agentId, deps.clock.now()));
  if (await untilReachable(isSpent, attempt.signal))
    return leaveUnjudged(deps, ref, 'The daily model budget is spent.');
  const text = judgementTask(finding, finding.evidence);
  const answer = await askOnce(
    deps,
    {
      teamId: ref.teamId,
      conversationId: finding.id,
      purpose: 'judgement',
      key: '1',
      request: { system: JUDGEMENT_PROMPT, text, maxTokens: ANSWER_TOKENS },
    },
    attempt,
  );
  const model = deps.model.model;
  const judgement = { ...judgementOf(answer.text, finding.title), costUsd: answer.costUsd, model };
  await untilReachable(() => record(deps, ref, judgement), attempt.signal);
}

/** Notifies people without a judgement. @param why in words, for them */
export async function leaveUnjudged(
  deps: Pick<FindingDeps, 'orm' | 'clock'>,
  ref: FindingRef,
  why: string,
): Promise<void> {
  const finding = await forTeam(deps.orm.em, ref.teamId).findOne(Finding, { id: ref.findingId });
  if (!finding) return;
  const reason = storableText(`Sent without model review. ${why}`.slice(0, 1_000));
  await record(deps, ref, { isWorthIt: true, title: finding.title, reason, costUsd: 0, model: 'none' });
}

/** @param title used for an unreadable answer: the finding keeps the title it had */
export function judgementOf(text: string, title: string): Pick<Judgement, 'isWorthIt' | 'title' | 'reason'> {
  const answer = Answer.safeParse(jsonIn(text));
  if (!answer.success) return { isWorthIt: true, title, reason: 'The model review could not be read.' };
  const { worth_telling: isWorthIt, title: named, reason } = answer.data;
  return {
    isWorthIt,
    title: named.replaceAll(/\s+/g, ' ').slice(0, 200).toWellFormed(),
    reason: reason.slice(0, 1_000).toWellFormed(),
  };
}

/** The JSON object in an answer, with or without a code fence. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1));
  } catch {
    return undefined;
  }
}

/** The first judgement stays. */
async function record({ orm, clock }: Pick<FindingDeps, 'orm' | 'clock'>, ref: FindingRef, judgement: Judgement) {
  const where = { id: ref.findingId, judgement: null };
  await forTeam(orm.em, ref.teamId).nativeUpdate(Finding, where, { judgement, updatedAt: clock.now() });
}

/**
 * What judging an agent's findings cost, in US dollars.
 * @param em bound to the agent's team
 * @param since counts model calls from this time on
 */
export async function judgingCostSince(em: EntityManager, agentId: string, since: Date): Promise<number> {
  const sql = `select coalesce(sum(call.cost_usd), 0)::float8 as cost from monitoring_findings finding
    join auxiliary_calls call on call.conversation_id = finding.id and call.purpose = 'judgement'
    where finding.agent_id = ? and call.created_at >= ?`;
  const [row] = await em.execute<{ cost: number }[]>(sql, [agentId, since]);
  return row?.cost ?? 0;
}
