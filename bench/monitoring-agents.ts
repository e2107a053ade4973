import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { TASK_QUEUE } from '../temporal/queues.ts';
import type { Benchmark, BenchOptions, BenchReport, BenchTable } from './benchmark.ts';
import { compared, type BenchResult } from './result.ts';
import { startBareTimers } from './support/bare-timers.ts';
import { lateness } from './support/lateness.ts';
import { meter, type Metered } from './support/meter.ts';
import { endFleet, greenPlan, startFleet } from './support/monitoring-fleet.ts';
import { withMonitoringStack, type MonitoringStack } from './support/monitoring-stack.ts';
import { median, quantile, significant } from './support/statistics.ts';
import type { Tick } from './workflows/index.ts';

const AGENTS = Number(process.env['BENCH_AGENTS'] ?? 2_000);
const EVERY_SECONDS = 300;
const PER_SECOND = AGENTS / EVERY_SECONDS;
const WARM_UP = 50;
const WARM_UP_MS = 15_000;
const SETTLE_MS = 3_000;
const IDLE_SECONDS = 15;
const WINDOW_SECONDS = 60;
const NAMES = ['worker', 'temporal', 'postgres'] as const;

/**
 * Agents asleep and at work on one worker process: each has one check of a metric every 5 minutes, spread as the product
 * spreads them, against a Prometheus that answers at once. Agents begin in the middle of their lives, as after
 * continue-as-new, and none is due while the idle seconds are measured; then a minute of the 5 is. Lateness is from the time a
 * check was due to the begin of its session, against bare timers at the same rate on the same worker: a workflow that
 * sleeps and then calls an activity that returns the time. `BENCH_AGENTS` sets how many agents there are.
 */
export const monitoringAgents: Benchmark = {
  name: 'monitoring-agents',
  about: `${AGENTS} monitoring agents with a check every ${EVERY_SECONDS} s on one worker`,
  run: (options) => withMonitoringStack(options, (stack) => measure(options, stack)),
};

interface Measured {
  none: Metered;
  bare: Metered & { ticks: Tick[] };
  asleep: Metered;
  atWork: Metered & { lateMs: number[]; notBegun: number };
}

async function measure({ say, signal }: BenchOptions, stack: MonitoringStack): Promise<BenchReport> {
  const { teamId, client: temporal, database } = stack;
  const clients = { database, temporal };
  const taskQueue = TASK_QUEUE;
  const watch = (seconds: number): Promise<Metered> => meter(stack, { names: NAMES, seconds, signal });
  const until = (at: number): Promise<void> => sleep(Math.max(0, at - Date.now()), undefined, { signal });

  say('warming up');
  // Memory left by the first runs does not belong to any agent.
  const warm = { teamId, taskQueue, agents: WARM_UP, plan: greenPlan(1, 5), quietUntil: Date.now() };
  const first = await startFleet(clients, warm);
  await sleep(WARM_UP_MS, undefined, { signal });
  await endFleet(clients, first);
  await sleep(SETTLE_MS, undefined, { signal });
  const none = await watch(IDLE_SECONDS);

  say(`bare timers, ${PER_SECOND.toFixed(1)} a second`);
  const { startedPerSecond } = first;
  const rate = { perSecond: PER_SECOND, seconds: WINDOW_SECONDS, startedPerSecond };
  const timers = await startBareTimers(temporal, { taskQueue, ...rate });
  await until(timers.from);
  const bareCost = await watch(WINDOW_SECONDS);
  const bare = { ...bareCost, ticks: await timers.ticks };

  say(`${AGENTS} agents`);
  const guess = (AGENTS / startedPerSecond) * 1.5 + IDLE_SECONDS + 10;
  const quietUntil = Date.now() + Math.min(EVERY_SECONDS - 10, guess) * 1_000;
  const plan = greenPlan(1, EVERY_SECONDS);
  const fleet = await startFleet(clients, { teamId, taskQueue, agents: AGENTS, plan, quietUntil });
  say(`${fleet.startedPerSecond.toFixed(0)} agents a second were started`);
  await sleep(SETTLE_MS, undefined, { signal });
  if (Date.now() + IDLE_SECONDS * 1_000 > quietUntil) throw new Error('The agents took too long to start.');
  const asleep = await watch(IDLE_SECONDS);
  await until(quietUntil);
  say('checks');
  const from = Date.now();
  const cost = await watch(WINDOW_SECONDS);
  const to = Date.now();
  const atWork = { ...cost, ...(await lateness(database, { agentIds: fleet.agentIds, from, to, signal })) };
  return report({ none, bare, asleep, atWork });
}

const megabytes = (bytes: number): number => Math.round(bytes / 2 ** 20);
const load = (): string => `load average ${loadavg()[0]!.toFixed(1)}`;
const p99 = (values: readonly number[]): number => quantile(values, 0.99);

function report({ none, bare, asleep, atWork }: Measured): BenchReport {
  const begun = bare.ticks.map(({ begunMs }) => begunMs);
  const memory = (name: string, { bytes }: Metered): BenchResult =>
    compared(name, megabytes(bytes['worker']!), 'MB', 'without agents', megabytes(none.bytes['worker']!), {
      note: `${significant((bytes['worker']! - none.bytes['worker']!) / AGENTS / 1024)} kB for each agent`,
    });
  const cores = (name: string, value: Metered, of: (typeof NAMES)[number], than: string, baseline: Metered) =>
    compared(name, significant(value.cores[of]!), 'cores', than, significant(baseline.cores[of]!), {});
  const all = `with ${AGENTS} agents`;
  const rate = `${PER_SECOND.toFixed(1)} bare timers a second`;
  const late = (name: string, at: (values: readonly number[]) => number) =>
    compared(
      `lateness of a check ${all}, ${name}`,
      significant(at(atWork.lateMs)),
      'ms',
      rate,
      significant(at(begun)),
      {
        note: `${atWork.lateMs.length} checks, ${atWork.notBegun} of them not begun when they were counted; ${load()}`,
      },
    );
  return {
    results: [
      memory(`resident memory of the worker ${all} asleep`, asleep),
      memory(`resident memory of the worker ${all}, checking`, atWork),
      cores(`processor time of the worker ${all} asleep`, asleep, 'worker', 'without agents', none),
      cores(`processor time of Temporal ${all} asleep`, asleep, 'temporal', 'without agents', none),
      cores(`processor time of the worker ${all}, checking`, atWork, 'worker', rate, bare),
      cores(`processor time of Temporal ${all}, checking`, atWork, 'temporal', rate, bare),
      late('median', median),
      late('p99', p99),
    ],
    tables: [table({ none, bare, asleep, atWork })],
  };
}

function table({ none, bare, asleep, atWork }: Measured): BenchTable {
  const cells = ({ cores, bytes }: Metered) => [
    megabytes(bytes['worker']!),
    ...NAMES.map((name) => significant(cores[name]!)),
  ];
  const times = (values: readonly number[]) => [
    median(values),
    quantile(values, 0.95),
    p99(values),
    Math.max(...values),
  ];
  const woken = times(bare.ticks.map(({ wokenMs }) => wokenMs)).map(Math.round);
  const begun = times(bare.ticks.map(({ begunMs }) => begunMs)).map(Math.round);
  return {
    title: `One worker and ${AGENTS} agents, ${PER_SECOND.toFixed(1)} checks a second (${load()})`,
    columns: [
      '',
      'worker MB',
      'worker cores',
      'Temporal cores',
      'PostgreSQL cores',
      'late p50 ms',
      'p95',
      'p99',
      'max',
    ],
    rows: [
      ['nothing', ...cells(none), null, null, null, null],
      ['bare timers, until the workflow is woken', ...cells(bare), ...woken],
      ['bare timers, until an activity is begun', ...cells(bare), ...begun],
      [`${AGENTS} agents asleep`, ...cells(asleep), null, null, null, null],
      [`${AGENTS} agents, until a session is begun`, ...cells(atWork), ...times(atWork.lateMs).map(Math.round)],
    ],
  };
}
