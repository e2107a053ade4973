import { createRandom, type Random } from '../../../demo/simulator/random.ts';
import type { MetricSeries } from '../../../src/features/diagnosis/index.ts';
import type { InjectedCase } from './petshop.ts';

/** Calls per request, waited for one after another. */
const calls: Readonly<Record<string, ReadonlyArray<readonly [string, number]>>> = {
  'front-end': [
    ['carts', 0.8],
    ['catalogue', 1.2],
    ['orders', 0.15],
    ['user', 0.5],
    ['session-db', 1],
  ],
  carts: [['carts-db', 1.5]],
  catalogue: [['catalogue-db', 1]],
  orders: [
    ['user', 2],
    ['carts', 1],
    ['payment', 1],
    ['shipping', 1],
    ['orders-db', 2],
  ],
  user: [['user-db', 1.5]],
  shipping: [['rabbitmq', 1]],
  'queue-master': [['rabbitmq', 1]],
};
/** Callees before callers. */
const order =
  'session-db carts-db catalogue-db orders-db user-db rabbitmq payment shipping queue-master user carts catalogue orders front-end'.split(
    ' ',
  );
const applications = ['front-end', 'carts', 'catalogue', 'orders', 'payment', 'user', 'shipping'];
const databases = ['carts-db', 'catalogue-db', 'orders-db', 'user-db'];
/** Columns the collectors of such data sets leave in, although they are no services of the shop. */
const others = ['istio-init', 'PassthroughCluster', 'main', 'redis', 'rabbitmq-exporter'];

interface Behaviour {
  requests: number;
  ownLatency: number;
  latencyNoise: number;
  cpuPerRequest: number;
  idleCpu: number;
  cpuNoise: number;
  memory: number;
  memoryNoise: number;
  leak: number;
}

/** What the fault and its surroundings do to one service, as factors when fully active. */
interface Change {
  cpu: number;
  memory: number;
  latency: number;
  errors: number;
}

/**
 * One case like the Sock Shop recordings with CPU and memory faults: seconds of a normal and an anomalous table, columns
 * `SERVICE_METRIC`, no graph and no alert. Assumptions:
 *
 * - Load at the front end is autocorrelated, differs by some 15 % between the tables, and falls when the shop gets slow
 *   (users wait) or, in a fifth of the cases, rises by retries.
 * - CPU is idle plus cost per request plus spikes; a CPU fault multiplies it by 1.5 to 50 and the service's own latency
 *   by 1 to 8; a memory fault multiplies memory by 1.2 to 10 within a minute, CPU by 1 to 3 and latency by 1 to 4, and
 *   in a fifth of the cases ends in restarts (memory falls back, requests fail).
 * - Callers wait for their callees; the front end queues on top of that (1 to 3 times the rise) and has the quietest
 *   latency, so that it is often the loudest.
 * - Up to three other services share the machine and get a little slower; one or two grow their caches.
 * - 10 % of the columns are constant, 5 % missing, 1 % of the cells empty; the tables have different lengths.
 */
export function injectSockShopFault(seed: number): InjectedCase {
  const random = createRandom(seed, 'sockshop');
  const memoryFault = random.next() < 0.5;
  const truth = random.pick(random.next() < 0.75 ? applications : databases);
  const normal = 300 + Math.floor(700 * random.next());
  const anomalous = 120 + Math.floor(480 * random.next());
  const behaviours = drawBehaviours(random);
  const changes = drawChanges(truth, memoryFault, random);
  const columns = simulate(truth, normal, anomalous, behaviours, changes, random);
  spoil(columns, truth, normal, random);
  const start = 1_650_000_000 + seed * 10_000;
  const timestamps = Array.from({ length: normal + anomalous }, (_, i) => start + i);
  const renamed = random.next() < 0.5;
  const series: MetricSeries[] = [...columns].map(([name, values]) => {
    const [service, metric] = name.split('|') as [string, string];
    return { service, metric: renamed ? otherHabit(metric) : metric, timestamps, values };
  });
  return {
    dataset: 'sockshop',
    system: 'sockshop',
    name: `injected/${truth}-${memoryFault ? 'mem' : 'cpu'}/${seed}`,
    truth,
    fault: memoryFault ? 'memory' : 'cpu',
    node: truth === 'front-end' ? 'the front end' : truth.endsWith('-db') ? 'a database' : 'an application',
    input: {
      series,
      edges: [],
      baseline: { from: start, to: start + normal },
      incident: { from: start + normal, to: start + normal + anomalous },
    },
  };
}

function otherHabit(metric: string): string {
  return metric.replace(/^latency-(\d+)$/, 'lat_$1').replace(/^workload$/, 'load');
}

function logUniform(random: Random, low: number, high: number): number {
  return low * (high / low) ** random.next();
}

function drawBehaviours(random: Random): Map<string, Behaviour> {
  const requests = new Map([['front-end', logUniform(random, 20, 200)]]);
  for (const caller of order.toReversed()) {
    for (const [callee, ratio] of calls[caller] ?? []) {
      requests.set(callee, (requests.get(callee) ?? 0) + ratio * (requests.get(caller) ?? 1));
    }
  }
  return new Map(
    order.map((service) => [
      service,
      {
        requests: requests.get(service) ?? 1,
        ownLatency: logUniform(random, 0.001, 0.03),
        latencyNoise: service === 'front-end' ? 0.05 : logUniform(random, 0.05, 0.4),
        cpuPerRequest: logUniform(random, 0.0002, 0.005),
        idleCpu: logUniform(random, 0.001, 0.05),
        cpuNoise: logUniform(random, 0.1, 0.4),
        memory: logUniform(random, 1e7, 1e9),
        memoryNoise: logUniform(random, 0.0005, 0.02),
        leak: random.next() < 0.2 ? 0.2 * random.next() : 0,
      },
    ]),
  );
}

function drawChanges(truth: string, memoryFault: boolean, random: Random): Map<string, Change> {
  const changes = new Map<string, Change>();
  for (const service of order) changes.set(service, { cpu: 1, memory: 1, latency: 1, errors: 0 });
  for (let neighbours = Math.floor(4 * random.next()); neighbours > 0; neighbours--) {
    const change = changes.get(random.pick(order))!;
    change.cpu *= 0.8 + 0.35 * random.next();
    change.latency *= 1 + 0.5 * random.next();
  }
  for (let caches = 1 + Math.floor(2 * random.next()); caches > 0; caches--) {
    changes.get(random.pick(order))!.memory *= 1.05 + 0.6 * random.next();
  }
  const faulty = changes.get(truth)!;
  if (memoryFault) {
    faulty.memory *= logUniform(random, 1.2, 10);
    faulty.cpu *= 1 + 2 * random.next();
    faulty.latency *= logUniform(random, 1, 4);
    if (random.next() < 0.2) faulty.errors = 0.05 + 0.2 * random.next();
  } else {
    faulty.cpu *= logUniform(random, 1.5, 50);
    faulty.latency *= logUniform(random, 1, 8);
  }
  return changes;
}

function simulate(
  truth: string,
  normal: number,
  anomalous: number,
  behaviours: ReadonlyMap<string, Behaviour>,
  changes: ReadonlyMap<string, Change>,
  random: Random,
): Map<string, number[]> {
  const columns = new Map<string, number[]>();
  const push = (service: string, metric: string, value: number): void => {
    const name = `${service}|${metric}`;
    const column = columns.get(name);
    if (column === undefined) columns.set(name, [value]);
    else column.push(value);
  };
  const drift = Math.exp(0.15 * random.normal());
  const impatience = random.next() < 0.2 ? 1 + 0.5 * random.next() : 0.6 + 0.4 * random.next();
  const queueing = 1 + 2 * random.next();
  const rise = 5 + 55 * random.next();
  const lag = 20 * random.next();
  const restartEvery = 60 + 60 * random.next();
  const wander = new Map<string, number>();
  const autocorrelated = (name: string): number => {
    const next = 0.9 * (wander.get(name) ?? random.normal()) + Math.sqrt(1 - 0.81) * random.normal();
    wander.set(name, next);
    return next;
  };
  for (let i = 0; i < normal + anomalous; i++) {
    const since = i - normal - lag;
    const active = since <= 0 ? 0 : Math.min(1, since / rise);
    const load = (i < normal ? 1 : drift) * (1 + (impatience - 1) * active) * Math.exp(0.1 * autocorrelated('load'));
    const latency = new Map<string, { quiet: number; now: number }>();
    for (const service of order) {
      const usual = behaviours.get(service)!;
      const change = changes.get(service)!;
      const grown = (factor: number): number => 1 + (factor - 1) * active;
      const requests = Math.max(0, usual.requests * load + Math.sqrt(usual.requests) * 0.3 * random.normal());
      const spike = random.next() < 0.02 ? 2 + 2 * random.next() : 1;
      const cpu = (usual.idleCpu + usual.cpuPerRequest * requests) * Math.exp(usual.cpuNoise * random.normal()) * spike;
      const own = usual.ownLatency * Math.exp(usual.latencyNoise * 0.5 * autocorrelated(service));
      let quiet = own;
      let now = own * grown(change.latency);
      for (const [callee, ratio] of calls[service] ?? []) {
        quiet += ratio * latency.get(callee)!.quiet;
        now += ratio * latency.get(callee)!.now;
      }
      if (service === 'front-end') now = quiet + (now - quiet) * queueing;
      latency.set(service, { quiet, now });
      const restarted = service === truth && change.errors > 0 && since > 0 && since % restartEvery < 10;
      const walk = 1 + usual.memoryNoise * autocorrelated(`${service} mem`) + (usual.leak * i) / (normal + anomalous);
      push(service, 'cpu', cpu * grown(change.cpu) * (restarted ? 0.2 : 1));
      push(service, 'mem', usual.memory * walk * (restarted ? 0.5 : grown(change.memory)));
      push(service, 'workload', requests);
      const noise = (): number => Math.exp(usual.latencyNoise * random.normal());
      push(service, 'latency-50', requests < 0.5 ? Number.NaN : now * noise());
      push(service, 'latency-90', requests < 0.5 ? Number.NaN : 2.2 * now * noise() * noise());
      push(service, 'error', random.poisson(restarted ? requests * change.errors : requests * 1e-4));
    }
    for (const other of others) {
      push(other, 'cpu', other === 'istio-init' ? 0 : 0.01 * Math.exp(0.5 * random.normal()));
      push(other, 'mem', other === 'istio-init' ? 0 : 3e7 * (1 + 0.02 * autocorrelated(other)));
      if (other === 'PassthroughCluster') push(other, 'workload', random.poisson(2));
    }
  }
  return columns;
}

function spoil(columns: Map<string, number[]>, truth: string, normal: number, random: Random): void {
  for (const [name, values] of columns) {
    const place = random.next();
    const faulty = name.startsWith(`${truth}|`);
    if (place < 0.1 && !faulty) values.fill(values[0]!);
    else if (place < 0.12) columns.delete(name);
    else if (place < 0.15)
      values.fill(Number.NaN, random.next() < 0.5 ? 0 : normal, random.next() < 0.5 ? normal : undefined);
    for (let i = 0; i < values.length; i++) if (random.next() < 0.01) values[i] = Number.NaN;
  }
}
