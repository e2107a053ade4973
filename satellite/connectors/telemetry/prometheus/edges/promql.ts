/** Pieces of PromQL that name the two ends of an edge. Strings in, strings out. */
import type { EdgeSource } from '../../../../../src/features/satellites/wire/index.ts';

/**
 * What a family of metrics is asked to learn who calls whom: instant queries whose answers have one sample an edge,
 * labelled with `caller` and `callee`, and with the `reporter` of the calls where both ends report them.
 */
export interface EdgeQueries {
  source: EdgeSource;
  /** Calls a second; edges without any are left out. */
  calls: string;
  /** Failed calls a second. */
  failures: string;
  /** Of the time a call took, in seconds. */
  p50: string;
  p95: string;
}

/** Labels that may name one end of an edge, the best first. */
export type EndLabels = readonly string[];

/**
 * Rates of a counter, one series for each edge. Series are summed before their ends are named: naming costs for each.
 * @param selector the counter with its matchers
 * @param keep further labels of the result, such as `le`
 */
export function rateByEdge(
  selector: string,
  range: string,
  ends: { caller: EndLabels; callee: EndLabels },
  keep: readonly string[] = [],
): string {
  const labels = [...new Set([...ends.caller, ...ends.callee, ...keep])].join(', ');
  const summed = `sum by (${labels}) (rate(${selector}[${range}]))`;
  const named = nameEnd(nameEnd(summed, 'caller', ends.caller), 'callee', ends.callee);
  return `sum by (${['caller', 'callee', ...keep].join(', ')}) (${named})`;
}

/** Quantile of a histogram from the rates of its buckets. Edges without an observation are left out. */
export function quantile(q: number, bucketRates: string, unitsPerSecond = 1): string {
  const value = `histogram_quantile(${q}, ${bucketRates})`;
  return `(${unitsPerSecond === 1 ? value : `${value} / ${unitsPerSecond}`}) >= 0`;
}

/** Gives each series a label with the first of `labels` that it has: later replacements win. */
function nameEnd(expression: string, end: string, labels: EndLabels): string {
  return labels.reduceRight(
    (inner, label) => `label_replace(${inner}, "${end}", "$1", "${label}", "(.+)")`,
    expression,
  );
}
