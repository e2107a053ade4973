import type { Random } from '../../../demo/simulator/random.ts';
import type { CallModel } from './calls.ts';

/** Requests a node's distribution of added time is represented by. */
const POOL = 500;

export type FaultKind =
  | 'added latency'
  | 'failing requests'
  | 'saturation'
  | 'surge at the entry'
  | 'surge at the service';

export interface Fault {
  kind: FaultKind;
  service: string;
  /** The service at which the additional load arrives; only for surges. */
  entry?: string;
}

/** What a fault does to each node while it is fully active. */
export interface Effects {
  /** Seconds added to each of a node's requests, as equally likely draws; absent where nothing is added. */
  added: ReadonlyMap<string, Float64Array>;
  /** Share of a node's requests that fail because of the fault. */
  failing: ReadonlyMap<string, number>;
  /** Factor on a node's requests. */
  load: ReadonlyMap<string, number>;
  /** Grows over the incident (a leak) instead of beginning at once. */
  ramp: boolean;
}

/**
 * Draws a fault's size and follows it up the calls: a caller's request takes longer by the sum of what its calls take
 * longer, as far as it waits, and fails when one of its calls fails and that is fatal. Load is followed down.
 */
export function drawEffects(model: CallModel, fault: Fault, healthyMean: number, random: Random): Effects {
  const load = drawLoad(model, fault, random);
  const origin = { pool: new Float64Array(POOL), failing: 0, ramp: false };
  const logUniform = (low: number, high: number): number => low * (high / low) ** random.next();
  switch (fault.kind) {
    case 'added latency': {
      const share = logUniform(0.02, 1);
      const delay = logUniform(0.05, 2);
      fill(origin.pool, () => (random.next() < share ? delay * Math.exp(0.1 * random.normal()) : 0));
      break;
    }
    case 'failing requests': {
      origin.failing = logUniform(0.01, 0.2);
      // A request that times out fails late; one that is refused fails early, which hardly moves a mean.
      const timeout = random.next() < 0.25 ? logUniform(0.2, 3) : 0;
      fill(origin.pool, () => (random.next() < origin.failing ? timeout : 0));
      break;
    }
    default: {
      const factor = logUniform(1.5, 20);
      fill(origin.pool, () => -Math.log(1 - random.next()) * (factor - 1) * healthyMean);
      if (random.next() < 0.3)
        origin.failing = fault.kind === 'saturation' ? 0.03 * random.next() : logUniform(0.01, 0.2);
      origin.ramp = fault.kind === 'saturation' && random.next() < 0.5;
    }
  }
  return { ...propagate(model, fault.service, origin, random), load, ramp: origin.ramp };
}

function propagate(
  model: CallModel,
  service: string,
  origin: { pool: Float64Array; failing: number },
  random: Random,
): Pick<Effects, 'added' | 'failing'> {
  const added = new Map([[service, origin.pool]]);
  const failing = new Map([[service, origin.failing]]);
  const visiting = new Set([service]);
  const follow = (node: string): void => {
    if (added.has(node) || visiting.has(node)) return;
    visiting.add(node);
    const calls = (model.callsOf.get(node) ?? []).filter(({ callee }) => {
      follow(callee);
      return added.has(callee);
    });
    if (calls.length === 0) return;
    const pool = new Float64Array(POOL);
    fill(pool, () => {
      let sum = 0;
      for (const { callee, share, times, waited } of calls) {
        if (random.next() >= share) continue;
        for (let i = stochasticRound(times, random); i > 0; i--) sum += waited * drawFrom(added.get(callee)!, random);
      }
      return sum;
    });
    let survives = 1;
    for (const { callee, share, times, fatal } of calls) {
      survives *= 1 - share * fatal * (1 - (1 - (failing.get(callee) ?? 0)) ** times);
    }
    added.set(node, pool);
    failing.set(node, 1 - survives);
  };
  for (const node of model.callsOf.keys()) if (!model.hiddenBehind.has(node)) follow(node);
  showOnTransport(model, added, failing, random);
  return { added, failing };
}

/** A transport node records another selection of the same calls: some of it more, some less, some not at all. */
function showOnTransport(
  model: CallModel,
  added: Map<string, Float64Array>,
  failing: Map<string, number>,
  random: Random,
): void {
  for (const [transport, hidden] of model.hiddenBehind) {
    const behind = added.get(hidden);
    if (behind === undefined || random.next() < 0.3) continue;
    const selection = Math.exp(0.7 * random.normal());
    // An inferred client's time is its own, but it sees every failure.
    if (!transport.endsWith('_client')) {
      const pool = new Float64Array(POOL);
      fill(pool, () => {
        let sum = 0;
        for (let i = stochasticRound(selection, random); i > 0; i--) sum += drawFrom(behind, random);
        return sum;
      });
      added.set(transport, pool);
    }
    failing.set(transport, Math.min(1, (failing.get(hidden) ?? 0) * selection));
  }
}

function drawLoad(model: CallModel, fault: Fault, random: Random): Map<string, number> {
  const load = new Map<string, number>();
  if (fault.entry === undefined) return load;
  const surge = 2 * 4 ** random.next();
  const extra = new Map([[fault.entry, (surge - 1) * (model.requests.get(fault.entry) ?? 0)]]);
  const order = [fault.entry];
  for (let i = 0; i < order.length && order.length < 500; i++) {
    const more = extra.get(order[i]!)!;
    for (const { callee, share, times } of model.callsOf.get(order[i]!) ?? []) {
      extra.set(callee, (extra.get(callee) ?? 0) + more * share * times);
      if (!order.includes(callee)) order.push(callee);
    }
  }
  for (const [node, more] of extra) {
    const usual = model.requests.get(node) ?? 0;
    if (usual > 0) load.set(node, 1 + more / usual);
  }
  return load;
}

export function drawFrom(pool: Float64Array, random: Random): number {
  return pool[Math.floor(random.next() * pool.length)]!;
}

function fill(pool: Float64Array, draw: () => number): void {
  for (let i = 0; i < pool.length; i++) pool[i] = draw();
}

function stochasticRound(value: number, random: Random): number {
  return Math.floor(value) + (random.next() < value % 1 ? 1 : 0);
}
