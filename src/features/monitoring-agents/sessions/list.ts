import type { FilterQuery } from '@mikro-orm/core';
import type { z } from 'zod';
import type { EntityManager } from '../../../db/orm.ts';
import { NotFound } from '../../../http/errors.ts';
import { hasSeries } from '../../charts/index.ts';
import { ToolCall } from '../../transcripts/index.ts';
import type { CheckEvidence } from '../checks/port.ts';
import { instructionCheckWorkflowId } from '../contract.ts';
import { MonitoringSession } from '../entities.ts';
import type { SessionListQuery, SessionListResponse, SessionResponse } from './schemas.ts';

/** The sessions of an agent, the newest first, as the API shows them. @param em bound to the agent's team */
export async function listSessions(
  em: EntityManager,
  agentId: string,
  { check_id: checkId, status, page, count }: SessionListQuery,
): Promise<z.input<typeof SessionListResponse>> {
  const where: FilterQuery<MonitoringSession> = { agentId };
  if (checkId !== undefined) where.checkId = checkId;
  if (status) where.status = status;
  const found = await em.find(MonitoringSession, where, {
    orderBy: { startedAt: 'desc', id: 'desc' },
    limit: count + 1,
    offset: (page - 1) * count,
  });
  return { sessions: found.slice(0, count).map(presentSession), page, count, has_more: found.length > count };
}

/**
 * One session with its evidence.
 * @throws {NotFound} when the agent has no such session
 */
export async function readSession(
  em: EntityManager,
  agentId: string,
  sessionId: string,
): Promise<z.input<typeof SessionResponse>> {
  const session = await em.findOne(MonitoringSession, { id: sessionId, agentId }, { populate: ['evidence'] });
  if (!session) throw new NotFound('Session not found.');
  const calls = await em.find(ToolCall, { conversationId: session.id }, { orderBy: { evidence: 'asc' } });
  return presentSessionDetail(session, session.evidence, calls);
}

type Summary = z.input<typeof SessionListResponse>['sessions'][number];

function presentSession(session: Omit<MonitoringSession, 'evidence'>): Summary {
  const { startedAt, finishedAt } = session;
  return {
    id: session.id,
    chat_id: session.agentId,
    check_id: session.checkId,
    check_type: session.checkType,
    title: session.title,
    plan_version: session.planVersion,
    trigger: session.trigger,
    status: session.status,
    summary: session.summary,
    scheduled_at: session.scheduledAt.toISOString(),
    started_at: startedAt.toISOString(),
    finished_at: finishedAt?.toISOString() ?? null,
    duration_seconds: finishedAt && Math.max(0, finishedAt.getTime() - startedAt.getTime()) / 1_000,
    missed: session.missed,
    observations: session.observations.map(({ subject, isFinding, text, service, value, expected, unit }) => ({
      subject,
      is_finding: isFinding,
      text,
      service: service ?? null,
      value: value ?? null,
      expected: expected ?? null,
      unit: unit ?? null,
    })),
    cost: session.costUsd,
    input_tokens: session.inputTokens,
    output_tokens: session.outputTokens,
    model: session.model,
    budget_spent: session.budgetSpent,
  };
}

function presentSessionDetail(
  session: Omit<MonitoringSession, 'evidence'>,
  evidence: CheckEvidence[],
  toolCalls: readonly Omit<ToolCall, 'content' | 'view'>[],
): z.input<typeof SessionResponse> {
  return {
    ...presentSession(session),
    evidence,
    tool_calls: toolCalls.map(({ id, evidence: number, name, summary, status, isError, digest }) => ({
      id,
      evidence: number,
      name,
      summary,
      status,
      is_error: isError,
      digest,
      has_series: hasSeries({ name, status, isError, digest }),
      result_url: `/api/tool-results/${id}`,
    })),
    workflow_id: session.checkType === 'instruction' ? instructionCheckWorkflowId(session.id) : null,
  };
}
