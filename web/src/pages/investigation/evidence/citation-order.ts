/** The citations of a report, put together with the tool calls they cite. */
import type { Citation, Investigation, ToolCall } from '../queries.ts';

export interface Excerpt {
  text: string;
  verified: boolean;
  offset: number | null;
}

/** What the panel shows. */
export interface Shown {
  /** Absent: the tool call was opened, not a citation. */
  n?: number;
  /** The number of the evidence in the run. */
  evidence?: number;
  /** Absent: the report cites what does not exist, or the call is not there. */
  call?: ToolCall;
  excerpts: readonly Excerpt[];
}

export const allCalls = ({ steps }: Pick<Investigation, 'steps'>): ToolCall[] =>
  steps.flatMap(({ tool_calls }) => tool_calls);

export const inOrder = (citations: readonly Citation[]): Citation[] => citations.toSorted((a, b) => a.n - b.n);

/** @returns the citation n, or undefined when the report has none */
export function shownCitation(investigation: Investigation, n: number): Shown | undefined {
  const citation = investigation.citations.find((candidate) => candidate.n === n);
  if (citation === undefined) return undefined;
  const call = allCalls(investigation).find(({ id }) => id === citation.tool_call_id);
  return { n, evidence: citation.evidence, excerpts: citation.excerpts, ...(call && { call }) };
}

/** @returns the tool call with every excerpt the report takes from it, or undefined when the run has no such call */
export function shownCall(investigation: Investigation, id: string): Shown | undefined {
  const call = allCalls(investigation).find((candidate) => candidate.id === id);
  if (call === undefined) return undefined;
  const citing = investigation.citations.filter(({ tool_call_id }) => tool_call_id === id);
  return { call, evidence: call.evidence, excerpts: citing.flatMap(({ excerpts }) => excerpts) };
}

/** The numbers of the citations that have at least one excerpt which was found in the evidence. */
export const verifiedNumbers = (citations: readonly Citation[]): Set<number> =>
  new Set(citations.filter(({ excerpts }) => excerpts.some(({ verified }) => verified)).map(({ n }) => n));

/** @returns the one before or after, or undefined at the end */
export function neighbour<T>(order: readonly T[], current: T, by: 1 | -1): T | undefined {
  const at = order.indexOf(current);
  return at < 0 ? undefined : order[at + by];
}
