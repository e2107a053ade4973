import { createRandom, type Random } from '../../../demo/simulator/random.ts';
import type { MetricSeries } from '../../../src/features/diagnosis/index.ts';
import type { DiagnosisCase } from '../case.ts';
import type { HealthyRecording } from '../petshop.ts';
import { type CallModel, drawCallModel, upstreamOf } from './calls.ts';
import { drawEffects, type Fault, type FaultKind } from './effects.ts';
import { observe } from './observe.ts';

export interface InjectedCase extends DiagnosisCase {
  truth: string;
  fault: string;
  /** The kind of node at fault. */
  node: string;
}

const SAMPLES = 5;
const INTERVAL = 300;
const ATTEMPTS = 1000;
const faults: ReadonlyArray<readonly [FaultKind, number]> = [
  ['added latency', 0.35],
  ['failing requests', 0.25],
  ['saturation', 0.2],
  ['surge at the entry', 0.1],
  ['surge at the service', 0.1],
];

/**
 * One case made from a healthy PetShop recording by simulating a fault in it. It is written from how latency, failures
 * and load travel along calls, not from what any ranker does with it. Assumptions:
 *
 * - Five random consecutive samples become the incident, the rest is the baseline; in half of the cases traffic follows
 *   the day. The recordings are months apart: every node's levels drift between them, as widely as the healthy samples
 *   of the training cases do (about 12 % for most, a factor of 2.5 for a tenth).
 * - The fault begins 5 to 15 minutes after the incident's first sample and lasts 10 to 15 minutes or to the end; the
 *   alert is up to 120 s off.
 * - Calls per request follow from request counts (calls.ts); latency is added for 2 to 100 % of the requests, 1 to 20 %
 *   fail, saturation multiplies the mean by 1.5 to 20 at once or slowly, surges are 2 to 8 times the load and slow down
 *   one saturated service, which is the truth: additional load is where the trouble comes from, not what has to be fixed.
 * - The fault is at the alerting service itself (15 %), at another that runs code (50 %) or at one that holds data or is
 *   managed (35 %). Two thirds of the alerts are on the entry, the rest on another service upstream, on any statistic.
 * - An alert only exists where the alerting service's metric left its usual range by three standard deviations.
 * - In half of the cases one or two services that have nothing to do with it have a latency spike.
 */
export function injectPetShopFault(recording: HealthyRecording, seed: number): InjectedCase {
  // Drawn once, so that faults which rarely raise an alert are as frequent as those which always do.
  const plan = drawPlan(createRandom(seed, `${recording.system} plan`));
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const random = createRandom(seed, `${recording.system} ${attempt}`);
    const made = attemptCase(recording, plan, seed, random);
    if (made !== undefined) return made;
  }
  throw new Error(`no fault with a visible symptom in ${ATTEMPTS} attempts for ${recording.system}, seed ${seed}`);
}

type NodeKind = 'alerting' | 'compute' | 'data';

interface Plan {
  kind: FaultKind;
  node: NodeKind;
  /** The alert is on the entry rather than on another service upstream of the fault. */
  atEntry: boolean;
}

function drawPlan(random: Random): Plan {
  let place = random.next();
  const kind = faults.find(([, share]) => (place -= share) < 0)?.[0] ?? 'added latency';
  const group = random.next();
  const node = group < 0.15 ? 'alerting' : group < 0.65 ? 'compute' : 'data';
  return { kind, node, atEntry: random.next() < 2 / 3 };
}

function attemptCase(recording: HealthyRecording, plan: Plan, seed: number, random: Random): InjectedCase | undefined {
  const { system, series: healthy, edges } = recording;
  const series = healthy.map((one) => ({ ...one, values: [...one.values] }));
  const byNode = Map.groupBy(series, ({ service }) => service);
  const model = drawCallModel(series, edges, random);
  const temporal = random.next() < 0.5;
  if (temporal) followTheDay(series, random);
  const count = series[0]!.timestamps.length;
  const from = 1 + Math.floor(random.next() * (count - SAMPLES - 1));
  drift(byNode, from, random);

  const drawn = drawPlace(model, plan, random);
  if (drawn === undefined) return undefined;
  const { fault, target } = drawn;
  const effects = drawEffects(model, fault, meanLatency(byNode.get(fault.service)), random);
  const onset = INTERVAL * (1 + 2 * random.next());
  const end = random.next() < 0.3 ? Number.POSITIVE_INFINITY : onset + 600 + 300 * random.next();
  const activity = Array.from({ length: SAMPLES }, (_, i) => {
    const start = i * INTERVAL;
    const overlap = Math.max(0, Math.min(end, start + INTERVAL) - Math.max(onset, start)) / INTERVAL;
    return effects.ramp ? overlap * Math.min(1, (start + INTERVAL - onset) / 900) : overlap;
  });
  const failing = (effects.failing.get(target) ?? 0) > 0;
  const metric = failing && (fault.kind === 'failing requests' || random.next() < 0.3) ? 'availability' : 'latency';
  const watched = random.pick((byNode.get(target) ?? []).filter((one) => one.metric === metric));
  if (watched === undefined) return undefined;
  const quiet = watched.values.slice(from, from + SAMPLES);
  for (const node of byNode.values()) observe(node, effects, activity, from, random);
  if (!alerts(watched, quiet, from)) return undefined;
  if (random.next() < 0.5) distract(byNode, effects.added, from, random);

  const moved = cutOut(series, from);
  const incidentFrom = moved[0]!.timestamps[0]!;
  const timestamps = series[0]!.timestamps;
  return {
    dataset: 'petshop',
    system: temporal ? `${system}, by day` : system,
    name: `injected/${system}/${seed}`,
    truth: fault.service,
    fault: fault.kind,
    node: plan.node === 'alerting' ? 'the alerting service' : `a ${plan.node} node`,
    input: {
      series: moved,
      edges: [...edges],
      alert: { service: target, metric, at: Math.round(incidentFrom + onset + 240 * random.next() - 120) },
      baseline: { from: timestamps[0]!, to: timestamps.at(-1)! + 1 },
      incident: { from: incidentFrom, to: incidentFrom + (SAMPLES - 1) * INTERVAL + 1 },
    },
  };
}

function drawPlace(model: CallModel, plan: Plan, random: Random): { fault: Fault; target: string } | undefined {
  const { kind, node, atEntry } = plan;
  const entry = entryOf(model);
  const candidates = model.services.filter((service) => {
    // The managed half of a function runs none of the system's code.
    if (service.endsWith('_AWS::Lambda')) return false;
    if (node === 'alerting') return atEntry ? service === entry : service !== entry && isCompute(service);
    return service !== entry && isCompute(service) === (node === 'compute');
  });
  if (candidates.length === 0) return undefined;
  const service = random.pick(candidates);
  const upstream = upstreamOf(model, service).filter((other) => other !== service && isCompute(other));
  const targets = node === 'alerting' ? [service] : upstream.filter((other) => (other === entry) === atEntry);
  if (targets.length === 0) return undefined;
  const target = random.pick(targets);
  if (kind === 'surge at the entry') return { fault: { kind, service, entry }, target };
  return { fault: kind === 'surge at the service' ? { kind, service, entry: service } : { kind, service }, target };
}

/** The service that nobody calls and that calls the most. */
function entryOf(model: CallModel): string {
  const called = new Set([...model.callsOf.values()].flat().map(({ callee }) => callee));
  const calls = (node: string): number => model.callsOf.get(node)?.length ?? 0;
  return model.services.filter((node) => !called.has(node)).sort((a, b) => calls(b) - calls(a))[0]!;
}

function isCompute(node: string): boolean {
  return /ECS|lambda|^Pet[A-Z][a-z]+$/i.test(node);
}

function followTheDay(series: readonly MetricSeries[], random: Random): void {
  const phase = 2 * Math.PI * random.next();
  const depth = 0.3 + 0.4 * random.next();
  for (const { metric, timestamps, values } of series) {
    if (metric === 'availability') continue;
    const swing = metric === 'requests' ? depth : 0.1 * depth;
    timestamps.forEach((time, i) => {
      const value = values[i]! * (1 + swing * Math.sin((2 * Math.PI * time) / 86_400 + phase));
      values[i] = metric === 'requests' ? Math.round(value) : value;
    });
  }
}

function drift(byNode: ReadonlyMap<string, MetricSeries[]>, from: number, random: Random): void {
  for (const node of byNode.values()) {
    const latency = Math.exp((random.next() < 0.1 ? 0.9 : 0.12) * random.normal());
    const requests = Math.exp((random.next() < 0.3 ? 0.4 : 0.1) * random.normal());
    const availability = random.next() < 0.03 ? 1 - 0.05 * random.next() : 1;
    for (const { metric, statistic, values } of node) {
      const tail = statistic === 'p99' ? Math.exp(0.2 * random.normal()) : 1;
      for (let i = from; i < from + SAMPLES; i++) {
        if (metric === 'latency') values[i]! *= latency * tail;
        else if (metric === 'requests') values[i] = Math.round(values[i]! * requests);
        else values[i]! *= availability;
      }
    }
  }
}

/** A spike of one or two samples at nodes the fault does not touch. */
function distract(
  byNode: ReadonlyMap<string, MetricSeries[]>,
  touched: ReadonlyMap<string, unknown>,
  from: number,
  random: Random,
): void {
  const bystanders = [...byNode.keys()].filter((node) => !touched.has(node)).sort();
  for (let spikes = 1 + Math.floor(2 * random.next()); spikes > 0 && bystanders.length > 0; spikes--) {
    const node = byNode.get(random.pick(bystanders))!;
    const at = from + Math.floor(SAMPLES * random.next());
    const factor = 2 * 4 ** random.next();
    const tailOnly = random.next() < 0.5;
    for (const { metric, statistic, values } of node) {
      if (metric !== 'latency') continue;
      const share = tailOnly && statistic === 'p50' ? 0 : tailOnly && statistic !== 'p99' ? 0.3 : 1;
      values[at]! *= 1 + (factor - 1) * share;
    }
  }
}

function alerts(watched: MetricSeries, quiet: readonly number[], from: number): boolean {
  const usual = watched.values.filter((value, i) => Number.isFinite(value) && (i < from || i >= from + SAMPLES));
  const mean = usual.reduce((sum, value) => sum + value, 0) / usual.length;
  const deviation = Math.sqrt(usual.reduce((sum, value) => sum + (value - mean) ** 2, 0) / usual.length);
  const changes = quiet.map((value, i) => Math.abs(watched.values[from + i]! - value)).filter(Number.isFinite);
  return Math.max(0, ...changes) > 3 * Math.max(deviation, Math.abs(mean) * 0.001);
}

function meanLatency(node: readonly MetricSeries[] = []): number {
  const values = node.find(({ statistic }) => statistic === 'Average')?.values.filter(Number.isFinite) ?? [];
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

/** The incident's samples in a recording of their own, a hundred days earlier. */
function cutOut(series: readonly MetricSeries[], from: number): MetricSeries[] {
  const shift = 100 * 86_400;
  return series.map((one) => {
    const { timestamps, values } = one;
    const before = timestamps.slice(from, from + SAMPLES).map((time) => time - shift);
    return {
      ...one,
      timestamps: [...before, ...timestamps.slice(0, from), ...timestamps.slice(from + SAMPLES)],
      values: [...values.slice(from, from + SAMPLES), ...values.slice(0, from), ...values.slice(from + SAMPLES)],
    };
  });
}
