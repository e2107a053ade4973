import type { Random } from '../../../demo/simulator/random.ts';
import type { MetricSeries } from '../../../src/features/diagnosis/index.ts';
import { drawFrom, type Effects } from './effects.ts';

const MAX_REQUESTS = 500;
const quantiles: Readonly<Record<string, number>> = { p50: 0.5, p90: 0.9, p95: 0.95, p99: 0.99 };

/**
 * What a node's recorded series show under a fault: its requests of the interval are drawn from the healthy recording's
 * own quantiles, each takes longer by a draw from the fault, and the difference of the statistics with and without is
 * added to the recorded values, so that the recorded noise and gaps stay. `activity` is the share of each of the
 * samples from index `from` on during which the fault acts.
 */
export function observe(
  node: readonly MetricSeries[],
  effects: Effects,
  activity: readonly number[],
  from: number,
  random: Random,
): void {
  const service = node[0]!.service;
  const added = effects.added.get(service);
  const failing = effects.failing.get(service) ?? 0;
  const load = effects.load.get(service) ?? 1;
  const requests = node.find(({ metric }) => metric === 'requests');
  const latency = node.filter(({ metric }) => metric === 'latency');
  const availability = node.find(({ metric }) => metric === 'availability');
  activity.forEach((active, offset) => {
    if (active === 0) return;
    const at = from + offset;
    const usual = requests?.values[at] ?? 0;
    const count = Math.round(usual * (1 + (load - 1) * active));
    if (requests !== undefined && Number.isFinite(usual)) requests.values[at] = count;
    if (!(count > 0)) return;
    if (added !== undefined) slowDown(latency, at, Math.min(MAX_REQUESTS, count), active, added, random);
    const healthy = availability?.values[at];
    if (failing > 0 && availability !== undefined && Number.isFinite(healthy)) {
      let failed = 0;
      for (let i = 0; i < count; i++) if (random.next() < failing * active) failed++;
      availability.values[at] = healthy! * (1 - failed / count);
    }
  });
}

function slowDown(
  latency: readonly MetricSeries[],
  at: number,
  count: number,
  active: number,
  added: Float64Array,
  random: Random,
): void {
  const draw = healthyDraw(latency, at);
  if (draw === undefined) return;
  const before = new Float64Array(count);
  const after = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    before[i] = draw(random.next());
    after[i] = before[i]! + (random.next() < active ? drawFrom(added, random) : 0);
  }
  before.sort();
  after.sort();
  for (const one of latency) {
    one.values[at]! += statisticOf(after, one.statistic) - statisticOf(before, one.statistic);
  }
}

function statisticOf(sorted: Float64Array, statistic: string | undefined): number {
  const q = quantiles[statistic ?? ''];
  if (q === undefined) return sorted.reduce((sum, value) => sum + value, 0) / sorted.length;
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))]!;
}

/** Latency as a function of a uniform draw, straight lines between the recorded quantiles of one sample. */
function healthyDraw(latency: readonly MetricSeries[], at: number): ((u: number) => number) | undefined {
  const points = latency
    .map((one) => ({ q: quantiles[one.statistic ?? ''], value: one.values[at]! }))
    .filter((one): one is { q: number; value: number } => one.q !== undefined && Number.isFinite(one.value))
    .sort((a, b) => a.q - b.q);
  const last = points.at(-1);
  if (last === undefined) return undefined;
  const knots = [{ q: 0, value: points[0]!.value / 2 }, ...points, { q: 1, value: last.value * 1.2 }];
  return (u) => {
    const right = Math.max(
      1,
      knots.findIndex(({ q }) => q >= u),
    );
    const [a, b] = [knots[right - 1]!, knots[right]!];
    return a.value + ((b.value - a.value) * (u - a.q)) / (b.q - a.q);
  };
}
