import type { RankedCause } from './types.ts';

/**
 * How often the first cause was right, by its lead over the second: the 51 training cases of the Nezha data set, binned
 * where the frequency changes and rounded towards the middle.
 */
const rightByLead: ReadonlyArray<readonly [lead: number, frequency: number]> = [
  [1.8, 0.8],
  [1.2, 0.55],
  [0.4, 0.45],
  [0, 0.15],
];

/** The measured frequency with which the first cause is right at this evidence, 0 to 1. */
export function confidenceIn(causes: readonly RankedCause[]): number {
  const [first, second] = causes;
  if (first === undefined || first.ownScore <= 0) return 0;
  const lead = first.score - Math.max(0, second?.score ?? 0);
  return rightByLead.find(([least]) => lead >= least)?.[1] ?? 0;
}
