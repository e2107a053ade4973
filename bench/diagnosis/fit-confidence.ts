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
/** Strata of evidence, strongest first. */
const STRATA = [
  { score: 2.5, isFelt: true },
  { score: 2.5, isFelt: false },
  { score: 0, isFelt: true },
  { score: 0, isFelt: false },
];
/** At most this share of healthy periods may get a cause. */
const MAX_QUIET_NAMED = 0.1;
const ESTABLISHED = 0.5;

/**
 * The frequency of being right in each band of lead and score, pooled until it falls with neither (pool adjacent
 * violators: Ayer et al., 1955), and drawn towards a half where cases are few (Laplace's rule of succession). What
 * healthy periods show as well establishes nothing: such bands stay below a half.
 */
export function fitConfidence(cases: readonly KnownCase[], quiet: readonly Lead[]): ConfidenceRow[] {
  const bands = STRATA.flatMap((stratum) => pooled(bandsOf(cases, stratum)).map((band) => ({ ...band, ...stratum })));
  const rows = bands.toSorted((a, b) => b.lead - a.lead || b.score - a.score || Number(b.isFelt) - Number(a.isFelt));
  for (const row of rows) {
    const weaker = rows.filter((other) => reaches(row, other));
    row.right = Math.max(...weaker.map(({ right }) => right));
  }
  const quietIn = (row: ConfidenceRow): number =>
    quiet.filter((one) => rows.find((least) => reaches(one, least)) === row).length;
  const named = (): number =>
    rows.filter(({ right }) => right >= ESTABLISHED).reduce((sum, row) => sum + quietIn(row), 0);
  for (const row of rows.toReversed().toSorted((a, b) => a.right - b.right)) {
    if (row.right < ESTABLISHED || quietIn(row) === 0) continue;
    if (named() <= MAX_QUIET_NAMED * quiet.length) break;
    for (const weaker of rows) if (reaches(row, weaker)) weaker.right = Math.min(weaker.right, ESTABLISHED - 0.01);
  }
  // Without those whose weaker neighbour says the same.
  return rows.filter((row, i) => rows.slice(i + 1).find((other) => reaches(row, other))?.right !== row.right);
}

interface Band {
  lead: number;
  right: number;
  cases: number;
}

/** Bands of the cases of a stratum, by ascending lead. */
function bandsOf(cases: readonly KnownCase[], { score, isFelt }: (typeof STRATA)[number]): Band[] {
  const own = cases.filter((one) => {
    const stratum = STRATA.find((least) => one.score >= least.score && (one.isFelt || !least.isFelt));
    return stratum?.score === score && stratum.isFelt === isFelt;
  });
  return LEADS.toReversed().flatMap((lead) => {
    const here = own.filter((one) => LEADS.find((least) => one.lead >= least) === lead);
    return here.length === 0 ? [] : [{ lead, cases: here.length, right: here.filter(({ right }) => right).length }];
  });
}

/** @param bands by ascending lead, with the number that are right */
function pooled(bands: readonly Band[]): Array<{ lead: number; right: number }> {
  const pools: Array<Omit<Band, 'lead'> & { leads: number[] }> = [];
  for (const { lead, ...band } of bands) {
    let pool = { leads: [lead], ...band };
    for (let last = pools.at(-1); last && last.right / last.cases > pool.right / pool.cases; last = pools.at(-1)) {
      pools.pop();
      const leads = [...last.leads, ...pool.leads];
      pool = { leads, cases: last.cases + pool.cases, right: last.right + pool.right };
    }
    pools.push(pool);
  }
  return pools.flatMap(({ leads, cases, right }) =>
    leads.map((lead) => ({ lead, right: Math.round((100 * (right + 1)) / (cases + 2)) / 100 })),
  );
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
