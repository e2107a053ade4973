import {
  buildServiceGraph,
  isTransport,
  nearest,
  type RankingInput,
  seriesAnomaly,
} from '../../src/features/diagnosis/index.ts';

export interface RankedService {
  service: string;
  score: number;
}

/**
 * The two plain compositions of a robust score with the call graph that the field compares against. Each service scores
 * the strongest harmful (value - median) / max(IQR, standard deviation) of its series; traffic has no harmful
 * direction and is left out. `gap` subtracts the best callee's score, `formula` takes logarithms first and subtracts
 * half. Transport nodes are looked through and listed last, and services the alerting one cannot reach follow those it can.
 */
export function rankByGap(input: RankingInput): RankedService[] {
  return rankOverGraph(input, (score) => score, 1);
}

/** See {@link rankByGap}. */
export function rankByFormula(input: RankingInput): RankedService[] {
  return rankOverGraph(input, Math.log1p, 0.5);
}

function rankOverGraph(input: RankingInput, scale: (score: number) => number, discount: number): RankedService[] {
  const { baseline, incident, alert } = input;
  if (baseline === undefined || incident === undefined) return [];
  const scores = new Map<string, number>();
  for (const series of input.series) {
    const anomaly = seriesAnomaly(series, { baseline, incident });
    const harm = anomaly.direction === 'either' ? 0 : Math.max(0, anomaly.score);
    scores.set(series.service, Math.max(scores.get(series.service) ?? 0, harm));
  }
  const graph = buildServiceGraph(input.edges);
  const reachable = new Set<string>();
  const queue = alert === undefined ? [] : [alert.service];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    if (reachable.has(next)) continue;
    reachable.add(next);
    queue.push(...graph.calleesOf(next));
  }
  const tier = (service: string): number => {
    if (graph.nodes.has(service) && isTransport(service)) return 2;
    return graph.nodes.size === 0 || reachable.has(service) ? 0 : 1;
  };
  return [...new Set([...scores.keys(), ...graph.nodes])]
    .map((service) => {
      const callees = nearest(service, graph.calleesOf, (callee) => !isTransport(callee));
      const best = Math.max(0, ...[...callees].map((callee) => scale(scores.get(callee) ?? 0)));
      return { service, score: scale(scores.get(service) ?? 0) - discount * best - 1e8 * tier(service) };
    })
    .sort((a, b) => b.score - a.score || (a.service < b.service ? -1 : 1));
}
