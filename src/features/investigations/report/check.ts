/** The citation checker: which parts of a report occur, word for word, in what the tools returned. */
import { isCitable, restore, type EvidenceReader, type StoredEvidence } from '../../tools/index.ts';
import type { CheckedCitation, CheckedReport, Citation, Report } from './schema.ts';
import { citedNumbers, sentencesOf } from './text.ts';

/** Shorter excerpts occur anywhere and prove nothing. */
const SHORTEST_EXCERPT = 4;
/**
 * Checks every excerpt by exact string search in the stored result it cites, and every sentence by its citations.
 * Nothing is matched approximately. Only framing is undone before the search (see `tools/framing.ts`).
 * @param evidenceOf the stored result with an evidence number of the same conversation
 */
export function checkReport(
  report: Report,
  evidenceOf: (evidence: number) => StoredEvidence | undefined,
): CheckedReport {
  const citations = report.citations.map((citation) => checkCitation(citation, evidenceOf(citation.evidence)));
  const { recommended_pr: _suggestion, ...rest } = report;
  return { ...rest, citations, unverifiedClaims: findUnverifiedClaims(report, citations) };
}

/** {@link checkReport} with the cited results read from the conversation. */
export async function checkReportAgainst(report: Report, reader: EvidenceReader): Promise<CheckedReport> {
  const cited = await readCited(report, reader);
  return checkReport(report, (evidence) => cited.get(evidence));
}

/** @returns the stored results that a report cites, by evidence number, where they exist */
export async function readCited(report: Report, reader: EvidenceReader): Promise<Map<number, StoredEvidence>> {
  const cited = new Map<number, StoredEvidence>();
  for (const evidence of new Set(report.citations.map((citation) => citation.evidence))) {
    const stored = await reader.read(evidence);
    if (stored) cited.set(evidence, stored);
  }
  return cited;
}

/**
 * Locates an excerpt in a stored result.
 * @returns its offset in UTF-16 code units, or undefined if it is absent or too short to tell
 */
export function locateExcerpt(content: string, excerpt: string): number | undefined {
  if (excerpt.trim().length < SHORTEST_EXCERPT) return undefined;
  for (const candidate of [excerpt, restore(excerpt)]) {
    const offset = content.indexOf(candidate);
    if (offset >= 0) return offset;
  }
  return undefined;
}

function checkCitation(citation: Citation, stored: StoredEvidence | undefined): CheckedCitation {
  const content = stored && isCitable(stored.tool) ? stored.content : undefined;
  return {
    n: citation.n,
    evidence: citation.evidence,
    toolCallId: stored?.toolCallId ?? null,
    tool: stored?.tool ?? null,
    ...(stored?.source !== undefined && { source: stored.source }),
    sha256: stored?.sha256 ?? null,
    excerpts: citation.excerpts.map((text) => {
      const offset = content === undefined ? undefined : locateExcerpt(content, text);
      return { text, verified: offset !== undefined, offset: offset ?? null };
    }),
  };
}

interface Passage {
  where: string;
  text: string;
  /** Conjectures and proposals need no evidence, but what they cite must exist. */
  isClaim: boolean;
}

/** Every text of a report that may cite, with its place. */
export function passagesOf(report: Report): Passage[] {
  const { root_cause, summary, hypotheses, timeline, impact, recommended_change } = report;
  return [
    { where: 'root_cause.statement', text: root_cause.statement, isClaim: true },
    { where: 'summary', text: summary, isClaim: true },
    ...hypotheses.flatMap(({ statement, reasoning, verdict }, index) => [
      { where: `hypotheses[${index}].statement`, text: statement, isClaim: false },
      { where: `hypotheses[${index}].reasoning`, text: reasoning, isClaim: verdict !== 'open' },
    ]),
    ...timeline.map(({ event }, index) => ({ where: `timeline[${index}].event`, text: event, isClaim: true })),
    { where: 'impact', text: impact, isClaim: true },
    { where: 'recommended_change.summary', text: recommended_change.summary, isClaim: false },
    { where: 'recommended_change.details', text: recommended_change.details ?? '', isClaim: false },
  ];
}

/** @returns the numbers of citations with at least one verified excerpt */
export function verifiedNumbers(citations: readonly CheckedCitation[]): Set<number> {
  return new Set(citations.filter(({ excerpts }) => excerpts.some(({ verified }) => verified)).map(({ n }) => n));
}

function findUnverifiedClaims(
  report: Report,
  citations: readonly CheckedCitation[],
): CheckedReport['unverifiedClaims'] {
  const known = new Set(citations.map(({ n }) => n));
  const verified = verifiedNumbers(citations);
  return passagesOf(report).flatMap(({ where, text, isClaim }) =>
    sentencesOf(text).flatMap((claim) => {
      const why = whyUnverified(claim, { isClaim, known, verified });
      return why === undefined ? [] : [{ where, claim, why }];
    }),
  );
}

function whyUnverified(
  claim: string,
  { isClaim, known, verified }: { isClaim: boolean; known: ReadonlySet<number>; verified: ReadonlySet<number> },
): string | undefined {
  const cited = citedNumbers(claim);
  const missing = cited.filter((n) => !known.has(n));
  if (missing.length > 0) return `cites ${brackets(missing)}, which the report does not list`;
  if (cited.some((n) => verified.has(n))) return undefined;
  if (cited.length > 0) return `no excerpt of ${brackets(cited)} was found in the evidence`;
  // A sentence that ends in a colon introduces what follows.
  return isClaim && !claim.endsWith(':') ? 'cites nothing' : undefined;
}

function brackets(numbers: readonly number[]): string {
  return numbers.map((n) => `[${n}]`).join(', ');
}
