/** Pieces of PromQL that name the two ends of an edge. Strings in, strings out. */
import type { EdgeSource } from '@casebook/wire';

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
type EndLabels = readonly string[];

/** The labels that name the two ends of an edge, and those of the result besides `caller` and `callee`. */
export interface Naming {
  caller: EndLabels;
  callee: EndLabels;
  keep?: readonly string[];
}

/** Rate of a counter for each edge. @param selector the counter with its matchers */
export function rateByEdge(selector: string, range: string, naming: Naming): string {
  return nameEnds('sum', `sum by (${labelsOf(naming).join(', ')}) (rate(${selector}[${range}]))`, naming);
}

/**
 * Quantile of a histogram for each edge that has an observation. Edges are named last, for naming costs the most: where
 * one edge goes by several sets of labels, which is rare, its quantile is the largest of theirs.
 * @param buckets the histogram's buckets with their matchers
 * @param unitsPerSecond of what is observed
 */
export function quantileByEdge(
  q: number,
  buckets: string,
  range: string,
  naming: Naming & { unitsPerSecond?: number },
): string {
  const { unitsPerSecond = 1 } = naming;
  const value = `histogram_quantile(${q}, sum by (${[...labelsOf(naming), 'le'].join(', ')}) (rate(${buckets}[${range}])))`;
  // Nothing observed is not a number, and compares with none.
  return nameEnds('max', `${unitsPerSecond === 1 ? value : `${value} / ${unitsPerSecond}`} >= 0`, naming);
}

function labelsOf({ caller, callee, keep = [] }: Naming): string[] {
  return [...caller, ...callee, ...keep];
}

function nameEnds(aggregate: 'sum' | 'max', expression: string, { caller, callee, keep = [] }: Naming): string {
  const named = nameEnd(nameEnd(expression, 'caller', caller), 'callee', callee);
  return `${aggregate} by (${['caller', 'callee', ...keep].join(', ')}) (${named})`;
}

/** Gives each series a label with the first of `labels` that it has: later replacements win. */
function nameEnd(expression: string, end: string, labels: EndLabels): string {
  return labels.reduceRight(
    (inner, label) => `label_replace(${inner}, "${end}", "$1", "${label}", "(.+)")`,
    expression,
  );
}
