import type { RankedCause, SymptomState } from './types.ts';

/** What a confidence is read from. */
export interface Lead {
  /** By how much the first cause exceeds the second, on the natural log scale of evidence. */
  lead: number;
  /** The first cause's score. */
  score: number;
  /** Whether a metric of the alerting service shows the symptom. */
  isFelt: boolean;
}

/** With at least this lead and score, and with the symptom if it is required, the first cause is right this often. */
export interface ConfidenceRow extends Lead {
  /** 0 to 1. */
  right: number;
}

/**
 * How often the first cause is right, whatever kinds of evidence there are; the first row that fits counts. Fitted by
 * `npm run bench:diagnosis -- --calibrate` (bench/diagnosis/fit-confidence.ts); docs/adr/0025 has the cases and the errors
 * of cross-validation.
 */
const measured: readonly ConfidenceRow[] = [
  { lead: 1.8, score: 2.5, isFelt: true, right: 0.99 },
  { lead: 1.8, score: 2.5, isFelt: false, right: 0.94 },
  { lead: 1.8, score: 0, isFelt: true, right: 0.83 },
  { lead: 1.8, score: 0, isFelt: false, right: 0.75 },
  { lead: 1.15, score: 2.5, isFelt: true, right: 0.93 },
  { lead: 1.15, score: 2.5, isFelt: false, right: 0.92 },
  { lead: 0.6, score: 2.5, isFelt: true, right: 0.93 },
  { lead: 0.6, score: 0, isFelt: false, right: 0.49 },
  { lead: 0.3, score: 2.5, isFelt: false, right: 0.49 },
  { lead: 0, score: 0, isFelt: true, right: 0.49 },
  { lead: 0, score: 0, isFelt: false, right: 0.33 },
];

/** The measured frequency with which the first cause is right at this evidence, 0 to 1. */
export function confidenceIn(causes: readonly RankedCause[], symptom: SymptomState | undefined): number {
  const [first] = causes;
  if (first === undefined || first.ownScore <= 0) return 0;
  return confidenceAt({ lead: leadOf(causes), score: first.score, isFelt: symptom !== undefined }, measured);
}

/** @returns 0 if no row fits */
export function confidenceAt(given: Lead, rows: readonly ConfidenceRow[]): number {
  return rows.find((least) => reaches(given, least))?.right ?? 0;
}

export function reaches({ lead, score, isFelt }: Lead, least: Lead): boolean {
  return lead >= least.lead && score >= least.score && (isFelt || !least.isFelt);
}

/** By how much the first cause exceeds the second, on the natural log scale of evidence. */
export function leadOf([first, second]: readonly Pick<RankedCause, 'score'>[]): number {
  return first === undefined ? 0 : first.score - Math.max(0, second?.score ?? 0);
}
