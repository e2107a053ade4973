/** What callers see of a run of a check. */
import { z } from 'zod';
import { pageFields } from '../../../http/fields.ts';
import { CHECK_TYPES } from '../plan/schema.ts';

const time = z.iso.datetime();

const Observation = z
  .object({
    subject: z.string().describe('Identifies the subject, the same in every run.'),
    is_finding: z.boolean(),
    text: z.string(),
    service: z.string().nullable(),
    value: z.number().nullable(),
    expected: z.number().nullable().describe('The value it was compared with.'),
    unit: z.string().nullable().describe('Of both, as the source states it: `s`, `bytes`, `ratio`, `{requests}/s` …'),
  })
  .meta({ id: 'MonitoringObservation' });

const Evidence = z
  .object({
    source: z.string(),
    question: z.string(),
    answer: z.unknown().describe('What came back, bounded.'),
  })
  .meta({ id: 'MonitoringEvidence' });

const SessionToolCall = z
  .object({
    id: z.uuid(),
    evidence: z.int(),
    name: z.string(),
    summary: z.string(),
    status: z.enum(['pending', 'completed', 'cancelled']),
    is_error: z.boolean(),
    digest: z.string().nullable(),
    has_series: z.boolean().describe('Whether its result can be charted: see `/api/tool-results/{tool_id}/series`.'),
    result_url: z.string(),
  })
  .meta({ id: 'MonitoringSessionToolCall' });

export const SESSION_STATUSES = ['running', 'ok', 'finding', 'failed', 'cancelled'] as const;

const SessionSummary = z
  .object({
    id: z.uuid(),
    chat_id: z.uuid().describe('Of the agent.'),
    check_id: z.string(),
    check_type: z.enum(CHECK_TYPES),
    title: z.string(),
    plan_version: z.int(),
    trigger: z.enum(['schedule', 'now', 'deploy', 'alert']),
    status: z.enum(SESSION_STATUSES).describe('failed: no result. cancelled: superseded.'),
    summary: z.string().nullable().describe('The result in one line, or why there is no result.'),
    scheduled_at: time,
    started_at: time,
    finished_at: time.nullable(),
    duration_seconds: z.number().nullable(),
    missed: z.int().describe('Scheduled times before it that passed without a run.'),
    observations: z.array(Observation),
    cost: z.number().describe('US dollars.'),
    input_tokens: z.int(),
    output_tokens: z.int(),
    model: z.string().nullable().describe('The model that carried it out; null for a check without a model.'),
    budget_spent: z.boolean(),
  })
  .meta({ id: 'MonitoringSessionSummary' });

export const SessionListResponse = z
  .object({ sessions: z.array(SessionSummary), page: z.int(), count: z.int(), has_more: z.boolean() })
  .meta({ id: 'MonitoringSessionListResponse' });

export const SessionResponse = z
  .object({
    ...SessionSummary.shape,
    evidence: z.array(Evidence),
    tool_calls: z.array(SessionToolCall).describe('The tool calls of an instruction check.'),
    workflow_id: z.string().nullable().describe('Of an instruction check.'),
  })
  .meta({ id: 'MonitoringSessionResponse' });

export const SessionListQuery = z.object({
  check_id: z.string().max(64).optional().describe('Filter by check ID.'),
  status: z.enum(SESSION_STATUSES).optional().describe('Only items with this status.'),
  ...pageFields,
});
export type SessionListQuery = z.output<typeof SessionListQuery>;
