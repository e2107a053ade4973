import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { TASK_QUEUE } from '../temporal/queues.ts';
import type { Benchmark, BenchOptions, BenchReport, BenchTable } from './benchmark.ts';
import { compared } from './result.ts';
import { startBareTimers } from './support/bare-timers.ts';
import { lateness } from './support/lateness.ts';
import { meter, type Metered } from './support/meter.ts';
import { endFleet, greenPlan, startFleet, type Fleet } from './support/monitoring-fleet.ts';
import { withMonitoringStack, type MonitoringStack } from './support/monitoring-stack.ts';
import { median, quantile, significant } from './support/statistics.ts';

/** The checks of 4,000, 8,000 … agents every 5 minutes, a second. */
const RATES = [13.3, 26.7, 53.3, 106.7];
const EVERY_SECONDS = 30;
const FIRST_GUESS_PER_SECOND = 15;
const SETTLE_SECONDS = 5;
const WINDOW_SECONDS = 20;
/** Checks that were begun, of those that were due: less is a queue that grows. */
const KEEPS_UP = 0.95;
/** Later than this at p99 is a queue that does not go away within a window. */
const MAX_LATE_MS = 10_000;
const NAMES = ['worker', 'temporal', 'postgres'] as const;

/**
 * Where checks begin to queue: the rate of checks doubles, with ever more agents whose checks are due every 30 s, so that fewer
 * agents make the rate of many. Then the same with bare timers, on the same worker. It says what the machine was busy with. The
 * Temporal server is the development server, on SQLite, and everything shares one machine.
 */
export const monitoringLimit: Benchmark = {
  name: 'monitoring-limit',
  about: 'how many checks a second one worker begins in time',
  run: (options) => withMonitoringStack(options, (stack) => measure(options, stack)),
};

interface Step {
  perSecond: number;
  /** Of the checks due in the window. */
  begun: number;
  due: number;
  lateMs: number[];
  cost: Metered;
}

const keepsUp = ({ begun, due, lateMs }: Step): boolean =>
  begun >= due * KEEPS_UP && quantile(lateMs, 0.99) <= MAX_LATE_MS;

async function measure({ say, signal }: BenchOptions, stack: MonitoringStack): Promise<BenchReport> {
  const clients = { database: stack.database, temporal: stack.client };
  const shared = { teamId: stack.teamId, taskQueue: TASK_QUEUE, plan: greenPlan(1, EVERY_SECONDS) };
  const agents: Step[] = [];
  const fleets: Fleet[] = [];
  let startedPerSecond = FIRST_GUESS_PER_SECOND;
  for (const perSecond of RATES) {
    const agentIds = fleets.flatMap((fleet) => fleet.agentIds);
    const more = Math.round(perSecond * EVERY_SECONDS) - agentIds.length;
    const quietUntil = Date.now() + Math.min(EVERY_SECONDS, more / startedPerSecond) * 1_000;
    const fleet = await startFleet(clients, { ...shared, agents: more, quietUntil });
    ({ startedPerSecond } = fleet);
    fleets.push(fleet);
    agentIds.push(...fleet.agentIds);
    // Those that were due while others were started have been begun by then, where the worker keeps up.
    await sleep(Math.max(0, quietUntil - Date.now()) + SETTLE_SECONDS * 1_000, undefined, { signal });
    agents.push(await agentStep(stack, { perSecond, agentIds, signal }));
    say(`agents: ${described(agents.at(-1)!)}`);
    if (!keepsUp(agents.at(-1)!)) break;
  }
  for (const fleet of fleets) await endFleet(clients, fleet);
  const bare: Step[] = [];
  // That the slowest rate is no matter for bare timers shows in the next ones.
  const furthest = agents.at(-1)!.perSecond;
  for (const perSecond of RATES.slice(1).filter((rate) => rate <= furthest)) {
    bare.push(await bareStep(stack, perSecond, signal));
    say(`bare timers: ${described(bare.at(-1)!)}`);
    if (!keepsUp(bare.at(-1)!)) break;
  }
  return report(agents, bare);
}

const described = ({ perSecond, begun, due, lateMs }: Step): string =>
  `${perSecond} a second, ${begun} of ${due} begun, late by ${Math.round(median(lateMs))} ms, p99 ${Math.round(quantile(lateMs, 0.99))} ms`;

async function agentStep(
  stack: MonitoringStack,
  { perSecond, agentIds, signal }: { perSecond: number; agentIds: string[]; signal: AbortSignal },
): Promise<Step> {
  const from = Date.now();
  const cost = await meter(stack, { names: NAMES, seconds: WINDOW_SECONDS, signal });
  const to = Date.now();
  const { rows } = await stack.database.query<{ begun: string }>(
    `select count(*) as begun from monitoring_sessions where agent_id = any($1) and started_at >= $2 and started_at < $3`,
    [agentIds, new Date(from), new Date(to)],
  );
  const { lateMs } = await lateness(stack.database, { agentIds, from, to, signal });
  return { perSecond, cost, lateMs, begun: Number(rows[0]?.begun), due: Math.round(perSecond * WINDOW_SECONDS) };
}

async function bareStep(stack: MonitoringStack, perSecond: number, signal: AbortSignal): Promise<Step> {
  const timers = await startBareTimers(stack.client, {
    taskQueue: TASK_QUEUE,
    perSecond,
    seconds: WINDOW_SECONDS,
    startedPerSecond: FIRST_GUESS_PER_SECOND * 4,
  });
  await sleep(Math.max(0, timers.from - Date.now()), undefined, { signal });
  const cost = await meter(stack, { names: NAMES, seconds: WINDOW_SECONDS, signal });
  const lateMs = (await timers.ticks).map(({ begunMs }) => begunMs);
  const due = lateMs.length;
  const begun = lateMs.filter((late, index) => (index * 1_000) / perSecond + late < WINDOW_SECONDS * 1_000).length;
  return { perSecond, cost, lateMs, begun, due };
}

/** The most checks a second that were begun, whether they were late or not. */
const most = (steps: readonly Step[]): number => Math.max(...steps.map(({ begun }) => begun / WINDOW_SECONDS));

function report(agents: Step[], bare: Step[]): BenchReport {
  const load = `load average ${loadavg()[0]!.toFixed(1)}`;
  const last = agents.findLast(keepsUp);
  const inTime = compared(
    'checks a second that are begun in time',
    last?.perSecond ?? 0,
    '1/s',
    'most bare timers, late or not',
    significant(most(bare)),
    { note: `in steps of two; every 5 minutes that is ${Math.round((last?.perSecond ?? 0) * 300)} agents; ${load}` },
  );
  const atMost = compared(
    'most checks a second that are begun',
    significant(most(agents)),
    '1/s',
    'bare timers',
    significant(most(bare)),
    {
      note: `in a window of ${WINDOW_SECONDS} s`,
    },
  );
  return { results: [inTime, atMost], tables: [table('agents', agents), table('bare timers', bare)] };
}

function table(name: string, steps: Step[]): BenchTable {
  return {
    title: `More and more ${name} on one worker`,
    columns: [
      'a second',
      'due',
      'begun',
      'late p50 ms',
      'p99',
      'worker cores',
      'Temporal',
      'PostgreSQL',
      'worker MB',
      '',
    ],
    rows: steps.map((step) => [
      step.perSecond,
      step.due,
      step.begun,
      Math.round(median(step.lateMs)),
      Math.round(quantile(step.lateMs, 0.99)),
      ...NAMES.map((of) => significant(step.cost.cores[of]!)),
      Math.round(step.cost.bytes['worker']! / 2 ** 20),
      keepsUp(step) ? 'keeps up' : 'falls behind',
    ]),
  };
}
