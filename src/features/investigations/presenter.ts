import { isOpen, shownStatus } from '../runs/index.ts';
import type { z } from 'zod';
import { hasSeries } from '../charts/index.ts';
import type { RunProgress } from '../runs/index.ts';
import { isRecorded } from '../sources/index.ts';
import { sourceOfCall, type Conversation, type ModelTurn, type ToolCall, type Message } from '../transcripts/index.ts';
import { investigationWorkflowId } from './contract.ts';
import { errorOf } from './failure.ts';
import type { Investigation } from './entities.ts';
import type { ListedInvestigation } from './queries.ts';
import type { OpenedPullRequest } from './deps.ts';
import type { RecommendedPr, StoredSuggestion } from './report/index.ts';
import type { InvestigationRow } from './service.ts';
import type { InvestigationStatusRow } from './status/reader.ts';
import type {
  InvestigationDetailResponse,
  InvestigationListResponse,
  InvestigationResponse,
  SimilarInvestigationsResponse,
} from './schemas.ts';
import type { SimilarInvestigation } from './similar/find.ts';

type Detail = z.input<typeof InvestigationDetailResponse>;
type Summary = z.input<typeof InvestigationListResponse>['items'][number];

/** Base addresses in responses. */
export interface Links {
  /** Without a trailing slash. */
  appUrl: string;
  temporalUiUrl?: string;
  temporalNamespace: string;
}

/** Interface 2.5: both results are null while it is processing. */
export function presentStatus(row: InvestigationStatusRow): z.input<typeof InvestigationResponse> {
  const running = isOpen(row.status);
  return {
    id: row.id,
    status: shownStatus(row.status),
    alert_summary: running ? null : row.alertSummary,
    investigation_text: running ? null : row.investigationText,
  };
}

export function presentListed(listed: ListedInvestigation, links: Links): Summary {
  const { row } = listed;
  const { startedAt, createdAt, finishedAt } = row;
  return {
    ...summaryOf(row, links),
    started_at: iso(startedAt),
    // It may end before its start was recorded.
    duration_seconds: finishedAt && Math.max(0, finishedAt.getTime() - (startedAt ?? createdAt).getTime()) / 1_000,
    cost: listed.cost,
    model: listed.model,
    steps: listed.steps,
    tool_calls: listed.toolCalls,
    doing: listed.doing,
    confidence: listed.confidence,
    root_cause_service: listed.rootCauseService,
  };
}

function summaryOf(row: Omit<InvestigationRow, 'report' | 'investigationText'>, links: Links) {
  return {
    id: row.id,
    query: row.query,
    status: shownStatus(row.status),
    alert_summary: row.alertSummary,
    limit_reached: row.limitReached,
    rerun_of: row.rerunOfId,
    trigger: row.trigger,
    created_at: row.createdAt.toISOString(),
    finished_at: iso(row.finishedAt),
    url: `${links.appUrl}/investigation/${row.id}`,
  };
}

export interface DetailRows {
  investigation: Investigation;
  conversation: Conversation;
  turns: ModelTurn[];
  toolCalls: ToolCall[];
  messages: Message[];
  progress?: RunProgress;
  pullRequests: OpenedPullRequest[];
  /** Of the report's `recommendedPr`. */
  suggestion?: StoredSuggestion;
}

export function presentDetail(rows: DetailRows, links: Links): Detail {
  const { investigation, conversation, turns, messages, progress } = rows;
  return {
    ...summaryOf(investigation, links),
    judgement: investigation.judgement,
    investigation_text: investigation.investigationText,
    explanation: investigation.explanation,
    error: errorOf(investigation),
    started_at: iso(investigation.startedAt),
    cancel_requested_at: iso(investigation.cancelRequestedAt),
    progress: progress
      ? {
          phase: progress.phase,
          step: progress.step,
          tool_calls: progress.toolCalls,
          cost_usd: progress.costUsd,
          limit: progress.limit ?? null,
          waiting_for: progress.waitingFor ?? null,
        }
      : null,
    plan: conversation.plan,
    steps: turns.map((turn) => presentStep(turn, rows.toolCalls)),
    messages: messages.map((message) => ({
      id: message.id,
      text: message.text,
      created_at: message.createdAt.toISOString(),
      delivered_step: message.deliveredStep,
    })),
    ...presentReport(investigation, rows.suggestion),
    pull_requests: rows.pullRequests,
    usage: presentUsage(turns),
    temporal: {
      workflow_id: investigationWorkflowId(investigation.id),
      url: links.temporalUiUrl
        ? `${links.temporalUiUrl}/namespaces/${links.temporalNamespace}/workflows/${investigationWorkflowId(investigation.id)}`
        : null,
    },
  };
}

function presentRecommended(
  recommendedPr: RecommendedPr | undefined,
  suggestion: StoredSuggestion | undefined,
): NonNullable<Detail['report']>['recommended_pr'] {
  if (!recommendedPr || !suggestion) return null;
  const { kind: _kind, reverts, diff_truncated: isCut, ...shown } = suggestion;
  return {
    tool_call_id: recommendedPr.toolCallId,
    evidence: recommendedPr.evidence,
    ...shown,
    reverts: reverts ?? null,
    diff_truncated: isCut ?? false,
  };
}

/**
 * The report, and what stands beside it.
 * @param suggestion the change that it recommends, if it is to be shown
 */
export function presentReport(
  investigation: Investigation,
  suggestion?: StoredSuggestion,
): Pick<Detail, 'report' | 'coverage' | 'hypotheses' | 'citations'> {
  const { report } = investigation;
  return {
    report: report
      ? {
          title: report.title,
          root_cause: report.root_cause,
          confidence: report.confidence,
          confidence_basis: report.confidenceBasis ?? 'stated',
          summary: report.summary,
          timeline: report.timeline,
          impact: report.impact,
          symptom: report.symptom ?? null,
          recommended_change: report.recommended_change,
          recommended_pr: presentRecommended(report.recommendedPr, suggestion),
          unverified_claims: report.unverifiedClaims,
        }
      : null,
    coverage: presentCoverage(investigation),
    hypotheses: report?.hypotheses ?? [],
    citations: (report?.citations ?? []).map(({ toolCallId, source, ...citation }) => ({
      ...citation,
      tool_call_id: toolCallId,
      source: presentSource(source),
    })),
  };
}

const presentSource = (id: string | undefined) => (id === undefined ? null : { id, recorded: isRecorded(id) });

function presentCoverage({ coverage }: Investigation): Detail['coverage'] {
  if (!coverage) return null;
  const { outcome, signals, sources } = coverage;
  return {
    outcome,
    signals: signals.map(({ leavesOpen, ...signal }) => ({ ...signal, leaves_open: leavesOpen })),
    sources,
  };
}

export function presentSimilar(found: SimilarInvestigation[]): z.input<typeof SimilarInvestigationsResponse> {
  return {
    items: found.map(({ row, shares }) => ({
      id: row.id,
      alert_summary: row.alertSummary,
      service: row.traits?.service ?? null,
      shares,
      judgement: row.judgement,
      created_at: row.createdAt.toISOString(),
    })),
  };
}

function presentStep(turn: ModelTurn, calls: ToolCall[]): Detail['steps'][number] {
  const joined = (parts: string[]): string => parts.join('\n').trim();
  return {
    step: turn.step,
    note: turn.note,
    text: joined(turn.content.flatMap((block) => (block.type === 'text' ? [block.text] : []))),
    reasoning: joined(turn.content.flatMap((block) => (block.type === 'thinking' ? [block.thinking] : []))),
    stop_reason: turn.stopReason,
    model: turn.model,
    cost_usd: turn.costUsd,
    started_at: turn.startedAt.toISOString(),
    finished_at: turn.finishedAt.toISOString(),
    tool_calls: calls.filter((call) => call.step === turn.step).map(presentToolCall),
  };
}

function presentToolCall(call: ToolCall): Detail['steps'][number]['tool_calls'][number] {
  return {
    id: call.id,
    evidence: call.evidence,
    name: call.name,
    summary: call.summary,
    input: call.input,
    status: call.status,
    is_error: call.isError,
    source: presentSource(sourceOfCall(call)),
    answer: call.answer ?? null,
    digest: call.digest,
    bytes: call.bytes,
    sha256: call.sha256,
    started_at: iso(call.startedAt),
    finished_at: iso(call.finishedAt),
    duration_ms: call.startedAt && call.finishedAt ? call.finishedAt.getTime() - call.startedAt.getTime() : null,
    has_series: hasSeries(call),
    result_url: `/api/tool-results/${call.id}`,
  };
}

function presentUsage(turns: ModelTurn[]): Detail['usage'] {
  const sum = (value: (turn: ModelTurn) => number): number => turns.reduce((total, turn) => total + value(turn), 0);
  const last = turns.at(-1);
  return {
    input_tokens: sum((turn) => turn.inputTokens),
    output_tokens: sum((turn) => turn.outputTokens),
    cache_creation_input_tokens: sum((turn) => turn.cacheCreationInputTokens),
    cache_read_input_tokens: sum((turn) => turn.cacheReadInputTokens),
    cost: sum((turn) => turn.costUsd),
    model: last?.model ?? null,
    provider: last?.provider ?? null,
    api_calls_count: turns.length,
  };
}

function iso(date: Date | null): string | null {
  return date ? date.toISOString() : null;
}
