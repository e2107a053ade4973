import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { EVENTS_PER_HISTORY } from '../src/features/monitoring-agents/launch.ts';
import { monitoringAgentWorkflowId } from '../src/features/monitoring-agents/contract.ts';
import { TASK_QUEUE } from '../temporal/queues.ts';
import type { Benchmark, BenchOptions, BenchReport, BenchTable } from './benchmark.ts';
import { compared, type BenchResult } from './result.ts';
import { databaseLoad, topStatements } from './support/database-load.ts';
import { historiesOf, type RunHistory } from './support/history-chain.ts';
import { kindsOf, rhythmOf } from './support/history-actions.ts';
import { endFleet, greenPlan, startFleet } from './support/monitoring-fleet.ts';
import { withMonitoringStack, type MonitoringStack } from './support/monitoring-stack.ts';
import { significant } from './support/statistics.ts';
import { temporalWrites } from './support/temporal-requests.ts';
import { costOfDay, watchingOf, type Cost, type Watching } from './support/watching-cost.ts';
import type { NaiveMonitorInput } from './workflows/index.ts';

const AGENTS = 20;
const NAIVE = 4;
const MANY = 5;
/** The shortest interval, so that many rounds are counted quickly. */
const EVERY_SECONDS = 5;
const SECONDS = 75;
/** Short, so that continue-as-new is counted too; a day is computed with the product's own. */
const COUNTED_EVENTS = 60;
/** A day of a check every 5 minutes. */
const ROUNDS_A_DAY = 288;
const SETTLE_MS = 2_000;

/**
 * What a green check costs Temporal and the database, counted in real histories of agents with a check, and with five of
 * the same interval, against the naive design: a workflow with a timer for each check and an activity of its own. Actions
 * are what Temporal's price list counts. A day has 288 rounds, and histories as long as the product's.
 */
export const monitoringEvents: Benchmark = {
  name: 'monitoring-events',
  about: 'history events, actions, statements of a green check, one and five of an agent',
  run: (options) =>
    withMonitoringStack({ ...options, postgres: { shared_preload_libraries: 'pg_stat_statements' } }, (stack) =>
      measure(options, stack),
    ),
};

interface Counted {
  /** Runs of checks. */
  runs: number;
  watching: Watching;
  day: Cost;
  kinds: [kind: string, count: number][];
  rounds: number;
  /** Writes of Temporal's database per round, by operation. */
  writes: [operation: string, count: number][];
}

interface CountedAgents extends Counted {
  /** Figures of our database per run. */
  statements: number;
  walBytes: number;
  rowBytes: number;
  storedBytes: number;
  top: { query: string; calls: number }[];
}

async function measure({ say, signal }: BenchOptions, stack: MonitoringStack): Promise<BenchReport> {
  const asked = stack.modelRequests.length;
  say(`agents with a check every ${EVERY_SECONDS} s`);
  const one = await agents(stack, 1, signal);
  say(`agents with ${MANY} checks every ${EVERY_SECONDS} s`);
  const many = await agents(stack, MANY, signal);
  const askedForGreen = stack.modelRequests.length - asked;
  say('the naive design');
  const naiveOne = await naive(stack, 1, signal);
  const naiveMany = await naive(stack, MANY, signal);
  return {
    results: [
      ...figures('1 check', one, naiveOne, 1),
      ...figures(`${MANY} checks`, many, naiveMany, MANY),
      perRun('statements', one.statements, many.statements),
      perRun('bytes of write-ahead log', one.walBytes, many.walBytes),
    ],
    tables: [
      dayTable(one, many, naiveOne, naiveMany),
      kindsTable('an agent with 1 check', one),
      kindsTable(`an agent with ${MANY} checks`, many),
      kindsTable('the naive workflow, a check', naiveOne),
      databaseTable(one, many),
      {
        title: `Most frequent statements, for each run of a check of an agent with 1`,
        columns: ['calls', 'statement'],
        rows: one.top.map(({ query, calls }) => [significant(calls), query]),
      },
      {
        title: 'Requests to models',
        columns: ['green runs of checks', 'requests'],
        rows: [[one.runs + many.runs, askedForGreen]],
      },
    ],
  };
}

async function agents(stack: MonitoringStack, checks: number, signal: AbortSignal): Promise<CountedAgents> {
  const { database, client, teamId, temporal } = stack;
  const clients = { database, temporal: client };
  const shared = { teamId, taskQueue: TASK_QUEUE, quietUntil: Date.now() };
  const plan = greenPlan(checks, EVERY_SECONDS);
  const fleet = await startFleet(clients, { ...shared, agents: AGENTS, plan, eventsPerHistory: COUNTED_EVENTS });
  await sleep(EVERY_SECONDS * 1_000, undefined, { signal });
  await database.query('select pg_stat_statements_reset()').catch(() => undefined);
  const [before, writesBefore] = [await databaseLoad(database), await temporalWrites(temporal.metricsUrl)];
  const runsBefore = await sessionsOf(stack, fleet.agentIds);
  await sleep(SECONDS * 1_000, undefined, { signal });
  const [after, writesAfter] = [await databaseLoad(database), await temporalWrites(temporal.metricsUrl)];
  const { runs, rowBytes, storedBytes } = await sessionsOf(stack, fleet.agentIds);
  const counted = runs - runsBefore.runs;
  const top = (await topStatements(database, 16)).map(({ query, calls }) => ({ query, calls: calls / counted }));
  const histories = await all(
    fleet.agentIds.map((id, index) => historiesOf(client, monitoringAgentWorkflowId(id), fleet.firstRunIds[index]!)),
  );
  await endFleet(clients, fleet);
  await sleep(SETTLE_MS, undefined, { signal });
  return {
    ...count(histories, 'runChecks', ROUNDS_A_DAY),
    runs: counted,
    writes: difference(writesBefore, writesAfter, counted / checks),
    statements: (after.statements - before.statements) / counted,
    walBytes: (after.walBytes - before.walBytes) / counted,
    rowBytes,
    storedBytes,
    top,
  };
}

async function naive(stack: MonitoringStack, checks: number, signal: AbortSignal): Promise<Counted> {
  const { client, teamId, temporal } = stack;
  const runs = Math.floor(SECONDS / 2 / EVERY_SECONDS);
  const input = { teamId, checkIds: Array.from({ length: checks }, (_, at) => `check-${at}`), runs };
  const before = await temporalWrites(temporal.metricsUrl);
  const handles = await Promise.all(
    Array.from({ length: NAIVE }, () => {
      const agentId = randomUUID();
      const args: [NaiveMonitorInput] = [{ ...input, agentId, everyMs: EVERY_SECONDS * 1_000 }];
      return client.workflow.start('naiveMonitor', { taskQueue: TASK_QUEUE, workflowId: `naive-${agentId}`, args });
    }),
  );
  await Promise.all(handles.map((handle) => handle.result()));
  signal.throwIfAborted();
  const after = await temporalWrites(temporal.metricsUrl);
  const histories = await all(
    handles.map(({ workflowId, firstExecutionRunId }) => historiesOf(client, workflowId, firstExecutionRunId)),
  );
  const counted = NAIVE * checks * runs;
  return {
    ...count(histories, 'benchCheck', ROUNDS_A_DAY * checks),
    runs: counted,
    writes: difference(before, after, counted),
  };
}

const all = async (chains: Promise<RunHistory[]>[]): Promise<RunHistory[]> => (await Promise.all(chains)).flat();

function count(histories: readonly RunHistory[], activity: string, rounds: number): Omit<Counted, 'runs' | 'writes'> {
  // A history that has only just begun has nothing to count yet.
  const long = histories.filter(({ events }) => events.length > COUNTED_EVENTS * 0.75);
  const watching = watchingOf(long, activity);
  const rhythms = long.map(({ events }) => rhythmOf(events, activity));
  const kinds = kindsOf(rhythms.flatMap(({ events }) => [...events]));
  const counted = rhythms.reduce((sum, rhythm) => sum + rhythm.rounds, 0);
  return { watching, day: costOfDay(watching, rounds, EVENTS_PER_HISTORY), kinds, rounds: counted };
}

function difference(before: Map<string, number>, after: Map<string, number>, by: number): [string, number][] {
  const each = [...after].map(([name, value]): [string, number] => [name, (value - (before.get(name) ?? 0)) / by]);
  return each.filter(([, value]) => value > 0.01).toSorted(([, a], [, b]) => b - a);
}

async function sessionsOf(
  { database }: MonitoringStack,
  agentIds: readonly string[],
): Promise<{ runs: number; rowBytes: number; storedBytes: number }> {
  const { rows } = await database.query<Record<'runs' | 'row_bytes' | 'stored_bytes', string>>(
    `select count(*) as runs, coalesce(avg(pg_column_size(s)), 0) as row_bytes,
            pg_total_relation_size('monitoring_sessions') / (select greatest(count(*), 1) from monitoring_sessions) as stored_bytes
       from monitoring_sessions s where agent_id = any($1)`,
    [agentIds],
  );
  const { runs, row_bytes: rowBytes, stored_bytes: storedBytes } = rows[0]!;
  return { runs: Number(runs), rowBytes: Number(rowBytes), storedBytes: Number(storedBytes) };
}

function figures(name: string, one: Counted, than: Counted, checks: number): BenchResult[] {
  const baseline = 'the naive design';
  const note = `${one.rounds} rounds counted, against ${than.rounds}`;
  return (['events', 'actions', 'bytes'] as const).flatMap((of) => {
    const what = of === 'bytes' ? 'history bytes' : of === 'events' ? 'history events' : 'actions';
    const [run, naiveRun] = [one.watching.round[of] / checks, than.watching.round[of]];
    const met = of === 'bytes' || checks === 1 ? {} : { target: '<= 0.50', met: one.day[of] <= than.day[of] / 2 };
    return [
      compared(`${what} of a run, agent with ${name}`, significant(run), of, baseline, significant(naiveRun), { note }),
      compared(
        `${what} of a day, agent with ${name}`,
        Math.round(one.day[of]),
        of,
        baseline,
        Math.round(than.day[of]),
        met,
      ),
    ];
  });
}

const perRun = (unit: string, one: number, many: number): BenchResult =>
  compared(
    `our database: ${unit} for a run, one of ${MANY}`,
    significant(many),
    unit,
    'agent with 1 check',
    significant(one),
    {},
  );

function dayTable(one: Counted, many: Counted, naiveOne: Counted, naiveMany: Counted): BenchTable {
  const row = (name: string, { watching: { round, history, actions }, day, writes }: Counted) => [
    name,
    significant(round.events),
    significant(round.actions),
    Math.round(round.bytes),
    Object.entries(actions)
      .filter(([, value]: [string, number]) => value > 0)
      .map(([kind, value]: [string, number]) => `${significant(value, 2)} ${kind}`)
      .join(', '),
    significant(history.events),
    significant(history.actions),
    Math.round(day.events),
    Math.round(day.actions),
    Math.round(day.bytes / 1_000),
    significant(writes.reduce((sum, [, value]) => sum + value, 0)),
  ];
  return {
    title: `Temporal, for each round and for a day of a check every 5 minutes (histories of ${EVENTS_PER_HISTORY} events)`,
    columns: [
      '',
      'events a round',
      'actions',
      'bytes',
      'of them',
      'events besides, a history',
      'actions besides',
      'events a day',
      'actions a day',
      'kB a day',
      'writes of its database a round',
    ],
    rows: [
      row('agent, 1 check', one),
      row(`agent, ${MANY} checks`, many),
      row('naive, 1 check', naiveOne),
      row(`naive, ${MANY} checks (a round is one check)`, naiveMany),
    ],
  };
}

const kindsTable = (name: string, { kinds, rounds, writes }: Counted): BenchTable => ({
  title: `A round of ${name}: events, and writes of Temporal's database`,
  columns: ['event or operation', 'a round'],
  rows: [
    ...kinds.map(([kind, events]) => [kind, significant(events / rounds)]),
    ...writes.map(([operation, value]) => [`database: ${operation}`, significant(value)]),
  ],
});

const databaseTable = (one: CountedAgents, many: CountedAgents): BenchTable => ({
  title: 'Our database, for each run of a check',
  columns: ['agent with', 'runs', 'statements', 'WAL bytes', 'bytes of a session', 'stored with indexes'],
  rows: [
    [
      '1 check',
      one.runs,
      ...[one.statements, one.walBytes, one.rowBytes, one.storedBytes].map((value) => significant(value)),
    ],
    [
      `${MANY} checks`,
      many.runs,
      ...[many.statements, many.walBytes, many.rowBytes, many.storedBytes].map((value) => significant(value)),
    ],
  ],
});
