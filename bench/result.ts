/** One figure of a benchmark, always beside a baseline measured in the same run. */
export interface BenchResult {
  name: string;
  value: number;
  unit: string;
  baseline: { name: string; value: number; unit: string };
  /** `value` in proportion to the baseline's, in the sense the note or target gives. */
  ratio: number;
  target?: string;
  met?: boolean;
  note?: string;
}
