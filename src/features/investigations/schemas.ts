import { z } from 'zod';
import { idempotencyKeyField, pageFields } from '../../http/fields.ts';
import { TRIGGERS } from './contract.ts';
import { SIGNALS } from './coverage/compute.ts';
import { confidenceBasis, reportSchema, symptom } from './report/schema.ts';

export const investigationStatus = z.enum(['processing', 'completed', 'failed', 'cancelled']);
const status = investigationStatus;
const time = z.iso.datetime();

export const InvestigateRequest = z
  .object({
    query: z
      .string()
      .max(20_000)
      .regex(/\S/, 'Value must not be blank')
      .describe('Prompt describing the issue to investigate.'),
  })
  .meta({ id: 'InvestigateRequest' });

export const IdempotencyHeaders = z.object({
  'idempotency-key': idempotencyKeyField(
    "A repeated request with the same key returns the first request's investigation.",
  ),
});

export const InvestigateResponse = z
  .object({ investigation_id: z.uuid(), status: z.literal('processing') })
  .meta({ id: 'InvestigateResponse' });

/** A UUID of any version: one that we would never generate is unknown, not invalid. */
export const InvestigationParams = z.object({ investigation_id: z.guid().meta({ format: 'uuid' }) });

export const InvestigationResponse = z
  .object({
    id: z.uuid(),
    status: status.describe('processing while it runs; failed and cancelled carry the reason in investigation_text.'),
    alert_summary: z.string().nullable().describe('Short title of the findings; null while processing.'),
    investigation_text: z.string().nullable().describe('Full results in Markdown; null while processing.'),
  })
  .meta({ id: 'InvestigationResponse' });

export const OUTCOMES = ['cause_found', 'no_cause'] as const;
const name = z.string().trim().min(1).max(200);

export const InvestigationListQuery = z.object({
  ...pageFields,
  status: status.optional().describe('Only items with this status.'),
  outcome: z.enum(OUTCOMES).optional().describe('Only completed ones that established a cause, or none.'),
  service: name
    .optional()
    .describe('Only those with this service at fault, or with its symptom; without a report, those that name it.'),
  source: name.optional().describe('Only those that queried this source.'),
  trigger: z.enum(TRIGGERS).optional().describe('Filter by trigger.'),
  min_confidence: z.coerce.number().min(0).max(1).optional().describe('Only those with at least this confidence.'),
  from: time.optional().describe('Only those started at or after it.'),
  to: time.optional().describe('Only those started before it.'),
  search: z
    .string()
    .min(1)
    .max(200)
    .regex(/\S/, 'Value must not be blank')
    .optional()
    .describe(
      'Words of the question or the finding, matched by prefix, case-insensitive; "quoted" for phrases; -word excludes.',
    ),
});

const summaryFields = z.object({
  id: z.uuid(),
  query: z.string(),
  status,
  alert_summary: z.string().nullable(),
  limit_reached: z.string().nullable(),
  rerun_of: z.uuid().nullable(),
  trigger: z.enum(TRIGGERS).describe('What opened it.'),
  created_at: time,
  finished_at: time.nullable(),
  url: z.string(),
});

const InvestigationSummary = summaryFields
  .extend({
    started_at: time.nullable(),
    duration_seconds: z.number().nullable().describe('Of the whole run; null while it is processing.'),
    cost: z.number().describe('US dollars so far.'),
    model: z.string().nullable().describe('The model that answered last.'),
    steps: z.int().describe('Model turns so far.'),
    tool_calls: z.int(),
    doing: z.string().nullable().describe('The running tool call, in words; null if there is none.'),
    confidence: z.number().nullable().describe('From the report; null while there is none.'),
    root_cause_service: z.string().nullable().describe('The faulty service; null while unknown.'),
  })
  .meta({ id: 'InvestigationSummary' });

export const InvestigationListResponse = z
  .object({ items: z.array(InvestigationSummary), page: z.int(), count: z.int(), total: z.int() })
  .meta({ id: 'InvestigationListResponse' });

const citedSource = z
  .object({ id: z.string(), recorded: z.boolean().describe('A recording: nothing in it is about the present.') })
  .nullable()
  .describe('The source that was queried; null if none was.');

const InvestigationToolCall = z
  .object({
    id: z.uuid(),
    evidence: z.int().describe('The number that the report cites.'),
    name: z.string(),
    summary: z.string(),
    input: z.unknown(),
    status: z.enum(['pending', 'completed', 'cancelled']),
    is_error: z.boolean(),
    source: citedSource,
    answer: z
      .enum(['data', 'nothing', 'refused', 'unavailable'])
      .nullable()
      .describe('What the source made of it; null for tools that query none.'),
    digest: z.string().nullable(),
    bytes: z.int().nullable(),
    sha256: z.string().nullable(),
    started_at: time.nullable(),
    finished_at: time.nullable(),
    duration_ms: z.int().nullable(),
    has_series: z.boolean().describe('Whether its result can be charted: see `/api/tool-results/{tool_id}/series`.'),
    result_url: z.string(),
  })
  .meta({ id: 'InvestigationToolCall' });

const InvestigationStep = z
  .object({
    step: z.int(),
    note: z.string().nullable(),
    text: z.string(),
    reasoning: z.string(),
    stop_reason: z.string(),
    model: z.string(),
    cost_usd: z.number(),
    started_at: time,
    finished_at: time,
    tool_calls: z.array(InvestigationToolCall),
  })
  .meta({ id: 'InvestigationStep' });

const RunUsage = z
  .object({
    input_tokens: z.int(),
    output_tokens: z.int(),
    cache_creation_input_tokens: z.int(),
    cache_read_input_tokens: z.int(),
    cost: z.number().describe('US dollars.'),
    model: z.string().nullable(),
    provider: z.string().nullable(),
    api_calls_count: z.int(),
  })
  .meta({ id: 'RunUsage' });

const InvestigationCitation = z
  .object({
    n: z.int(),
    evidence: z.int(),
    tool_call_id: z.uuid().nullable(),
    tool: z.string().nullable(),
    source: citedSource,
    sha256: z.string().nullable(),
    excerpts: z.array(z.object({ text: z.string(), verified: z.boolean(), offset: z.int().nullable() })),
  })
  .meta({ id: 'InvestigationCitation' });

const RecommendedPullRequest = z
  .object({
    tool_call_id: z.uuid().describe('The suggest_pr call.'),
    evidence: z.int(),
    title: z.string(),
    body: z.string(),
    repository: z.string(),
    base: z.string().describe('The branch to merge into.'),
    base_commit: z.string().describe('The commit that the change was checked against.'),
    reverts: z
      .object({ commit: z.string(), summary: z.string(), author: z.string(), at: z.string() })
      .nullable()
      .describe('The commit that it reverts; null for other changes.'),
    files: z.array(
      z.object({
        path: z.string(),
        change: z.enum(['added', 'modified', 'deleted']),
        additions: z.int(),
        deletions: z.int(),
      }),
    ),
    diff: z.string().describe('Unified.'),
    diff_truncated: z.boolean(),
    warnings: z.array(z.string()),
  })
  .meta({ id: 'RecommendedPullRequest' });

const InvestigationReport = reportSchema
  .omit({ citations: true, hypotheses: true, recommended_pr: true })
  .extend({
    confidence_basis: confidenceBasis.describe(
      'measured: how often evidence like this was right on known incidents; stated: by the model.',
    ),
    symptom: symptom.nullable().describe('Null if nothing was ranked.'),
    recommended_pr: RecommendedPullRequest.nullable().describe(
      'The change that it recommends as a pull request; POST /api/create-pr/from-investigation opens it.',
    ),
    unverified_claims: z.array(z.object({ where: z.string(), claim: z.string(), why: z.string() })),
  })
  .meta({ id: 'InvestigationReport' });

const counts = {
  asked: z.int().describe('Queries made.'),
  answered: z.int().describe('Queries that brought data.'),
  failed: z.int().describe('Queries that were not answered.'),
};

const InvestigationCoverage = z
  .object({
    outcome: z
      .enum(['answered', 'nothing_found', 'no_sources', 'sources_failed'])
      .describe('`no_sources`: the team has none; `sources_failed`: none that was asked answered.'),
    signals: z.array(
      z.object({
        signal: z.enum(SIGNALS),
        status: z.enum(['answered', 'empty', 'failed', 'not_asked', 'not_connected']),
        sources: z.array(z.string()).describe('Sources that offer it.'),
        ...counts,
        leaves_open: z.string().nullable().describe('What is not known for lack of it, in words.'),
      }),
    ),
    sources: z.array(
      z.object({
        source: z.string(),
        recorded: z.boolean(),
        ...counts,
        error: z.string().nullable().describe('Why it did not answer; null if it did.'),
      }),
    ),
  })
  .meta({ id: 'InvestigationCoverage' });

/** The report, and what stands beside it. */
export const reportFields = {
  report: InvestigationReport.nullable(),
  coverage: InvestigationCoverage.nullable().describe('What was asked and what answered; null while it runs.'),
  hypotheses: reportSchema.shape.hypotheses,
  citations: z.array(InvestigationCitation),
};

const judgement = z.enum(['right', 'wrong']).nullable();

export const SimilarInvestigationsResponse = z
  .object({
    items: z.array(
      z.object({
        id: z.uuid(),
        alert_summary: z.string().nullable(),
        service: z.string().nullable().describe('At fault, or its first candidate.'),
        shares: z.array(z.enum(['service', 'alert', 'log template'])),
        judgement: judgement.describe('What people said of its report.'),
        created_at: time,
      }),
    ),
  })
  .meta({ id: 'SimilarInvestigationsResponse' });

export const JudgementRequest = z
  .object({ judgement: judgement.describe('Whether the report was right; null removes the rating.') })
  .meta({ id: 'JudgementRequest' });

export const JudgementResponse = z.object({ judgement, judged_at: time.nullable() }).meta({ id: 'JudgementResponse' });

export const InvestigationDetailResponse = summaryFields
  .extend({
    judgement: judgement.describe('Whether people found the report right; null if nobody said.'),
    investigation_text: z.string().nullable(),
    explanation: z.string().nullable(),
    error: z
      .object({ code: z.enum(['sources_failed', 'model_failure', 'failed']), message: z.string() })
      .nullable()
      .describe('Why it failed; null unless it did.'),
    started_at: time.nullable(),
    cancel_requested_at: time.nullable(),
    progress: z
      .object({
        phase: z.string(),
        step: z.int(),
        tool_calls: z.int(),
        cost_usd: z.number(),
        limit: z.string().nullable(),
        waiting_for: z.string().nullable().describe('What a tool call waits for, such as `satellite shop`.'),
      })
      .nullable()
      .describe('From the running workflow; null if it has ended or no worker answers.'),
    plan: z.array(
      z.object({ text: z.string(), status: z.enum(['pending', 'in_progress', 'done', 'skipped', 'no_data']) }),
    ),
    steps: z.array(InvestigationStep),
    messages: z.array(
      z.object({ id: z.uuid(), text: z.string(), created_at: time, delivered_step: z.int().nullable() }),
    ),
    ...reportFields,
    pull_requests: z
      .array(
        z.object({
          id: z.uuid(),
          repository: z.string(),
          title: z.string(),
          status: z.enum(['pending', 'open', 'merged', 'closed', 'conflict', 'failed']),
          number: z.int().nullable(),
          url: z.string().nullable(),
        }),
      )
      .describe('Opened from it, newest first; one that is merged is what fixed the problem.'),
    usage: RunUsage,
    temporal: z.object({ workflow_id: z.string(), url: z.string().nullable() }),
  })
  .meta({ id: 'InvestigationDetailResponse' });

export const MessageRequest = z
  .object({
    text: z.string().max(20_000).regex(/\S/, 'Value must not be blank'),
  })
  .meta({ id: 'InvestigationMessageRequest' });

export const MessageResponse = z
  .object({ message_id: z.uuid(), created_at: time })
  .meta({ id: 'InvestigationMessageResponse' });
