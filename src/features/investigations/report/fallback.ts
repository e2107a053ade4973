/**
 * An honest report without a model, from what the tools returned, for a run that ends before a report was submitted.
 */
import type { RunLimit } from '../../runs/contract.ts';
import { clip, isCitable, oneLine, type StoredEvidence, safeCut } from '../../tools/index.ts';
import { describeLimit } from './limits.ts';
import { codeSpan } from './safe-markdown.ts';
import type { Report, Citation } from './schema.ts';
import { readChanges, readLogs, readRanking, readSources, type StoredRanking } from './stored-results.ts';

export interface FallbackInput {
  /** The question. */
  query: string;
  limit?: RunLimit;
  /** What failed, in words, if no limit was reached. */
  failure?: string;
  evidence: readonly StoredEvidence[];
}

type TimelineEntry = Report['timeline'][number];

/** Statistics alone, unchecked by logs and changes: right more often than by chance, and no more is claimed. */
const TENTATIVE = 0.3;
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
  const ranked = evidence.findLast((stored) => readRanking(stored) !== undefined);
  const ranking = ranked && readRanking(ranked);
  const [best] = ranking?.causes ?? [];
  const names = ranked && ranking && best && best.own_score >= QUIET;
  return names ? tentativeReport(input, evidence, { ranked, ranking, best }) : openReport(input, evidence);
}

function tentativeReport(
  input: FallbackInput,
  evidence: readonly StoredEvidence[],
  { ranked, ranking, best }: { ranked: StoredEvidence; ranking: StoredRanking; best: StoredRanking['causes'][number] },
): Report {
  const draft = new Draft();
  const service = quote(best.service);
  const first = draft.citeMembers(ranked, { rank: best.rank, service: best.service });
  const alert = draft.citeMembers(ranked, { alert: ranking.alert });
  const alerted = `${quote(ranking.alert.service)}${ranking.alert.metric ? ` (${quote(ranking.alert.metric)})` : ''}`;
  const symptom = `The symptom was observed on ${alerted} ${alert}.`;
  const timeline: TimelineEntry[] = [{ at: ranking.alert.at, event: symptom }];
  if (ranking.onset !== null) {
    const onset = draft.citeMembers(ranked, { onset: ranking.onset });
    timeline.push({ at: ranking.onset, event: `The metrics of the alerting service began to move ${onset}.` });
  }
  timeline.push(...findings(best.service, evidence, draft));
  return {
    title: oneLine(`Tentative, by statistics only: ${best.service}`, 160),
    root_cause: {
      service: clip(best.service, 150).trim() || null,
      statement: `Tentatively ${service}, which statistics put first of ${ranking.considered.services} services ${first}.`,
    },
    confidence: TENTATIVE,
    summary: `The investigation ended early because ${endOf(input)}, so the ranking that puts ${service} first has not been checked ${first}.`,
    hypotheses: ranking.causes.slice(0, 3).map((cause) => ({
      statement: `${quote(cause.service)} is the root cause.`,
      verdict: 'open',
      reasoning: `${quote(cause.reason, 600)} ${draft.citeMembers(ranked, { rank: cause.rank, service: cause.service })}`,
    })),
    timeline: timeline.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at)),
    impact: symptom,
    recommended_change: {
      summary: `Check the logs and recent changes of ${service} before acting on this.`,
      details: asked(input),
    },
    citations: draft.citations,
  };
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

/** What the suspect's logs and changes say, without a judgement. */
function findings(service: string, evidence: readonly StoredEvidence[], draft: Draft): TimelineEntry[] {
  const entries: TimelineEntry[] = [];
  for (const stored of evidence) {
    for (const { pattern, count, services, level, first } of readLogs(stored)?.patterns ?? []) {
      if (level !== 'error' || !services.includes(service)) continue;
      const cited = draft.citeMembers(stored, { pattern, count });
      entries.push({ at: first, event: `First of ${count} errors like ${quote(pattern)} ${cited}.` });
    }
    for (const { id, at, service: of, kind, summary } of readChanges(stored)?.changes ?? []) {
      if (of !== service) continue;
      const cited = draft.citeMembers(stored, { id });
      entries.push({ at, event: `A change (${quote(kind)}): ${quote(summary)}; whether it matters is open ${cited}.` });
    }
  }
  return entries.slice(0, MAX_FINDINGS);
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

const EXCERPT_CHARACTERS = 300;

/** Citations of a report composed piece by piece; every excerpt is a slice of what it cites. */
class Draft {
  readonly citations: Citation[] = [];

  /** Cites the start of a result. @returns `[n]` */
  citeHead(stored: StoredEvidence): string {
    const start = stored.content.length - stored.content.trimStart().length;
    return this.#cite(stored, stored.content.slice(start, safeCut(stored.content, start + EXCERPT_CHARACTERS)));
  }

  /**
   * Cites a result where it holds the properties of `part` next to each other, otherwise its start.
   * @returns `[n]`
   */
  citeMembers(stored: StoredEvidence, part: object): string {
    const { content } = stored;
    const members = JSON.stringify(part).slice(1, -1);
    const start = content.indexOf(members);
    if (start < 0 || members.length > EXCERPT_CHARACTERS) return this.citeHead(stored);
    return this.#cite(stored, content.slice(start, safeCut(content, start + EXCERPT_CHARACTERS)));
  }

  #cite({ evidence }: StoredEvidence, excerpt: string): string {
    const known = this.citations.find((one) => one.evidence === evidence && one.excerpts[0] === excerpt);
    const n = known?.n ?? this.citations.length + 1;
    if (!known) this.citations.push({ n, evidence, excerpts: [excerpt] });
    return `[${n}]`;
  }
}
