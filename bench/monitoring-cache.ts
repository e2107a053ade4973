import { randomUUID } from 'node:crypto';
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkNowSignal, monitoringAgentWorkflowId } from '../src/features/monitoring-agents/contract.ts';
import { TASK_QUEUE } from '../temporal/queues.ts';
import type { Benchmark, BenchOptions, BenchReport, BenchTable } from './benchmark.ts';
import { compared } from './result.ts';
import { lateness } from './support/lateness.ts';
import { meter, type Metered } from './support/meter.ts';
import { endFleet, greenPlan, startFleet } from './support/monitoring-fleet.ts';
import { withMonitoringStack, workerEnv, type MonitoringStack } from './support/monitoring-stack.ts';
import { runProgram } from './support/program.ts';
import type { ReplayHistoriesInput, ReplayHistoriesOutput } from './support/replay-histories.ts';
import { median, quantile, significant } from './support/statistics.ts';

const AGENTS = Number(process.env['BENCH_AGENTS'] ?? 1_000);
const EVERY_SECONDS = 300;
/** For a quarter of the agents, and for all of them with some to spare. */
const CACHES = [AGENTS / 4, AGENTS * 1.25];
const FIRST_GUESS_PER_SECOND = 12;
const IDLE_SECONDS = 8;
const WINDOW_SECONDS = 30;
/** Lengths of histories; the first is the baseline of the others. */
const LENGTHS = [100, 300, 500, 1_000, 3_000];
const REPLAYS = 8;
const PAUSE_MS = 5;
const NAMES = ['fleet', 'temporal'] as const;

/**
 * What a workflow in a worker's cache costs, and what it costs that one is not there: agents on a worker that holds a quarter of
 * them, and on one that holds all, in memory and processor time; and the replay of an agent's history by its length, in
 * processor time of a worker. The agents are young, so their own replays are the shortest there are. `BENCH_AGENTS` sets how many there are.
 */
export const monitoringCache: Benchmark = {
  name: 'monitoring-cache',
  about: `${AGENTS} agents on workers with caches of two sizes, and replays of histories of ${LENGTHS.join(', ')} events`,
  run: (options) => withMonitoringStack(options, (stack) => measure(options, stack)),
};

interface Cached {
  cache: number;
  none: Metered;
  atWork: Metered;
  lateMs: number[];
}

async function measure(options: BenchOptions, stack: MonitoringStack): Promise<BenchReport> {
  options.say(`a history of ${LENGTHS.at(-1)} events`);
  const replays = await replay(stack, options.signal);
  const cached: Cached[] = [];
  for (const cache of CACHES) {
    options.say(`${AGENTS} agents, ${cache} workflows in the cache`);
    cached.push(await fleetOn(stack, cache, options.signal));
  }
  return report(cached, replays);
}

async function replay(stack: MonitoringStack, signal: AbortSignal): Promise<ReplayHistoriesOutput['replays']> {
  const { database, client, teamId, temporal } = stack;
  const longest = LENGTHS.at(-1)!;
  const shared = { teamId, taskQueue: TASK_QUEUE, quietUntil: Date.now(), eventsPerHistory: longest * 2 };
  const clients = { database, temporal: client };
  const fleet = await startFleet(clients, { ...shared, agents: 1, plan: greenPlan(1, 86_400) });
  const workflowId = monitoringAgentWorkflowId(fleet.agentIds[0]!);
  const handle = client.workflow.getHandle(workflowId);
  const sessions = async (): Promise<number> => {
    const text = `select count(*) as ended from monitoring_sessions where agent_id = $1 and status <> 'running'`;
    return Number((await database.query<{ ended: string }>(text, [fleet.agentIds[0]])).rows[0]?.ended);
  };
  for (let run = 1; (await handle.describe()).historyLength <= longest; run++) {
    // The length is asked for seldom: it costs more than a run.
    for (const end = run + 20; run < end; run++) {
      const before = await sessions();
      await handle.signal(checkNowSignal, { triggerId: randomUUID(), trigger: 'now' });
      while ((await sessions()) === before) await sleep(PAUSE_MS, undefined, { signal });
    }
  }
  const input: ReplayHistoriesInput = {
    address: temporal.address,
    namespace: temporal.namespace,
    workflowId,
    runId: fleet.firstRunIds[0]!,
    lengths: LENGTHS,
    times: REPLAYS,
  };
  const { replays } = await runProgram<ReplayHistoriesOutput>('replay-histories.ts', input, signal);
  await endFleet(clients, fleet);
  return replays;
}

async function fleetOn(stack: MonitoringStack, cache: number, signal: AbortSignal): Promise<Cached> {
  const { database, client, teamId } = stack;
  const taskQueue = `bench-${cache}`;
  // Processes have different names; the meter calls this one `fleet`.
  const name = `worker-${cache}`;
  const pid = (of: string): number => stack.pid(of === 'fleet' ? name : of);
  await stack.start({
    name,
    program: 'bench/support/worker.ts',
    env: workerEnv({ taskQueue, cached: cache }),
    ready: async () => true,
  });
  const clients = { database, temporal: client };
  const shared = { teamId, taskQueue };
  const warm = await startFleet(clients, { ...shared, agents: 20, plan: greenPlan(1, 5), quietUntil: Date.now() });
  await sleep(IDLE_SECONDS * 1_000, undefined, { signal });
  await endFleet(clients, warm);
  const none = await meter({ pid }, { names: NAMES, seconds: IDLE_SECONDS, signal });
  const guess = Math.min(EVERY_SECONDS - 10, (AGENTS / Math.max(FIRST_GUESS_PER_SECOND, warm.startedPerSecond)) * 1.2);
  const quietUntil = Date.now() + guess * 1_000;
  const fleet = await startFleet(clients, { ...shared, agents: AGENTS, plan: greenPlan(1, EVERY_SECONDS), quietUntil });
  await sleep(Math.max(0, quietUntil - Date.now()), undefined, { signal });
  const from = Date.now();
  const atWork = await meter({ pid }, { names: NAMES, seconds: WINDOW_SECONDS, signal });
  const { lateMs } = await lateness(database, { agentIds: fleet.agentIds, from, to: Date.now(), signal });
  await endFleet(clients, fleet);
  return { cache, none, atWork, lateMs };
}

const load = (): string => `load average ${loadavg()[0]!.toFixed(1)}`;
const kilobytes = ({ none, atWork, cache }: Cached): number =>
  (atWork.bytes['fleet']! - none.bytes['fleet']!) / Math.min(AGENTS, cache) / 1024;

function report(cached: Cached[], replays: ReplayHistoriesOutput['replays']): BenchReport {
  const [few, all] = [cached[0]!, cached[1]!];
  const megabytes = (metered: Metered): number => Math.round(metered.bytes['fleet']! / 2 ** 20);
  const than = `a cache of ${few.cache}`;
  const [base, ...longer] = replays;
  return {
    results: [
      compared(
        `memory of a worker that holds all of ${AGENTS} agents`,
        megabytes(all.atWork),
        'MB',
        than,
        megabytes(few.atWork),
        {
          note: `${significant(kilobytes(all))} kB for each workflow that is held, against ${significant(kilobytes(few))}; ${load()}`,
        },
      ),
      compared(
        `processor time of a worker that holds all of ${AGENTS} agents`,
        significant(all.atWork.cores['fleet']!),
        'cores',
        than,
        significant(few.atWork.cores['fleet']!),
        {},
      ),
      ...longer.map(({ events, cpuMs }) =>
        compared(
          `replay of ${events} events`,
          significant(cpuMs),
          'ms CPU',
          `${base!.events} events`,
          significant(base!.cpuMs),
          {
            note: `${significant((cpuMs / events) * 1_000)} us for each event`,
          },
        ),
      ),
    ],
    tables: [cacheTable(cached)],
  };
}

const cacheTable = (cached: Cached[]): BenchTable => ({
  title: `${AGENTS} agents with a check every ${EVERY_SECONDS} s (${load()})`,
  columns: [
    'cache',
    'MB without agents',
    'MB',
    'kB a held workflow',
    'worker cores',
    'Temporal cores',
    'late p50 ms',
    'p99',
  ],
  rows: cached.map((one) => [
    one.cache,
    Math.round(one.none.bytes['fleet']! / 2 ** 20),
    Math.round(one.atWork.bytes['fleet']! / 2 ** 20),
    significant(kilobytes(one)),
    ...NAMES.map((name) => significant(one.atWork.cores[name]!)),
    Math.round(median(one.lateMs)),
    Math.round(quantile(one.lateMs, 0.99)),
  ]),
});
