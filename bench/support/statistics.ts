/** The middle value; of an even number of values the mean of the middle two. @throws {RangeError} without values */
export function median(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError('There is no median of nothing.');
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** The value below which a share `q` of the values lies. @throws {RangeError} without values */
export function quantile(values: readonly number[], q: number): number {
  if (values.length === 0) throw new RangeError('There is no quantile of nothing.');
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))]!;
}

/** Rounded to a number of significant digits, for printing. */
export function significant(value: number, digits = 3): number {
  return Number(value.toPrecision(digits));
}
