import type { CauseEvidence, RankedCause } from './types.ts';

/** What a confidence is read from. */
export interface Lead {
  /** By how much the first cause exceeds the second, on the natural log scale of evidence. */
  lead: number;
  /** Information in nats, >= 0, that health does not show evidence as strong as the first cause's by chance. */
  surprise: number;
}

/** With at least this lead and surprise, the first cause is right this often. */
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
  { lead: 1.8, surprise: 1, right: 0.99 },
  { lead: 1.8, surprise: 0, right: 0.77 },
  { lead: 1.15, surprise: 1, right: 0.96 },
  { lead: 0.6, surprise: 1, right: 0.88 },
  { lead: 0.3, surprise: 1, right: 0.63 },
  { lead: 0, surprise: 0, right: 0.49 },
];

/**
 * The measured frequency with which the first cause is right at this evidence, 0 to 1.
 * @param compared as of {@link leadIn}
 */
export function confidenceIn(causes: readonly RankedCause[], compared: number): number {
  const [first] = causes;
  return first === undefined || first.ownScore <= 0 ? 0 : confidenceAt(leadIn(causes, compared), measured);
}

/** Evidence that carries a cause is at least this part as strong as its strongest. */
const CARRIES = 0.5;

/**
 * The first cause's lead, and how surprising the evidence that carries it is.
 * @param compared the number of compared series: among many, some surprise by chance (Bonferroni's correction)
 */
export function leadIn(causes: readonly EvidentCause[], compared: number): Lead {
  const [first, second] = causes;
  const { score = 0, evidence = [] } = first ?? {};
  const strongest = Math.max(0, ...evidence.map(({ strength }) => strength));
  const carrying = evidence.filter(({ strength }) => strength >= CARRIES * strongest);
  const surprise = Math.max(0, ...carrying.map((one) => one.surprise ?? Math.expm1(one.strength)));
  return {
    lead: score - Math.max(0, second?.score ?? 0),
    surprise: Math.max(0, surprise - Math.log(Math.max(1, compared))),
  };
}

type EvidentCause = Pick<RankedCause, 'score'> & { evidence: readonly Pick<CauseEvidence, 'strength' | 'surprise'>[] };

/** @returns 0 if no row fits */
export function confidenceAt(given: Lead, rows: readonly ConfidenceRow[]): number {
  return rows.find((least) => reaches(given, least))?.right ?? 0;
}

export function reaches({ lead, surprise }: Lead, least: Lead): boolean {
  return lead >= least.lead && surprise >= least.surprise;
}
