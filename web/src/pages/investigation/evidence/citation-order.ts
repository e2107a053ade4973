/** Joins the citations of a report with the tool calls they cite. */
import type { Citation, Investigation, ToolCall } from '../queries.ts';

export const allCalls = ({ steps }: Pick<Investigation, 'steps'>): ToolCall[] =>
  steps.flatMap(({ tool_calls }) => tool_calls);

export const inOrder = (citations: readonly Citation[]): Citation[] => citations.toSorted((a, b) => a.n - b.n);

/** The cited tool call; undefined if the report cites one that does not exist. */
export const citedCall = (investigation: Pick<Investigation, 'steps'>, citation: Citation): ToolCall | undefined =>
  allCalls(investigation).find(({ id }) => id === citation.tool_call_id);

/** The numbers of citations with at least one excerpt found in the evidence. */
export const verifiedNumbers = (citations: readonly Pick<Citation, 'n' | 'excerpts'>[]): Set<number> =>
  new Set(citations.filter(({ excerpts }) => excerpts.some(({ verified }) => verified)).map(({ n }) => n));
