/** PromQL fragments that name the two ends of an edge. Strings in, strings out. */
import type { EdgeSource } from '@casebook/wire';

/**
 * Queries that derive who calls whom from a family of metrics: instant queries with one sample per edge, labelled with
 * `caller` and `callee`, and with `reporter` when both ends report their calls.
 */
export interface EdgeQueries {
  source: EdgeSource;
  /** Calls per second; edges without calls are left out. */
  calls: string;
  /** Failed calls per second. */
  failures: string;
  /** Quantiles of the calls' durations, in seconds. */
  p50: string;
  p95: string;
}

/** Labels that may name one end of an edge, best first. */
type EndLabels = readonly string[];

/** The labels that name the two ends of an edge, and further labels of the result. */
export interface Naming {
  caller: EndLabels;
  callee: EndLabels;
  keep?: readonly string[];
}

/** Rate of a counter by edge. @param selector the counter with its matchers */
export function rateByEdge(selector: string, range: string, naming: Naming): string {
  return nameEnds('sum', `sum by (${labelsOf(naming).join(', ')}) (rate(${selector}[${range}]))`, naming);
}

/**
 * Quantile of a histogram for each edge with observations. Edges are named last, since naming costs the most; in the
 * rare case that several label sets name the same edge, its quantile is the largest of theirs.
 * @param buckets the histogram's buckets with their matchers
 * @param unitsPerSecond of the observations
 */
export function quantileByEdge(
  q: number,
  buckets: string,
  range: string,
  naming: Naming & { unitsPerSecond?: number },
): string {
  const { unitsPerSecond = 1 } = naming;
  const value = `histogram_quantile(${q}, sum by (${[...labelsOf(naming), 'le'].join(', ')}) (rate(${buckets}[${range}])))`;
  // Without observations the quantile is NaN, and every comparison with NaN is false.
  return nameEnds('max', `${unitsPerSecond === 1 ? value : `${value} / ${unitsPerSecond}`} >= 0`, naming);
}

function labelsOf({ caller, callee, keep = [] }: Naming): string[] {
  return [...caller, ...callee, ...keep];
}

function nameEnds(aggregate: 'sum' | 'max', expression: string, { caller, callee, keep = [] }: Naming): string {
  const named = nameEnd(nameEnd(expression, 'caller', caller), 'callee', callee);
  return `${aggregate} by (${['caller', 'callee', ...keep].join(', ')}) (${named})`;
}

/** Labels each series with the first of `labels` that it has: later replacements win. */
function nameEnd(expression: string, end: string, labels: EndLabels): string {
  return labels.reduceRight(
    (inner, label) => `label_replace(${inner}, "${end}", "$1", "${label}", "(.+)")`,
    expression,
  );
}
