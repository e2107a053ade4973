/** Writes the report of an investigation, only from what its tools returned. */
import {
  blockedLoopPhrase,
  clockTime,
  code,
  exhaustedPool,
  exhaustionPhrase,
  metricPhrase,
  onsetPhrase,
} from '@casebook/wording';
import type { Report } from '../../../../src/features/investigations/report/schema.ts';
import type { Call } from '../../transcript.ts';
import { pathBetween, type CaseFile } from './case-file.ts';
import { Citations, members } from './citations.ts';
import { commitSentence, revertOf, suggestedIn, suspectCommit, type SuspectCommit } from './code-evidence.ts';
import { changesNear, conclude, onsetError, type Conclusion, type NearChange, type RankedCause } from './conclusion.ts';
import {
  blockingIn,
  blockingStatement,
  blockingTitle,
  databaseReport,
  databaseSentences,
  endBlocking,
  PLAIN_CONFIDENCE,
} from './database-evidence.ts';
import { hypotheses } from './hypotheses.ts';
import { recommendation } from './recommendation.ts';
import type { SourceChoice } from './sources.ts';
import {
  changeSentence,
  citeEdge,
  citeScores,
  evidenceSentence,
  exhaustionOf,
  feltSentence,
  findingSentence,
} from './statements.ts';
import { traceSentence } from './trace-evidence.ts';
import { clip, failureOf, name, quote } from '../wording.ts';

const MAX_FAILURES = 5;
/** What is left of a partial report's confidence at most: nobody has looked at what the ranking names. */
const UNFINISHED = 0.6;
/** By the meaning of a service's strongest signal, or the kind of its strongest evidence. */
const TROUBLE: Record<string, string> = {
  latency: 'slow',
  errors: 'failing',
  availability: 'failing',
  saturation: 'saturated',
  headroom: 'resource nearly exhausted',
  traffic: 'unusual traffic',
  self_time: 'slow in its own code',
  edge_time: 'network latency',
  span_errors: 'failing',
  missing_calls: 'missing calls',
  new_calls: 'new calls',
  new_logs: 'new log lines',
  missing_logs: 'missing log lines',
  log_rate: 'unusual log rate',
};

/** `slow`, `failing` and the like. */
export function troubleOf({ signals, evidence: [strongest] }: RankedCause): string {
  const kind = strongest === undefined || strongest.kind === 'metric' ? signals[0]?.meaning : strongest.kind;
  return (kind === undefined ? undefined : TROUBLE[kind]) ?? 'anomalous';
}

interface ReportContext {
  choice?: SourceChoice;
  /** Why the report is incomplete. */
  partial?: string;
  named: string[];
}

export function writeReport(file: CaseFile, context: ReportContext): Report {
  const citations = new Citations();
  if (!context.choice)
    return databaseReport(file, citations, context.partial) ?? withoutSources(file, citations, context);
  const conclusion = conclude(file);
  const { cause } = conclusion;
  const blocking = cause ? undefined : blockingIn(file, context.choice);
  const confidence = blocking ? PLAIN_CONFIDENCE : conclusion.confidence;
  const statement = cause
    ? causeStatement(file, conclusion, citations)
    : blocking
      ? blockingStatement(blocking, citations)
      : noCauseStatement(file, context.choice, citations);
  return {
    title: clip(blocking ? blockingTitle(blocking) : title(file, conclusion), 160),
    root_cause: { service: cause?.service ?? blocking?.tool.system ?? null, statement: clipCited(statement, 4_000) },
    confidence: context.partial ? Math.min(confidence, UNFINISHED) : confidence,
    summary: clipCited(summary(file, conclusion, context, citations), 8_000),
    hypotheses: hypotheses(file, conclusion, context.named, citations).slice(0, 20),
    timeline: timeline(file, context.choice, conclusion, citations).slice(0, 50),
    impact: clipCited(impact(file, context.choice, citations), 4_000),
    recommended_change: blocking ? endBlocking(blocking) : recommendation(conclusion, revertOf(file)),
    ...suggestedIn(file),
    citations: citations.list,
  };
}

function title(file: CaseFile, { cause, findings }: Conclusion): string {
  const alerting = file.ranking?.result.alert.service;
  const subject = alerting ? ` for ${alerting}` : '';
  if (!file.ranking) return 'No root cause: the causes could not be ranked';
  if (!cause) return `No root cause found${subject}`;
  const [signal] = cause.signals;
  const gaveOut = findings.flatMap(({ text }) => {
    const pool = exhaustedPool(text);
    return (pool ? exhaustionPhrase(pool) : blockedLoopPhrase(text)) ?? [];
  });
  const [strongest] = cause.evidence;
  const measured = signal && strongest?.kind === 'metric' ? ` (${metricPhrase(signal).replace(/ \(`.*$/, '')})` : '';
  const effect = alerting && alerting !== cause.service ? `, affects ${alerting}` : '';
  return `${cause.service}: ${gaveOut[0] ?? troubleOf(cause) + measured}${effect}`;
}

/** The mechanism first: what gave out, what else the evidence shows, the line that says it, the change before it. */
function causeStatement(file: CaseFile, conclusion: Conclusion, citations: Citations): string {
  const { cause, change, findings, onset } = conclusion;
  if (!cause || !file.ranking) return '';
  const exhausted = findings.find(({ text }) => exhaustedPool(text));
  const telling = exhausted ?? findings.find(({ kind }) => kind !== 'access');
  const [strongest] = cause.evidence;
  const other = cause.evidence.find(({ kind }) => kind !== strongest?.kind);
  const suspect = suspectCommit(file);
  return [
    exhausted && exhaustionOf(citations, cause.service, exhausted),
    ...[strongest, other].map((one) => one && evidenceSentence(file, citations, cause, one)),
    traceSentence(file, citations, cause),
    telling && !exhausted && findingSentence(citations, cause.service, telling),
    telling?.blamed && keptBlame(file, cause, telling.blamed, citations),
    change && !isCommit(change, suspect) && changeSentence(citations, change, onset),
    suspect && commitSentence(citations, suspect, onset),
  ]
    .filter(Boolean)
    .join(' ');
}

/** ``db` affects `web` through `api` [8].`` */
function reachSentence(file: CaseFile, cause: RankedCause, citations: Citations): string | undefined {
  const alerting = file.ranking?.result.alert.service ?? '';
  const path = pathBetween(file, alerting, cause.service);
  if (!path) return undefined;
  const between = path.slice(1, -1).map((one) => code(one));
  const way = between.length > 0 ? ` through ${between.toReversed().join(' → ')}` : '';
  return `${code(cause.service)} affects ${code(alerting)}${way}${citeEdge(file, citations, path)}.`;
}

/** Why a service is at fault although its logs blame another. */
function keptBlame(file: CaseFile, cause: RankedCause, blamed: string, citations: Citations): string {
  const other = file.ranking?.result.causes.find(({ service }) => service === blamed);
  if (!other) return '';
  return `The line names ${code(blamed)}, but the evidence against ${code(cause.service)} is stronger${citeScores(file, citations, other)}.`;
}

function noCauseStatement(file: CaseFile, choice: SourceChoice, citations: Citations): string {
  const { ranking } = file;
  if (ranking) {
    const { services, series } = ranking.result.considered;
    const cited = citations.cite(ranking.call, members(ranking.result, 'considered'));
    return `Root cause unknown: none of ${series} series of ${services} services shows a clear harmful change${cited}.`;
  }
  const failed = file.failures.find(({ tool }) => tool === 'rank_root_causes');
  if (failed) return `Root cause unknown, because the ranking failed: ${failure(failed, citations)}.`;
  return `Root cause unknown: possible causes were not ranked${citeSource(choice, file, citations)}.`;
}

function subjectSentence({ choice, partial }: ReportContext, file: CaseFile, citations: Citations): string {
  const note = partial ? `${partial} ` : '';
  return choice ? alertSentence(choice, file, citations, note) : note;
}

function alertSentence(choice: SourceChoice, file: CaseFile, citations: Citations, note = ''): string {
  const { alert, primary } = choice;
  if (!alert) return `${note}Examined ${name(primary.id)}${citeSource(choice, file, citations)}.`;
  const cited = citations.cite(file.sources?.call, members(alert, 'summary'), members(alert, 'name'));
  return `${note}Alert ${code(alert.name)} fired on ${code(alert.service)} at ${clockTime(alert.at)}: ${quote(alert.summary, 300)}${cited}.`;
}

function citeSource({ primary }: SourceChoice, { sources }: CaseFile, citations: Citations): string {
  return citations.cite(sources?.call, members(primary, 'id'));
}

/** Whether a change is that commit, which has a sentence of its own. */
const isCommit = ({ change }: NearChange, suspect: SuspectCommit | undefined): boolean =>
  suspect !== undefined && change.commit === suspect.id;

function timeline(
  file: CaseFile,
  choice: SourceChoice,
  conclusion: Conclusion,
  citations: Citations,
): Report['timeline'] {
  const suspect = suspectCommit(file);
  const changes = changesNear(file).filter((near) => !isCommit(near, suspect));
  const events: Report['timeline'] = changes.map((near) => ({
    at: near.change.at,
    event: clipCited(changeSentence(citations, near), 1_000),
  }));
  const { onset } = conclusion;
  if (onset && file.ranking) {
    const said = onsetPhrase(onset, onsetError(file, onset));
    const cited = citations.cite(file.ranking.call, `"onset":${JSON.stringify(onset)}`);
    events.push({ at: onset, event: `Metrics start to deviate from the baseline ${said}${cited}.` });
  }
  if (suspect) events.push({ at: suspect.at, event: clipCited(commitSentence(citations, suspect), 1_000) });
  const [finding] = conclusion.findings;
  if (finding && conclusion.cause) {
    events.push({
      at: finding.pattern.first,
      event: clipCited(findingSentence(citations, conclusion.cause.service, finding), 1_000),
    });
  }
  if (choice.alert)
    events.push({ at: choice.alert.at, event: clipCited(alertSentence(choice, file, citations), 1_000) });
  return events.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

function impact(file: CaseFile, choice: SourceChoice, citations: Citations): string {
  const { alert, causes = [] } = file.ranking?.result ?? {};
  const felt = causes.find(({ service }) => service === alert?.service);
  const sentence = felt && feltSentence(file, citations, felt);
  if (sentence) return sentence;
  if (choice.alert) return alertSentence(choice, file, citations);
  return `Impact unknown: no evidence measures it${citeSource(choice, file, citations)}.`;
}

/** What the impact and the cause do not say: the alert, how the fault reaches it, and what could not be read. */
function summary(file: CaseFile, { cause }: Conclusion, context: ReportContext, citations: Citations): string {
  const { alert, causes = [] } = file.ranking?.result ?? {};
  const felt = causes.find(({ service }) => service === alert?.service);
  const subject = subjectSentence(context, file, citations);
  const isSaid = context.choice?.alert && !context.partial && !(felt && feltSentence(file, citations, felt));
  const rest = [
    cause && reachSentence(file, cause, citations),
    ...databaseSentences(file, citations),
    ...limits(file, citations),
  ].filter(Boolean);
  return (isSaid && rest.length > 0 ? rest : [subject, ...rest]).join(' ');
}

/** What could not be read. */
function limits(file: CaseFile, citations: Citations): string[] {
  return file.failures
    .filter(({ tool }) => tool !== 'submit_report')
    .slice(0, MAX_FAILURES)
    .map((call) => `${call.tool} failed: ${failure(call, citations)}.`);
}

function failure(call: Call, citations: Citations): string {
  return `${failureOf(call)}${citations.cite(call, call.body.slice(0, 200).trim())}`;
}

function withoutSources(file: CaseFile, citations: Citations, { partial }: ReportContext): Report {
  const { sources } = file;
  const broken = sources?.result.sources.filter((source) => source.error) ?? [];
  const failed = file.failures.find(({ tool }) => tool === 'list_sources');
  const reason = absence();
  function absence(): string {
    if (failed) return `The telemetry sources could not be listed: ${failure(failed, citations)}.`;
    if (!sources) return 'No telemetry source was read.';
    const [first] = broken;
    if (!first) return `No telemetry source is configured${citations.cite(sources.call, '"sources":[]')}.`;
    const cited = citations.cite(sources.call, members(first, 'error'), members(first, 'id'));
    return `No telemetry source can be read; ${name(first.id)} reports ${quote(first.error ?? '', 300)}${cited}.`;
  }
  return {
    title: sources || failed ? 'No root cause: no telemetry source can be read' : 'No root cause: nothing read yet',
    root_cause: { service: null, statement: reason },
    confidence: 0,
    summary: [partial, reason].filter(Boolean).join(' '),
    hypotheses: [],
    timeline: [],
    impact: `Impact unknown: ${reason}`,
    recommended_change: {
      summary: 'Configure a telemetry source, then rerun the investigation.',
      details:
        'Set PROMETHEUS_URL for metrics, LOKI_URL for logs, or CASEBOOK_INCIDENTS_DIR for a folder of recorded incidents. If one is set, check that the worker can reach it.',
    },
    citations: citations.list,
  };
}

/** Cuts at the end of a sentence, to keep citations whole. */
function clipCited(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const head = text.slice(0, limit);
  const end = head.lastIndexOf('. ');
  return end > 0 ? head.slice(0, end + 1) : head.toWellFormed();
}
