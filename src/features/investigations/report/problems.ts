/** What a model can still fix in a report before it is accepted. */
import { clip, isCitable, type EvidenceReader, type StoredEvidence } from '../../tools/index.ts';
import { checkReport, passagesOf, readCited } from './check.ts';
import type { CheckedCitation, Report } from './schema.ts';
import { suggestionProblem } from './suggestion.ts';
import { citedNumbers } from './text.ts';

/** How much evidence to search for something that could have been cited. */
const MAX_TRIED = 30;
const QUOTED_CHARACTERS = 400;
/** A search that ignores white space is only a hint and not worth its time in very long results. */
const HINTED_CHARACTERS = 2_000_000;

/** A problem with a report's citations, and how to fix it. */
interface Problem {
  problem: string;
  /** The number of the citation. */
  n?: number;
  excerpt?: string;
  /** What the evidence says instead, to be copied verbatim. */
  exact?: string;
}

/**
 * Finds citations that do not hold: of missing evidence, with excerpts that are not in it, duplicated, or used but not
 * listed; a root cause that cites nothing although there is evidence; and a recommended pull request that nobody suggested.
 */
export async function findProblems(report: Report, reader: EvidenceReader): Promise<Problem[]> {
  const stored = await readCited(report, reader);
  const { citations } = checkReport(report, (evidence) => stored.get(evidence));
  const problems = [...duplicates(report), ...unlisted(report)];
  for (const citation of citations) problems.push(...citationProblems(citation, stored));
  const citesNothing = citedNumbers(report.root_cause.statement).length === 0;
  if (citesNothing && (await hasEvidence(reader))) {
    problems.push({ problem: 'root_cause.statement cites nothing; cite the evidence for it as [n].' });
  }
  const suggested = report.recommended_pr?.suggestion;
  const notOne = suggested === undefined ? undefined : await suggestionProblem(suggested, reader);
  if (notOne !== undefined) problems.push({ problem: notOne });
  return problems;
}

function duplicates({ citations }: Report): Problem[] {
  const numbers = citations.map(({ n }) => n);
  const repeated = new Set(numbers.filter((n, index) => numbers.indexOf(n) !== index));
  return [...repeated].map((n) => ({ n, problem: `[${n}] is listed more than once; give each citation its own n.` }));
}

function unlisted(report: Report): Problem[] {
  const known = new Set(report.citations.map(({ n }) => n));
  return passagesOf(report).flatMap(({ where, text }) =>
    citedNumbers(text)
      .filter((n) => !known.has(n))
      .map((n) => ({ n, problem: `${where} cites [${n}], which is not listed in citations.` })),
  );
}

function citationProblems(citation: CheckedCitation, stored: ReadonlyMap<number, StoredEvidence>): Problem[] {
  const { n, evidence, tool, excerpts } = citation;
  if (tool === null) return [{ n, problem: `Evidence ${evidence} does not exist.` }];
  if (!isCitable(tool)) return [{ n, problem: `Evidence ${evidence} is a result of ${tool}, which proves nothing.` }];
  return excerpts
    .filter(({ verified }) => !verified)
    .map(({ text }) => ({
      n,
      excerpt: clip(text, QUOTED_CHARACTERS),
      ...adviceFor(text, evidence, stored),
    }));
}

function adviceFor(
  excerpt: string,
  evidence: number,
  stored: ReadonlyMap<number, StoredEvidence>,
): Pick<Problem, 'problem' | 'exact'> {
  const content = stored.get(evidence)?.content ?? '';
  if (content.includes(excerpt)) return { problem: 'Too short to prove anything; copy more of its surroundings.' };
  const elsewhere = [...stored.values()].find((other) => isCitable(other.tool) && other.content.includes(excerpt));
  if (elsewhere) {
    return { problem: `Not in evidence ${evidence} but in evidence ${elsewhere.evidence}; cite that.` };
  }
  const exact = sameButForSpace(content, excerpt) ?? sameButForSpace(content, JSON.stringify(excerpt).slice(1, -1));
  if (exact === undefined) {
    return { problem: `Not in evidence ${evidence}; copy a piece of it exactly, or drop the claim.` };
  }
  return {
    problem: `Not in evidence ${evidence} as it stands there; "exact" is what it says.`,
    exact: clip(exact, QUOTED_CHARACTERS),
  };
}

/** The passage that differs from an excerpt only in white space: what the model meant to copy. */
function sameButForSpace(content: string, excerpt: string): string | undefined {
  if (content.length > HINTED_CHARACTERS) return undefined;
  const wanted = excerpt.replaceAll(/\s+/gu, '');
  const at = wanted === '' ? -1 : content.replaceAll(/\s+/gu, '').indexOf(wanted);
  if (at < 0) return undefined;
  let [start, seen] = [0, 0];
  for (let index = 0; index < content.length; index++) {
    if (/\s/u.test(content[index] ?? '')) continue;
    if (seen === at) start = index;
    seen++;
    if (seen === at + wanted.length) return content.slice(start, index + 1);
  }
  return undefined;
}

async function hasEvidence(reader: EvidenceReader): Promise<boolean> {
  for (let evidence = 1; evidence <= MAX_TRIED; evidence++) {
    const stored = await reader.read(evidence);
    if (stored && isCitable(stored.tool)) return true;
  }
  return false;
}
