/** The evidence open next to an investigation, and its neighbours. */
import { neighbour, type Evidence } from '../../../components/evidence/evidence.ts';
import type { Investigation } from '../queries.ts';
import { allCalls, citedCall, inOrder } from './citation-order.ts';

/** A citation by its number, or a tool call by its id. */
export interface OpenEvidence {
  citation?: number;
  call?: string;
}

type Cited = Pick<Investigation, 'steps' | 'citations'>;

const NOT_KNOWN = 'No details available.';

/** @returns undefined if nothing is open */
export function evidenceOf(investigation: Cited, { citation, call }: OpenEvidence): Evidence | undefined {
  if (citation !== undefined) return ofCitation(investigation, citation);
  return call === undefined ? undefined : ofCall(investigation, call);
}

function ofCitation(investigation: Cited, n: number): Evidence {
  const title = `Citation [${n}]`;
  const citation = investigation.citations.find((candidate) => candidate.n === n);
  if (citation === undefined) {
    return { title, description: NOT_KNOWN, missing: `This report has no citation [${n}].`, excerpts: [] };
  }
  const { evidence, excerpts } = citation;
  const call = citedCall(investigation, citation);
  if (call !== undefined) return { title, description: call.summary, call, excerpts };
  const missing = `The report cites evidence ${evidence}, which this run does not have. The claim is unverified.`;
  return { title, description: NOT_KNOWN, missing, excerpts };
}

/** A tool call with every excerpt the report takes from it. */
function ofCall(investigation: Cited, id: string): Evidence {
  const call = allCalls(investigation).find((candidate) => candidate.id === id);
  if (call === undefined) {
    const missing = 'This investigation has no such tool call, or it has not been stored yet.';
    return { title: 'Tool call', description: NOT_KNOWN, missing, excerpts: [] };
  }
  const cited = investigation.citations
    .filter(({ tool_call_id }) => tool_call_id === id)
    .flatMap(({ excerpts }) => excerpts);
  // Several citations may use the same words.
  const excerpts = [...new Map(cited.map((excerpt) => [`${excerpt.offset} ${excerpt.text}`, excerpt])).values()];
  return { title: `Evidence ${call.evidence}`, description: call.summary, call, excerpts };
}

/** The previous or next citation or tool call. */
export function besides(investigation: Cited, { citation, call }: OpenEvidence, by: 1 | -1): OpenEvidence | undefined {
  if (citation !== undefined) {
    const numbers = inOrder(investigation.citations).map(({ n }) => n);
    const n = neighbour(numbers, citation, by);
    return n === undefined ? undefined : { citation: n };
  }
  if (call === undefined) return undefined;
  const ended = allCalls(investigation).filter(({ status }) => status !== 'pending');
  const id = neighbour(
    ended.map((each) => each.id),
    call,
    by,
  );
  return id === undefined ? undefined : { call: id };
}
