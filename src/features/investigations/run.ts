import { LockMode } from '@mikro-orm/core';
import type { Orm, EntityManager } from '../../db/orm.ts';
import { forTeam } from '../../db/team-filter.ts';
import type { Clock } from '../../platform/clock.ts';
import type { EventLog } from '../../platform/event-log/port.ts';
import { CANCELLED_BY_USER, conversationStream, isOpen, Run, stateEvent, type RunDeps } from '../runs/index.ts';
import {
  closeSteps,
  Conversation,
  evidenceReader,
  loadEvidence,
  Message,
  ModelTurn,
  ToolCall,
} from '../transcripts/index.ts';
import type {
  BeginInvestigationInput,
  BeginInvestigationResult,
  FinishInvestigationInput,
  FinishInvestigationResult,
  InvestigationStatus,
} from './contract.ts';
import { Investigation } from './entities.ts';
import { findSimilar } from './similar/find.ts';
import { traitsOf } from './similar/traits.ts';
import { endEvent } from './status/events.ts';
import type { LoadSources } from '../sources/index.ts';
import type { StoredEvidence } from '../tools/index.ts';
import type { Coverage } from './coverage/compute.ts';
import { failureOfSources, reportWithoutData, reportWithoutSources } from './coverage/conclude.ts';
import { loadCoverage } from './coverage/load.ts';
import { renderCoverage } from './coverage/render.ts';
import {
  calibrate,
  checkReportAgainst,
  composeFallbackReport,
  renderReport,
  symptomOf,
  readSuggestion,
  recommendedIn,
  reportSchema,
  type CheckedReport,
  type RecommendedPr,
} from './report/index.ts';
import { safeBlock } from './report/safe-markdown.ts';

/** How many a report lists. */
const MAX_SIMILAR = 5;

export type InvestigationRunDeps = RunDeps & OutcomeDeps;

export interface OutcomeDeps {
  orm: Orm;
  events: EventLog;
  clock: Clock;
  /** Where people see an investigation: `{app_url}/investigation/<id>`. */
  appUrl: string;
  sources: LoadSources;
}

/** Records that the run has started, and notifies followers. */
export async function openCase(deps: OutcomeDeps, input: BeginInvestigationInput): Promise<BeginInvestigationResult> {
  const em = forTeam(deps.orm.em, input.teamId);
  const investigation = await em.findOneOrFail(Investigation, { id: input.investigationId });
  const now = deps.clock.now();
  await em.nativeUpdate(Run, { id: investigation.id, startedAt: null }, { startedAt: now, updatedAt: now });
  const { id, query, status, cancelRequestedAt } = investigation;
  if (isOpen(status)) {
    await deps.events.append(conversationStream(id), [stateEvent('run.started', 'run:started', { query })]);
  }
  return { title: titleOf(query), cancelled: !isOpen(status) || cancelRequestedAt !== null };
}

/**
 * Records how an investigation ended: the checked report as Markdown, or why there is none. Idempotent: a recorded end
 * stays. With `unlessUnread` nothing is recorded while a message waits. A completed investigation always has a report,
 * composed from the evidence if the model gave none. One whose sources all failed has failed, whatever the model says.
 */
export async function recordOutcome(
  deps: OutcomeDeps,
  input: FinishInvestigationInput,
): Promise<FinishInvestigationResult> {
  const reading = forTeam(deps.orm.em, input.teamId);
  const found = await reading.findOneOrFail(Investigation, { id: input.investigationId });
  // Build the report before locking the row: reading its evidence may take a while.
  const end = isOpen(found.status) ? await conclusion(deps, reading, found, input) : undefined;
  const recorded = await forTeam(deps.orm.em, input.teamId).transactional(async (em) => {
    const [{ id }, lockMode] = [found, LockMode.PESSIMISTIC_WRITE];
    const conversation = await em.findOneOrFail(Conversation, { id }, { lockMode });
    const row = await em.findOneOrFail(Investigation, { id }, { lockMode });
    const open = isOpen(row.status) && !(input.unlessUnread && (await hasUnreadMessages(em, id)));
    if (open && end) {
      em.assign(row, { ...end, finishedAt: deps.clock.now() });
      await closeSteps(em, conversation);
    }
    return row;
  });
  const { id, status, alertSummary, report } = recorded;
  if (isOpen(status)) return { status: 'processing', title: titleOf(recorded.query) };
  await deps.events.append(conversationStream(id), [endEvent(recorded)]);
  return {
    status,
    title: alertSummary ?? status,
    service: report?.root_cause.service ?? undefined,
    confidence: report?.confidence,
  };
}

async function hasUnreadMessages(em: EntityManager, conversationId: string): Promise<boolean> {
  return (await em.count(Message, { conversationId, deliveredStep: null })) > 0;
}

type Conclusion = Pick<
  Investigation,
  'status' | 'alertSummary' | 'investigationText' | 'report' | 'coverage' | 'limitReached' | 'explanation' | 'traits'
>;

async function conclusion(
  deps: OutcomeDeps,
  em: EntityManager,
  investigation: Investigation,
  input: FinishInvestigationInput,
): Promise<Conclusion> {
  const conversation = await em.findOneOrFail(Conversation, { id: investigation.id });
  const turns = await em.find(ModelTurn, { conversationId: investigation.id }, { orderBy: { step: 'desc' }, limit: 1 });
  const submitted = reportSchema.safeParse(conversation.result?.value);
  const coverage = await loadCoverage(deps, em, investigation);
  const rest = { coverage, limitReached: input.limit ?? null, explanation: input.explanation ?? null };
  const covered = renderCoverage(coverage);

  if (input.outcome !== 'completed' && !submitted.success) {
    const status: InvestigationStatus = input.outcome;
    const why = input.explanation ?? (investigation.cancelRequestedAt ? CANCELLED_BY_USER : 'No reason is known.');
    const alertSummary =
      status === 'cancelled' ? 'Cancelled before a root cause was found' : 'The investigation failed';
    const results = await em.count(ToolCall, { conversationId: investigation.id, status: 'completed' });
    const known = results > 0 ? `\n\nTool results that were collected and are kept with it: ${results}.` : '';
    return {
      ...rest,
      status,
      alertSummary,
      report: null,
      traits: null,
      investigationText: `# ${alertSummary}\n\n${why}${known}\n\n${covered}`,
    };
  }

  if (coverage.outcome === 'sources_failed') {
    const alertSummary = 'No telemetry source answered';
    const explanation = failureOfSources(coverage);
    const text = `# ${alertSummary}\n\n${safeBlock(explanation)} Ask again once they are back.\n\n${covered}`;
    return {
      ...rest,
      explanation,
      status: 'failed',
      alertSummary,
      report: null,
      traits: null,
      investigationText: text,
    };
  }

  const evidence = await loadEvidence(em, investigation.id);
  const { query } = investigation;
  const { limit, explanation: failure } = input;
  const written = submitted.success ? submitted.data : composeFallbackReport({ query, limit, failure, evidence });
  const { report, confidenceBasis } = calibrate(written, evidence);
  const read = await checkReportAgainst(report, evidenceReader(em, investigation.id));
  const symptom = symptomOf(evidence);
  const recommendedPr = recommendedIn(evidence, written.recommended_pr?.suggestion);
  const checked = supported(
    coverage,
    { ...read, confidenceBasis, ...(symptom && { symptom }), ...(recommendedPr && { recommendedPr }) },
    deps.appUrl,
  );
  const traits = traitsOf(report, evidence);
  const similar = await findSimilar(em, traits, { except: investigation.id, limit: MAX_SIMILAR });
  const [turn] = turns;
  const investigationText = renderReport(checked, {
    model: turn?.model ?? 'no model answered',
    provider: turn?.provider === 'offline' ? 'offline' : 'anthropic',
    limit: input.limit,
    coverage: covered,
    ...suggestionAmong(evidence, checked.recommendedPr),
    similar: similar.map(({ row, shares }) => ({
      title: row.alertSummary ?? 'Without a title',
      url: urlOf(deps, row.id),
      createdAt: row.createdAt,
      shares,
      judgement: row.judgement,
    })),
    investigationUrl: urlOf(deps, investigation.id),
  });
  return { ...rest, status: 'completed', alertSummary: checked.title, report: checked, traits, investigationText };
}

function suggestionAmong(evidence: readonly StoredEvidence[], recommended: RecommendedPr | undefined) {
  const stored = evidence.find(({ toolCallId }) => toolCallId === recommended?.toolCallId);
  const suggestion = stored && readSuggestion(stored);
  return suggestion ? { suggestion } : {};
}

function urlOf({ appUrl }: Pick<OutcomeDeps, 'appUrl'>, investigationId: string): string {
  return `${appUrl}/investigation/${investigationId}`;
}

/** A report as far as its sources can support one. */
function supported({ outcome, sources }: Coverage, report: CheckedReport, appUrl: string): CheckedReport {
  if (outcome === 'no_sources') return reportWithoutSources(appUrl);
  const isAsked = sources.some(({ asked }) => asked > 0);
  return outcome === 'nothing_found' && isAsked ? reportWithoutData(report) : report;
}

/** The run's name for operators: one line of the question. */
export function titleOf(query: string): string {
  const line = query.replaceAll(/\s+/g, ' ').trim();
  return line.length <= 120 ? line : `${line.slice(0, 119)}…`;
}
