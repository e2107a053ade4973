import type { RankedCause } from './types.ts';

/**
 * How often the first cause is right, by its lead over the second and its score, whatever kinds of evidence there are.
 * Frequencies over 247 incidents (51 of Nezha, 16 of PetShop, 180 with injected faults), pooled until they rise with the
 * lead (isotonic) and rounded down: 6 of 16, 44 of 56, 49 of 51, 123 of 124. Of 102 quiet windows of the same
 * recordings, 92 % stay below a lead of 1.15: what a quiet hour shows as well establishes nothing, so that it stays below
 * .5 there. None of these has a score of 2.5; incidents that have were right in 6 of 10 up to a lead of .6, and in 19 of
 * 21 above. docs/adr/0025 says how to measure it again.
 */
const frequencies: ReadonlyArray<{ lead: number; score: number; right: number }> = [
  { lead: 1.8, score: 0, right: 0.98 },
  { lead: 1.15, score: 0, right: 0.9 },
  { lead: 0.6, score: 2.5, right: 0.85 },
  { lead: 0.3, score: 2.5, right: 0.55 },
  { lead: 0.3, score: 0, right: 0.49 },
  { lead: 0, score: 0, right: 0.35 },
];

/** The measured frequency with which the first cause is right at this evidence, 0 to 1. */
export function confidenceIn(causes: readonly RankedCause[]): number {
  const [first] = causes;
  if (first === undefined || first.ownScore <= 0) return 0;
  const lead = leadOf(causes);
  return frequencies.find((least) => lead >= least.lead && first.score >= least.score)?.right ?? 0;
}

/** By how much the first cause exceeds the second, on the natural log scale of evidence. */
export function leadOf([first, second]: readonly Pick<RankedCause, 'score'>[]): number {
  return first === undefined ? 0 : first.score - Math.max(0, second?.score ?? 0);
}
