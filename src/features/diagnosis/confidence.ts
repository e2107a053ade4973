import type { RankedCause } from './types.ts';

/**
 * How often the first cause is right, by its lead over the second, whatever kinds of evidence there are. Frequencies over
 * 247 incidents (51 of Nezha, 16 of PetShop, 180 with injected faults), pooled until they rise with the lead (isotonic)
 * and rounded down: 6 of 16, 44 of 56, 49 of 51, 123 of 124. Of 102 quiet windows of the same recordings, 92 % stay
 * below a lead of 1.15: what a quiet hour shows as well establishes nothing, so that it stays below .5 there.
 * docs/adr/0025 says how to measure it again.
 */
const rightByLead: ReadonlyArray<readonly [lead: number, frequency: number]> = [
  [1.8, 0.98],
  [1.15, 0.9],
  [0.3, 0.49],
  [0, 0.35],
];

/** The measured frequency with which the first cause is right at this evidence, 0 to 1. */
export function confidenceIn(causes: readonly RankedCause[]): number {
  const [first] = causes;
  if (first === undefined || first.ownScore <= 0) return 0;
  const lead = leadOf(causes);
  return rightByLead.find(([least]) => lead >= least)?.[1] ?? 0;
}

/** By how much the first cause exceeds the second, on the natural log scale of evidence. */
export function leadOf([first, second]: readonly Pick<RankedCause, 'score'>[]): number {
  return first === undefined ? 0 : first.score - Math.max(0, second?.score ?? 0);
}
