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

/** A figure and its baseline in the same unit; the ratio is the one by the other. */
export function compared(
  name: string,
  value: number,
  unit: string,
  baselineName: string,
  baseline: number,
  rest: Pick<BenchResult, 'note' | 'target' | 'met'>,
): BenchResult {
  return {
    name,
    value,
    unit,
    baseline: { name: baselineName, value: baseline, unit },
    ratio: value / baseline,
    ...rest,
  };
}
