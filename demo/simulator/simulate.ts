/**
 * The shop's dynamics. Requests flow from callers to callees, with retries; time and failures flow back. Queues for
 * CPU and for database connections follow the usual approximation of an M/M/c queue (Sakasegawa 1977); latencies add
 * up as lognormal distributions by their moments. Nothing here knows what an alert or a root cause is.
 */
import { fromMoments, meanUpTo, shareAbove, varianceUpTo, type Latency } from './latency.ts';
import type { Effect, RouteSpec, Scenario, ServiceSpec, SystemSpec } from './model.ts';
import { ageMemory, createMemory, RESTART_STEPS, type Memory } from './memory.ts';
import { createRandom, type Random } from './random.ts';
import { queueFactor, occupyPool } from './queues.ts';
import type { CallState, PoolState, RouteState, ServiceState, StepState } from './state.ts';

/** CPU queues hold at most this many seconds of work; what comes then is refused. */
const MAX_QUEUE_SECONDS = 6;
/** Outcome of a call in the previous step: what the traffic of this one follows from. */
interface Outcome {
  attempts: number;
  /** Share of requests that get as far as this call. */
  reached: number;
}

/** Runs a scenario. @returns one state a step, in time order */
export function simulate(system: SystemSpec, scenario: Scenario, stepSeconds: number): StepState[] {
  const random = createRandom(scenario.seed, `${scenario.id}/dynamics`);
  const memories = new Map(system.services.map((spec) => [spec.name, createMemory(spec)]));
  const outcomes = new Map<string, Outcome>();
  const steps: StepState[] = [];
  // The first steps only bring the outcomes into balance.
  for (let i = -20; i * stepSeconds < scenario.durationSeconds; i++) {
    const at = scenario.start + i * stepSeconds;
    const state = step(system, scenario, at, stepSeconds, memories, outcomes, random);
    if (i >= 0) steps.push(state);
  }
  return steps;
}

function step(
  system: SystemSpec,
  scenario: Scenario,
  at: number,
  stepSeconds: number,
  memories: Map<string, Memory>,
  outcomes: Map<string, Outcome>,
  random: Random,
): StepState {
  const effects = scenario.effects(at);
  const arrivals = arrivalsOf(system, scenario, at, outcomes, random);
  const routes = new Map<string, RouteState>();
  const services = new Map<string, ServiceState>();
  const calls: CallState[] = [];
  for (const spec of system.services.toReversed()) {
    const effect = effects[spec.name] ?? {};
    const state = serve(spec, effect, memories.get(spec.name)!, arrivals, routes, outcomes, calls, stepSeconds, random);
    services.set(spec.name, state);
  }
  return { at, services, calls };
}

/** Requests a second of every route (`service route`), callers before callees. */
function arrivalsOf(
  system: SystemSpec,
  scenario: Scenario,
  at: number,
  outcomes: Map<string, Outcome>,
  random: Random,
): Map<string, number> {
  const arrivals = new Map<string, number>();
  const add = (key: string, rate: number) => arrivals.set(key, (arrivals.get(key) ?? 0) + rate);
  const users =
    system.entry.requestsPerSecond * diurnal(at) * (scenario.traffic?.(at) ?? 1) * Math.exp(0.03 * random.normal());
  for (const [route, share] of Object.entries(system.entry.routes)) {
    add(`${system.entry.service} ${route}`, users * share * Math.exp(0.03 * random.normal()));
  }
  const firstRoute = new Map(system.services.map(({ name, routes }) => [name, routes[0]!.name]));
  for (const spec of system.services) {
    for (const route of spec.routes) {
      const rate = arrivals.get(`${spec.name} ${route.name}`) ?? 0;
      for (const call of route.calls) {
        const { attempts, reached } = outcomes.get(callKey(spec, route, call.callee)) ?? { attempts: 1, reached: 1 };
        add(`${call.callee} ${call.route ?? firstRoute.get(call.callee)}`, rate * call.times * attempts * reached);
      }
    }
  }
  return arrivals;
}

/** Traffic against the mean of the day; busiest at 18:00 UTC. */
function diurnal(at: number): number {
  const hour = (at % 86_400) / 3600;
  return 1 + 0.45 * Math.cos(((hour - 18) / 24) * 2 * Math.PI);
}

const callKey = (spec: ServiceSpec, route: RouteSpec, callee: string) => `${spec.name} ${route.name} > ${callee}`;

function serve(
  spec: ServiceSpec,
  effect: Effect,
  memory: Memory,
  arrivals: Map<string, number>,
  routes: Map<string, RouteState>,
  outcomes: Map<string, Outcome>,
  calls: CallState[],
  stepSeconds: number,
  random: Random,
): ServiceState {
  const rateOf = (route: RouteSpec) => arrivals.get(`${spec.name} ${route.name}`) ?? 0;
  const total = spec.routes.reduce((sum, route) => sum + rateOf(route), 0);
  const killed = ageMemory(spec, effect, memory, total, stepSeconds);
  const available = memory.downFor.filter((steps) => steps === 0).length;
  const fullest = spec.memoryMb + Math.max(...memory.leakedMb);
  const pressure = Math.max(0, fullest / spec.memoryLimitMb - 0.8) / 0.2;
  // A collector that finds little to free runs all the time.
  const collection = 1 + 60 * Math.min(1, pressure) ** 2;

  // CPU: work, background and collection share what the limit allows.
  const cpuLimit = spec.cpus * (effect.cpuLimit ?? 1);
  const cpuSeconds = spec.cpuSeconds * (effect.cpuCost ?? 1) * collection;
  const weighted = spec.routes.reduce((sum, route) => sum + rateOf(route) * route.weight, 0);
  const capacity = Math.max(0.05, Math.max(1, available) * cpuLimit - (effect.backgroundCpus ?? 0));
  const load = (weighted * cpuSeconds) / capacity;
  memory.queueSeconds = Math.max(0, memory.queueSeconds + (load - 1) * stepSeconds);
  const refused = memory.queueSeconds > MAX_QUEUE_SECONDS ? Math.max(0, 1 - 1 / load) : 0;
  memory.queueSeconds = Math.min(memory.queueSeconds, MAX_QUEUE_SECONDS);
  const servers = Math.max(1, capacity);
  const steady = Math.min(load, 0.97);
  const queueMs = 1000 * (queueFactor(steady, servers) * cpuSeconds + memory.queueSeconds);
  const stretchedMs = 1000 * cpuSeconds * (1 / Math.min(1, cpuLimit) - 1) + 1000 * (cpuSeconds - spec.cpuSeconds);

  memory.drift = 0.85 * memory.drift + 0.03 * random.normal();
  const workMs = (spec.workMs * (effect.slowdown ?? 1) * collection + stretchedMs) * Math.exp(memory.drift);
  const lost = spec.replicas > 1 ? (0.3 * (spec.replicas - available)) / spec.replicas / RESTART_STEPS : 0;
  const ownErrors = 1 - (1 - spec.errorRatio) * (1 - (effect.errorRatio ?? 0)) * (1 - refused) * (1 - lost);

  const partial = spec.routes.map((route) => {
    const own: Latency = { median: workMs * route.weight, sigma: spec.sigma };
    return { ...followCalls(spec, route, effect, own, queueMs, rateOf(route), routes, outcomes, calls), own };
  });
  const pool = spec.pool && occupyPool(spec, effect, available, partial);
  if (pool && pool.rejected > 0) sparePoolTarget(spec, pool, outcomes);
  const states = partial.map(({ route, mean, variance, errorRatio, own }): RouteState => {
    const wait = pool && route.calls.some(({ callee }) => callee === pool.target) ? pool.waitMs : 0;
    const rejected = wait > 0 && pool ? pool.rejected : 0;
    // A wait that ends at the acquire time-out varies little.
    const waitSpread = rejected > 0.01 ? 0.05 : 0.6;
    return {
      name: route.name,
      requestsPerSecond: rateOf(route),
      latency: fromMoments(mean + wait, variance + wait * wait * waitSpread),
      work: own,
      errorRatio: 1 - (1 - ownErrors) * (1 - errorRatio) * (1 - rejected),
    };
  });
  for (const state of states) routes.set(`${spec.name} ${state.name}`, state);
  return {
    requestsPerSecond: total,
    routes: states,
    queueMs,
    ownErrorRatio: ownErrors,
    cpuUtilization: Math.min(
      1,
      (weighted * cpuSeconds + (effect.backgroundCpus ?? 0)) / (Math.max(1, available) * cpuLimit),
    ),
    memoryMb: spec.memoryMb + memory.leakedMb.reduce((sum, mb) => sum + mb, 0) / spec.replicas,
    memoryLimitMb: spec.memoryLimitMb,
    replicasAvailable: available,
    restarts: memory.restarts,
    killed,
    pool,
    cpuLimit,
    throttledRatio: cpuLimit < 1 ? Math.min(0.95, load * 0.8) : Math.max(0, load - 0.7),
    diskReads: total * 0.15 * (effect.diskReads ?? 1),
  };
}

/** Time and failures of a route: its own and those of the calls it makes, one after another. */
function followCalls(
  spec: ServiceSpec,
  route: RouteSpec,
  effect: Effect,
  own: Latency,
  queueMs: number,
  rate: number,
  routes: Map<string, RouteState>,
  outcomes: Map<string, Outcome>,
  calls: CallState[],
): { route: RouteSpec; rate: number; mean: number; variance: number; errorRatio: number; databaseMs: number } {
  let mean = meanUpTo(own, 1e9) + queueMs;
  let variance = varianceUpTo(own, 1e9) + queueMs * queueMs * 0.6;
  let reached = 1;
  let databaseMs = 0;
  for (const call of route.calls) {
    const callee = call.route
      ? routes.get(`${call.callee} ${call.route}`)
      : [...routes].find(([key]) => key.startsWith(`${call.callee} `))?.[1];
    if (!callee) throw new Error(`${spec.name} calls ${call.callee}, which is not listed after it`);
    const timeoutMs = effect.timeoutMs?.callee === call.callee ? effect.timeoutMs.value : call.timeoutMs;
    const slow = shareAbove(callee.latency, timeoutMs) * (1 - callee.errorRatio);
    const failed = Math.min(0.9999, callee.errorRatio + slow);
    const attempts = expectedAttempts(failed, call.retries);
    const oneMean = meanUpTo(callee.latency, timeoutMs);
    const oneVariance = varianceUpTo(callee.latency, timeoutMs);
    mean += reached * call.times * oneMean * attempts.mean;
    variance += reached * call.times * (oneVariance * attempts.mean + oneMean * oneMean * attempts.variance);
    if (call.callee === spec.pool?.target) databaseMs += reached * call.times * oneMean * attempts.mean;
    outcomes.set(callKey(spec, route, call.callee), { attempts: attempts.mean, reached });
    calls.push({
      caller: spec.name,
      callee: call.callee,
      attemptsPerSecond: rate * reached * call.times * attempts.mean,
      timeoutRatio: slow,
      errorRatio: callee.errorRatio,
      timeoutMs,
      medianMs: callee.latency.median,
    });
    if (call.critical) reached *= (1 - failed ** (call.retries + 1)) ** call.times;
  }
  return { route, rate, mean, variance, errorRatio: 1 - reached, databaseMs };
}

function expectedAttempts(failed: number, retries: number): { mean: number; variance: number } {
  let mean = 0;
  let square = 0;
  for (let k = 1; k <= retries + 1; k++) {
    const probability = k <= retries ? failed ** (k - 1) * (1 - failed) : failed ** retries;
    mean += k * probability;
    square += k * k * probability;
  }
  return { mean, variance: Math.max(0, square - mean * mean) };
}

/** Requests that get no connection ask neither the database nor what would have come after it. */
function sparePoolTarget(spec: ServiceSpec, pool: PoolState, outcomes: Map<string, Outcome>): void {
  for (const route of spec.routes) {
    const first = route.calls.findIndex(({ callee }) => callee === pool.target);
    if (first === -1) continue;
    for (const { callee } of route.calls.slice(first)) {
      outcomes.get(callKey(spec, route, callee))!.reached *= 1 - pool.rejected;
    }
  }
}
