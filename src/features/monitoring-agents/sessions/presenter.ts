import type { z } from 'zod';
import { hasSeries } from '../../charts/index.ts';
import type { ToolCall } from '../../transcripts/index.ts';
import type { CheckEvidence } from '../checks/port.ts';
import { instructionCheckWorkflowId } from '../contract.ts';
import type { MonitoringSession } from '../entities.ts';
import type { SessionListResponse, SessionResponse } from './schemas.ts';

type Summary = z.input<typeof SessionListResponse>['sessions'][number];

export function presentSession(session: Omit<MonitoringSession, 'evidence'>): Summary {
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
    observations: session.observations.map(({ subject, isFinding, text, service, value, expected }) => ({
      subject,
      is_finding: isFinding,
      text,
      service: service ?? null,
      value: value ?? null,
      expected: expected ?? null,
    })),
    cost: session.costUsd,
    input_tokens: session.inputTokens,
    output_tokens: session.outputTokens,
    model: session.model,
    budget_spent: session.budgetSpent,
  };
}

export function presentSessionDetail(
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
