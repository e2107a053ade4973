import type { RankedCause } from './types.ts';

/** What a confidence is read from: the first cause's lead over the second, and its score, on the natural log scale. */
export interface CauseLead {
  lead: number;
  score: number;
}

/** With at least this lead and score, the first cause is right this often, 0 to 1. */
export interface ConfidenceRow extends CauseLead {
  right: number;
}

/**
 * How often the first cause is right, whatever kinds of evidence there are; the first row that fits counts. Fitted by
 * `npm run bench:diagnosis -- --calibrate` (bench/diagnosis/fit-confidence.ts); docs/adr/0025 has the cases and the errors
 * of cross-validation.
 */
const measured: readonly ConfidenceRow[] = [
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
  return confidenceAt({ lead: leadOf(causes), score: first.score }, measured);
}

/** @returns 0 if no row fits */
export function confidenceAt({ lead, score }: CauseLead, rows: readonly ConfidenceRow[]): number {
  return rows.find((least) => lead >= least.lead && score >= least.score)?.right ?? 0;
}

/** By how much the first cause exceeds the second, on the natural log scale of evidence. */
export function leadOf([first, second]: readonly Pick<RankedCause, 'score'>[]): number {
  return first === undefined ? 0 : first.score - Math.max(0, second?.score ?? 0);
}
