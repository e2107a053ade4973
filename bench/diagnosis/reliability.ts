/** A stated confidence, and whether it was right. */
export interface Stated {
  confidence: number;
  right: boolean;
}

const BINS = 10;

/**
 * Expected calibration error (Naeini et al., AAAI 2015): the mean distance between confidence and frequency over ten
 * equal bins, weighted by their cases. NaN without cases.
 */
export function expectedCalibrationError(stated: readonly Stated[]): number {
  const rows = reliability(stated);
  const weighted = rows.reduce((sum, { cases, confidence, right }) => sum + cases * Math.abs(confidence - right), 0);
  return stated.length === 0 ? Number.NaN : weighted / stated.length;
}

/** Of each bin that has cases: how many, their mean confidence, the share that was right. */
export function reliability(stated: readonly Stated[]): Array<{ cases: number; confidence: number; right: number }> {
  const bins = Map.groupBy(stated, ({ confidence }) => Math.min(BINS - 1, Math.floor(confidence * BINS)));
  return [...bins]
    .sort(([a], [b]) => a - b)
    .map(([, members]) => ({
      cases: members.length,
      confidence: members.reduce((sum, { confidence }) => sum + confidence, 0) / members.length,
      right: members.filter(({ right }) => right).length / members.length,
    }));
}

/** The table of {@link reliability}, with the error and the share of cases wrong at .7 or more. */
export function reliabilityTable(name: string, stated: readonly Stated[]): string {
  const lines = [`${name}: confidence   cases   right`];
  for (const { cases, confidence, right } of reliability(stated)) {
    lines.push(`  ${confidence.toFixed(2).padStart(12)} ${String(cases).padStart(7)} ${right.toFixed(2).padStart(7)}`);
  }
  const sure = stated.filter(({ confidence, right }) => confidence >= 0.7 && !right).length;
  lines.push(
    `  expected calibration error ${expectedCalibrationError(stated).toFixed(3)}; wrong with .7 or more: ${sure} of ${stated.length}`,
  );
  return `${lines.join('\n')}\n`;
}
