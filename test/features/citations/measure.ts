/**
 * Precision and recall of excerpts on labelled cases.
 *
 * An excerpt is right when it holds a piece that the case wants (`must`) or allows (`may`) and none that it forbids
 * (`never`). Precision is the share of right ones among all excerpts returned over all cases; where a case wants
 * nothing, each excerpt counts as a wrong one. Recall is the share of all wanted pieces that some excerpt of their case
 * holds. A case is exact when every excerpt is right and nothing wanted is missing.
 */
import type { LabelledCase } from './cases/case.ts';

export interface CaseResult {
  name: string;
  excerpts: string[];
  wrong: string[];
  missing: string[];
}

export interface Measured {
  precision: number;
  recall: number;
  /** Share of cases without any fault. */
  exact: number;
  results: CaseResult[];
}

/** The text that excerpts of a case are pieces of. */
export const contentOf = ({ toolResult }: LabelledCase): string =>
  typeof toolResult === 'string' ? toolResult : JSON.stringify(toolResult);

/** Runs a finder over cases. */
export function measure(cases: readonly LabelledCase[], find: (labelled: LabelledCase) => string[]): Measured {
  const results = cases.map((labelled) => judge(labelled, find(labelled)));
  const count = (values: (result: CaseResult) => number): number =>
    results.reduce((sum, result) => sum + values(result), 0);
  const returned = count(({ excerpts }) => excerpts.length);
  const wanted = cases.reduce((sum, { must }) => sum + must.length, 0);
  return {
    precision: returned === 0 ? 1 : 1 - count(({ wrong }) => wrong.length) / returned,
    recall: wanted === 0 ? 1 : 1 - count(({ missing }) => missing.length) / wanted,
    exact: results.filter(({ wrong, missing }) => wrong.length + missing.length === 0).length / results.length,
    results,
  };
}

function judge({ name, must, may = [], never = [] }: LabelledCase, excerpts: string[]): CaseResult {
  const holds = (excerpt: string, pieces: readonly string[]): boolean =>
    pieces.some((piece) => excerpt.includes(piece));
  return {
    name,
    excerpts,
    wrong: excerpts.filter(
      (excerpt) => must.length === 0 || !holds(excerpt, [...must, ...may]) || holds(excerpt, never),
    ),
    missing: must.filter((piece) => !excerpts.some((excerpt) => excerpt.includes(piece))),
  };
}
