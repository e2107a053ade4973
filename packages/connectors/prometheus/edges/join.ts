import { MAX_NAME_CHARACTERS, type EdgeSource } from '@casebook/wire';
import type { ObservedEdge } from '../../connector.ts';

export interface EdgeSample {
  labels: Record<string, string>;
  value: number;
}

/** The answers to the queries of one family of metrics. */
interface EdgeAnswers {
  calls: readonly EdgeSample[];
  failures: readonly EdgeSample[];
  p50: readonly EdgeSample[];
  p95: readonly EdgeSample[];
}

/** Reporters of the same calls, most reliable first: the called end saw every call. */
const REPORTERS = ['destination', 'waypoint', 'source'];

/**
 * Joins the answers by caller, callee and reporter, and returns each edge once, as its most reliable reporter saw it.
 * Omits samples that lack an end, have an unknown one, or have a name longer than the protocol allows.
 */
export function joinEdges(source: EdgeSource, answers: EdgeAnswers): ObservedEdge[] {
  const [failures, p50, p95] = [answers.failures, answers.p50, answers.p95].map(byKey);
  const edges = new Map<string, { edge: ObservedEdge; rank: number }>();
  for (const { labels, value } of answers.calls) {
    const { caller, callee, reporter } = labels;
    if (!isName(caller) || !isName(callee) || !(value > 0) || !Number.isFinite(value)) continue;
    const pair = JSON.stringify([caller, callee]);
    const rank = rankOf(reporter);
    const seen = edges.get(pair);
    if (seen && seen.rank <= rank) continue;
    const key = keyOf(labels);
    const failed = failures?.get(key) ?? 0;
    const edge: ObservedEdge = {
      caller,
      callee,
      source,
      callsPerSecond: value,
      errorRatio: Math.min(1, Math.max(0, failed / value)),
      p50Seconds: p50?.get(key),
      p95Seconds: p95?.get(key),
    };
    edges.set(pair, { edge, rank });
  }
  return [...edges.values()].map(({ edge }) => edge);
}

function byKey(samples: readonly EdgeSample[]): Map<string, number> {
  return new Map(
    samples.filter(({ value }) => Number.isFinite(value) && value >= 0).map((s) => [keyOf(s.labels), s.value]),
  );
}

function keyOf({ caller, callee, reporter }: Record<string, string>): string {
  return JSON.stringify([caller, callee, reporter]);
}

function rankOf(reporter: string | undefined): number {
  const rank = REPORTERS.indexOf(reporter ?? '');
  return rank === -1 ? REPORTERS.length : rank;
}

function isName(name: string | undefined): name is string {
  return name !== undefined && name !== '' && name !== 'unknown' && name.length <= MAX_NAME_CHARACTERS;
}
