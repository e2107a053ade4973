import type { MetricSeries, RankingInput, ServiceEdge } from '../../../src/features/diagnosis/index.ts';

/** Deterministic noise in [-0.5, 0.5). */
export function noise(seed: number): () => number {
  let state = (seed * 2_654_435_761) % 4_294_967_296;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296 - 0.5;
  };
}

export interface SyntheticSeries {
  service: string;
  metric: string;
  statistic?: string;
  unit?: string;
  /** Healthy level. */
  level: number;
  /** Peak-to-peak noise; 0 is a constant baseline. */
  noise?: number;
  /** Added from the fault's start on. */
  change?: number;
  /** Added to everything after the distant baseline, healthy or not. */
  drift?: number;
}

export const START = 1_700_000_000;
export const FAULT_AT = START + 3600;
export const END = FAULT_AT + 900;
export const INTERVAL = 15;

/** An hour of health, then a quarter of an hour of fault, sampled every 15 s. */
export function syntheticSeries(specs: readonly SyntheticSeries[]): MetricSeries[] {
  return specs.map((spec, index) => {
    const random = noise(index + 1);
    const timestamps: number[] = [];
    const values: number[] = [];
    for (let time = START; time < END; time += INTERVAL) {
      timestamps.push(time);
      const fault = time >= FAULT_AT ? (spec.change ?? 0) : 0;
      const drift = time >= FAULT_AT - 600 ? (spec.drift ?? 0) : 0;
      values.push(spec.level + (spec.noise ?? spec.level * 0.1) * random() + fault + drift);
    }
    const { service, metric, statistic, unit } = spec;
    return { service, metric, ...(statistic && { statistic }), ...(unit && { unit }), timestamps, values };
  });
}

export function edges(...pairs: Array<readonly [string, string]>): ServiceEdge[] {
  return pairs.map(([caller, callee]) => ({ caller, callee }));
}

/** A front-end that is slow because a database two hops down is; the cart is bystander. */
export function slowDatabase(change = 40): RankingInput {
  return {
    series: syntheticSeries([
      { service: 'front-end', metric: 'latency', level: 100, change },
      { service: 'orders', metric: 'latency', level: 50, change },
      { service: 'orders-db', metric: 'latency', level: 10, change },
      { service: 'cart', metric: 'latency', level: 30 },
    ]),
    edges: edges(['front-end', 'orders'], ['front-end', 'cart'], ['orders', 'orders-db']),
    alert: { service: 'front-end', metric: 'latency', at: FAULT_AT + 60 },
  };
}
