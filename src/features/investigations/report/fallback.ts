/**
 * An honest report without a model, from what the tools returned, for a run that ends before a report was submitted.
 */
import { changeStep, confirmation, metricPhrase, sentence, type ChangeToUndo } from '@casebook/wording';
import type { RunLimit } from '../../runs/contract.ts';
import { clip, isCitable, oneLine, type StoredEvidence } from '../../tools/index.ts';
import { Draft } from './draft.ts';
import { describeLimit } from './limits.ts';
import { codeSpan } from './safe-markdown.ts';
import type { Report } from './schema.ts';
import { lastRanking, readChanges, readLogs, readSources, type Ranked, type StoredRanking } from './stored-results.ts';

export interface FallbackInput {
  /** The question. */
  query: string;
  limit?: RunLimit;
  /** What failed, in words, if no limit was reached. */
  failure?: string;
  evidence: readonly StoredEvidence[];
}

type TimelineEntry = Report['timeline'][number];

/** If the best cause's own evidence is below a score of 3 (log scale), nobody is named. */
const QUIET = Math.log1p(3);
const MAX_LISTED = 12;
const MAX_FINDINGS = 3;
/** Anything shorter could be any other text. */
const SHORTEST_CONTENT = 8;

/**
 * Composes a report from the stored results of a run that could not finish. If there is a ranking, its best cause is
 * reported as tentative; otherwise the report says what was examined and that the cause is unknown. It names the limit
 * or failure, cites verbatim, and is never empty. Deterministic.
 */
export function composeFallbackReport(input: FallbackInput): Report {
  const evidence = input.evidence
    .filter(({ tool, content }) => isCitable(tool) && content.trim().length >= SHORTEST_CONTENT)
    .toSorted((a, b) => a.evidence - b.evidence);
  const ranked = lastRanking(evidence);
  const best = ranked?.ranking.causes[0];
  const names = best !== undefined && best.own_score >= QUIET;
  return names ? tentativeReport(input, evidence, { ...ranked!, best }) : openReport(input, evidence);
}

function tentativeReport(
  input: FallbackInput,
  evidence: readonly StoredEvidence[],
  { stored: ranked, ranking, best }: Ranked & { best: StoredRanking['causes'][number] },
): Report {
  const draft = new Draft();
  const service = quote(best.service);
  const first = draft.citeMembers(ranked, { rank: best.rank, service: best.service });
  const { alert, onset } = ranking;
  const of = alert.metric ? `${metricPhrase({ metric: alert.metric })} of ` : '';
  const symptom = `The alert is on the ${of}${quote(alert.service)} ${draft.citeMembers(ranked, { alert })}.`;
  const timeline: TimelineEntry[] = [{ at: alert.at, event: symptom }];
  if (onset !== null)
    timeline.push({ at: onset, event: `First metric anomaly ${draft.citeMembers(ranked, { onset })}.` });
  const { entries, change, line } = findings(best.service, onset ?? alert.at, evidence, draft);
  const [strongest] = best.evidence;
  const [signal] = best.signals;
  const known = { metric: signal?.metric, change, line, ...strongest };
  return {
    title: oneLine(`${best.service}: strongest suspect, unverified`, 160),
    root_cause: {
      service: clip(best.service, 150).trim() || null,
      statement: `${service}: ${cited(strongest?.statement ?? best.reason, first)} Strongest suspect of ${ranking.considered.services} services ${first}.`,
    },
    confidence: ranking.confidence,
    summary: `The investigation ended early because ${endOf(input)}, so the ranking that puts ${service} first is unverified ${first}.`,
    hypotheses: ranking.causes.slice(0, 3).map((cause) => ({
      statement: `${quote(cause.service)} is at fault.`,
      verdict: 'open',
      reasoning: cited(
        cause.evidence[0]?.statement ?? cause.reason,
        draft.citeMembers(ranked, { rank: cause.rank, service: cause.service }),
      ),
    })),
    timeline: [...timeline, ...entries].toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at)),
    impact: symptom,
    recommended_change: {
      summary: oneLine(changeStep(best.service, known), 400),
      details: [
        signal && confirmation({ service: best.service, ...signal, before: signal.baseline_median }),
        asked(input),
      ]
        .filter(Boolean)
        .join(' '),
    },
    citations: draft.citations,
  };
}

/** A statement of a tool with its citation before the full stop. */
function cited(statement: string, number: string): string {
  return `${sentence(statement.trim().replace(/\.$/, '')) || 'High rank'} ${number}.`;
}

function openReport(input: FallbackInput, evidence: readonly StoredEvidence[]): Report {
  const draft = new Draft();
  const looked = evidence.slice(0, MAX_LISTED).map((stored) => {
    const cited = draft.citeHead(stored);
    return {
      cited,
      line: `- ${quote(stored.tool)} returned ${stored.characters ?? stored.content.length} characters ${cited}`,
    };
  });
  const left = evidence.length - looked.length;
  const all = looked.map(({ cited }) => cited).join('');
  const known =
    looked.length > 0 ? `and what was looked at does not name it ${all}` : 'and no tool had returned anything by then';
  const read = `These results were read${left > 0 ? ` (and ${left} more)` : ''}:`;
  return {
    title: 'Root cause not found: the investigation ended early',
    root_cause: { service: null, statement: `The root cause is not known because ${endOf(input)}, ${known}.` },
    confidence: 0,
    summary:
      looked.length > 0 ? [read, '', ...looked.map(({ line }) => line)].join('\n') : 'No tool returned anything.',
    hypotheses: [],
    timeline: [],
    impact: alerts(evidence, draft) || 'Not known.',
    recommended_change: {
      summary: 'Run the investigation again, with a larger budget if a limit was reached.',
      details: asked(input),
    },
    citations: draft.citations,
  };
}

/** What the suspect's logs and changes say: for the timeline, and the last change before the onset. */
function findings(service: string, onset: string, evidence: readonly StoredEvidence[], draft: Draft) {
  const entries: TimelineEntry[] = [];
  let change: ChangeToUndo | undefined;
  let line: string | undefined;
  for (const stored of evidence) {
    for (const { pattern, count, services, level, first } of readLogs(stored)?.patterns ?? []) {
      if (level !== 'error' || !services.includes(service)) continue;
      line ??= pattern;
      const number = draft.citeMembers(stored, { pattern, count });
      entries.push({ at: first, event: `First of ${count} errors like ${quote(pattern)} ${number}.` });
    }
    for (const { id, at, service: of, kind, summary } of readChanges(stored)?.changes ?? []) {
      if (of !== service) continue;
      if (Date.parse(at) <= Date.parse(onset)) change = { id, kind, summary };
      const number = draft.citeMembers(stored, { id });
      entries.push({
        at,
        event: `A change (${quote(kind)}): ${quote(summary)}; relevance not checked ${number}.`,
      });
    }
  }
  return { entries: entries.slice(0, MAX_FINDINGS), change, line };
}

function alerts(evidence: readonly StoredEvidence[], draft: Draft): string {
  const stored = evidence.find((one) => (readSources(one)?.sources ?? []).some((source) => source.alerts.length > 0));
  if (!stored) return '';
  const fired = (readSources(stored)?.sources ?? []).flatMap((source) => source.alerts).slice(0, MAX_FINDINGS);
  return fired
    .map(({ name, service, summary }) => {
      return `- Alert ${quote(name)} on ${quote(service)}: ${quote(summary)} ${draft.citeMembers(stored, { name, service })}`;
    })
    .join('\n');
}

function endOf({ limit, failure }: FallbackInput): string {
  if (limit !== undefined) return describeLimit(limit);
  return failure ? `of a failure: ${quote(failure, 400)}` : 'it could not be finished';
}

function asked({ query }: FallbackInput): string {
  return `The question was: ${quote(query, 2_000)}`;
}

/** Text from data as code, so that nothing in it reads as a citation or as Markdown. */
function quote(text: string, limit = 200): string {
  return codeSpan(oneLine(text, limit) || '(empty)');
}
