/** Fits the table of confidences to known cases, and says what such a table is worth on cases it has not seen. Pure. */
import { confidenceAt, reaches, type ConfidenceRow, type Lead } from '../../src/features/diagnosis/confidence.ts';
import { expectedCalibrationError } from './reliability.ts';

/** A ranking of known truth. */
export interface KnownCase extends Lead {
  /** Where it is from; cases of one data set resemble each other. */
  dataset: string;
  right: boolean;
}

const LEADS = [1.8, 1.15, 0.6, 0.3, 0];
/** Whether health shows as much in less than about one period in three, in nats. */
const SURPRISES = [1, 0];
/** At most this share of healthy periods may get a cause. */
const MAX_QUIET_NAMED = 0.1;
const ESTABLISHED = 0.5;

/**
 * The frequency of being right in each band of lead and surprise, pooled where stronger evidence is right less often (after
 * pool adjacent violators: Ayer et al., 1955), and drawn towards a half where cases are few (Laplace's rule of
 * succession). What healthy periods show as well establishes nothing; what establishes no cause is one band.
 */
export function fitConfidence(cases: readonly KnownCase[], quiet: readonly Lead[]): ConfidenceRow[] {
  const rows = pooled(SURPRISES.flatMap((surprise) => bandsOf(cases, surprise)))
    .map(({ lead, surprise, pool }) => ({ lead, surprise, right: likely(pool) }))
    .toSorted((a, b) => b.lead - a.lead || b.surprise - a.surprise);
  const quietIn = (row: ConfidenceRow): number =>
    quiet.filter((one) => rows.find((least) => reaches(one, least)) === row).length;
  let established = rows.filter(({ right }) => right >= ESTABLISHED);
  const named = (): number => established.reduce((sum, row) => sum + quietIn(row), 0);
  for (const row of established.toReversed().toSorted((a, b) => a.right - b.right)) {
    if (named() <= MAX_QUIET_NAMED * quiet.length) break;
    if (quietIn(row) > 0) established = established.filter((other) => !reaches(row, other));
  }
  const others = cases.filter((one) => !established.some((least) => reaches(one, least)));
  const other = likely({ cases: others.length, right: others.filter(({ right }) => right).length });
  const table = [...established, { lead: 0, surprise: 0, right: Math.min(other, ESTABLISHED - 0.01) }];
  // Without those whose weaker neighbour says the same.
  return table.filter((row, i) => table.slice(i + 1).find((weaker) => reaches(row, weaker))?.right !== row.right);
}

interface Pool {
  cases: number;
  right: number;
}

/** Bands that share a pool are right equally often. */
interface Band extends Lead {
  pool: Pool;
}

const likely = ({ cases, right }: Pool): number => Math.round((100 * (right + 1)) / (cases + 2)) / 100;

/** Bands of the cases as surprising as that, without those that have none. */
function bandsOf(cases: readonly KnownCase[], surprise: number): Band[] {
  const own = cases.filter((one) => SURPRISES.find((least) => one.surprise >= least) === surprise);
  return LEADS.flatMap((lead) => {
    const here = own.filter((one) => LEADS.find((least) => one.lead >= least) === lead);
    const pool = { cases: here.length, right: here.filter(({ right }) => right).length };
    return here.length === 0 ? [] : [{ lead, surprise, pool }];
  });
}

/** Pools each two bands of which the stronger is right less often, until there are none. */
function pooled(bands: Band[]): Band[] {
  // Drawn towards a half here too: two right of two are not more often right than 48 of 49.
  const share = ({ pool }: Band): number => (pool.right + 1) / (pool.cases + 2);
  for (const strong of bands) {
    const weak = bands.find((other) => reaches(strong, other) && share(strong) < share(other));
    if (weak === undefined) continue;
    const [one, other] = [strong.pool, weak.pool];
    const pool = { cases: one.cases + other.cases, right: one.right + other.right };
    return pooled(bands.map((band) => (band.pool === one || band.pool === other ? { ...band, pool } : band)));
  }
  return bands;
}

export interface Validation {
  /** Mean distance of confidence from frequency. */
  calibrationError: number;
  /** Share of cases that are wrong with .7 or more. */
  wrongSure: number;
  /** Share of cases in which a cause is named. */
  named: number;
}

/** @param confidence of each case, in order */
export function validate(cases: readonly KnownCase[], confidence: readonly number[]): Validation {
  const stated = cases.map(({ right }, i) => ({ right, confidence: confidence[i]! }));
  const share = (of: typeof stated): number => of.length / stated.length;
  return {
    calibrationError: expectedCalibrationError(stated),
    wrongSure: share(stated.filter((one) => one.confidence >= 0.7 && !one.right)),
    named: share(stated.filter((one) => one.confidence >= ESTABLISHED)),
  };
}

/**
 * Confidence of each case from a table that was fitted without it.
 * @param group cases of the same group are left out together
 */
export function confidenceLeftOut<Case extends Lead>(
  cases: readonly Case[],
  group: (one: Case, index: number) => string | number,
  fit: (others: Case[]) => ConfidenceRow[],
): number[] {
  const groups = cases.map(group);
  const tables = new Map([...new Set(groups)].map((left) => [left, fit(cases.filter((_, i) => groups[i] !== left))]));
  return cases.map((one, i) => confidenceAt(one, tables.get(groups[i]!)!));
}
