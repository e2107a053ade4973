/**
 * Confidence that means something, whichever model wrote the report: the frequency, measured on known incidents, with
 * which the ranking was right at evidence like this. A model's own number counts only where it is lower. Below an even
 * chance a report names no cause.
 */
import { code, sentence } from '@casebook/wording';
import { oneLine, type StoredEvidence } from '../../tools/index.ts';
import { Draft } from './draft.ts';
import type { ConfidenceBasis, Hypothesis, Report } from './schema.ts';
import { lastRanking, type Ranked, type StoredRanking } from './stored-results.ts';
import { citedNumbers } from './text.ts';

/** From this confidence on a cause is established. */
export const ESTABLISHED = 0.5;

const MAX_CANDIDATES = 3;
const MAX_HYPOTHESES = 20;
const TITLE_CHARACTERS = 160;

/**
 * Bounds a report's confidence by the run's last ranking. For its first cause that is the measured frequency; for any
 * other cause, what this leaves. Without a ranking nothing was measured, and the model's number stands as its own.
 * @returns the report; without a cause, but with the candidates and what would decide between them, if its confidence is
 * below {@link ESTABLISHED}
 */
export function calibrate(
  report: Report,
  evidence: readonly StoredEvidence[],
): { report: Report; confidenceBasis: ConfidenceBasis } {
  const ranked = lastRanking(evidence);
  const { service } = report.root_cause;
  const bound = ranked ? boundOf(ranked.ranking, service) : 1;
  const confidence = Math.min(report.confidence, bound);
  const isFirst = ranked?.ranking.causes[0]?.service === service;
  const confidenceBasis = isFirst && confidence === bound ? 'measured' : 'stated';
  const bounded = { ...report, confidence };
  const isNamed = service !== null && confidence < ESTABLISHED;
  return { report: isNamed ? withoutCause(bounded, service, ranked) : bounded, confidenceBasis };
}

function boundOf({ causes, confidence }: StoredRanking, service: string | null): number {
  const [first] = causes;
  if (first === undefined) return 1;
  return first.service === service ? confidence : 1 - confidence;
}

/** The same findings, without a verdict that the evidence does not carry. */
function withoutCause(report: Report, named: string, ranked: Ranked | undefined): Report {
  const draft = new Draft(report.citations);
  const causes = ranked?.ranking.causes.filter(({ own_score }) => own_score > 0) ?? [];
  const candidates = [...new Set([named, ...causes.map(({ service }) => service)])].slice(0, MAX_CANDIDATES);
  const cited = ranked
    ? draft.citeMembers(ranked.stored, { confidence: ranked.ranking.confidence })
    : citedNumbers(report.root_cause.statement)
        .map((n) => `[${n}]`)
        .join('');
  const [, ...others] = candidates.map((one) => code(one));
  const list = new Intl.ListFormat('en').format(others);
  const rest = others.length > 0 ? `; other candidates are ${list}` : '';
  const verdict = `No cause is established: the chance that ${code(named)} is at fault is only ${Math.round(report.confidence * 100)} %${rest}${cited && ` ${cited}`}.`;
  return {
    ...report,
    title: oneLine(`No cause established; candidates: ${candidates.join(', ')}`, TITLE_CHARACTERS),
    root_cause: { service: null, statement: verdict },
    summary: `${verdict} ${report.summary}`.slice(0, 8_000),
    hypotheses: [
      { statement: `${code(named)} is at fault.`, verdict: 'open' as const, reasoning: report.root_cause.statement },
      ...otherCandidates(report, named, ranked, draft),
      ...report.hypotheses
        .filter(({ statement }) => statement !== `${code(named)} is at fault.`)
        .map((one) => (one.verdict === 'supported' ? { ...one, verdict: 'open' as const } : one)),
    ].slice(0, MAX_HYPOTHESES),
    recommended_change: decision(candidates, ranked?.ranking.alert.service, report.recommended_change),
    citations: draft.citations,
  };
}

function otherCandidates(report: Report, named: string, ranked: Ranked | undefined, draft: Draft): Hypothesis[] {
  if (!ranked) return [];
  return ranked.ranking.causes
    .filter(({ service, own_score }) => service !== named && own_score > 0)
    .slice(0, MAX_CANDIDATES - 1)
    .filter(({ service }) => !report.hypotheses.some(({ statement }) => statement.includes(service)))
    .map(({ rank, service, evidence, reason }) => ({
      statement: `${code(service)} is at fault.`,
      verdict: 'open',
      reasoning: `${sentence(evidence[0]?.statement ?? reason)} ${draft.citeMembers(ranked.stored, { rank, service })}`,
    }));
}

/** What would decide between the candidates, as a step to take. */
function decision(
  candidates: readonly string[],
  alerting: string | undefined,
  proposed: Report['recommended_change'],
): Report['recommended_change'] {
  const [first = '', ...others] = candidates.map((one) => code(one));
  const request = alerting === undefined ? 'one request that is slow or fails' : `one bad request to ${code(alerting)}`;
  const list = new Intl.ListFormat('en', { type: 'conjunction' }).format([first, ...others]);
  const summary =
    others.length > 0
      ? `Follow ${request} through ${list} in a trace or by its id in their logs: the service with unusual self time or its own error is at fault.`
      : `Follow ${request} into ${first} in a trace or by its id in the logs: unusual self time or its own error confirms it; a problem further downstream rules it out.`;
  return {
    summary: oneLine(summary, 400),
    details: `If ${first} is confirmed: ${proposed.summary} ${proposed.details ?? ''}`.trim().slice(0, 8_000),
  };
}
