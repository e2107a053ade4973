/**
 * `npm run bench`: every figure of the product beside a baseline that was measured in the same run, on this machine.
 *
 * How to read the table: `value` is what Casebook reaches, `baseline` what the thing named in the next column reaches
 * under the same load, `ratio` is value / baseline. `target` is what the figure should be and `met` or `MISSED` whether
 * it is; a figure without a target is there for comparison. Numbers of two machines cannot be compared, ratios can.
 * Tables of details follow.
 *
 *     npm run bench -- [--only NAME]... [--petshop DIR] [--json]
 *
 * Everything runs in temporary folders that are removed again. The exit code is 0 also when a target is missed; it is 1
 * when something could not be measured.
 */
import { availableParallelism, cpus } from 'node:os';
import { parseArgs } from 'node:util';
import type { Benchmark, BenchReport } from './benchmark.ts';
import { chatFirstText } from './chat-first-text.ts';
import { chatList } from './chat-list.ts';
import { chatStreams } from './chat-streams.ts';
import { citations } from './citations.ts';
import { diagnosis } from './diagnosis-e2e.ts';
import { benchEventLog } from './event-log.ts';
import { history } from './history.ts';
import { integrations } from './integrations.ts';
import { mirrors } from './mirrors.ts';
import { monitoringAgents } from './monitoring-agents.ts';
import { monitoringCache } from './monitoring-cache.ts';
import { monitoringEvents } from './monitoring-events.ts';
import { monitoringLimit } from './monitoring-limit.ts';
import { monitoringPlanUpdate } from './monitoring-plan-update.ts';
import { monitoringTokens } from './monitoring-tokens.ts';
import { detailsTable, figuresTable } from './print.ts';
import { benchRanker } from './ranker.ts';
import { satelliteGraphFeed } from './satellite-graph-feed.ts';
import { satelliteGraph } from './satellite-graph.ts';
import { satelliteRoundTrip } from './satellite-round-trip.ts';
import { satellitesConnected } from './satellites-connected.ts';
import { status } from './status.ts';
import { throughput } from './throughput.ts';
import { toolServers } from './tool-servers.ts';
import { web } from './web.ts';
import { workspace } from './workspace.ts';

const benchmarks: readonly Benchmark[] = [
  status,
  throughput,
  history,
  chatFirstText,
  chatStreams,
  chatList,
  diagnosis,
  citations,
  {
    name: 'ranker',
    about: 'root causes of 10,000 series',
    run: async () => ({ results: await benchRanker() }),
  },
  {
    name: 'event-log',
    about: 'appends and tails of the event log, on PostgreSQL and on Redis where it is installed',
    run: async () => ({ results: await benchEventLog() }),
  },
  integrations,
  toolServers,
  mirrors,
  satelliteGraphFeed,
  satelliteGraph,
  satelliteRoundTrip,
  satellitesConnected,
  monitoringAgents,
  monitoringLimit,
  monitoringCache,
  monitoringEvents,
  monitoringPlanUpdate,
  monitoringTokens,
  web,
  workspace,
];

const names = benchmarks.map(({ name }) => name);
const usage = `usage: npm run bench -- [--only ${names.join('|')}]... [--petshop DIR] [--json]`;

type Outcome = { name: string; seconds: number } & (BenchReport | { error: string });

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', multiple: true, default: [] },
      petshop: { type: 'string' },
      json: { type: 'boolean', default: false },
    },
  });
  const unknown = values.only.filter((name) => !names.includes(name));
  if (unknown.length > 0) throw new TypeError(`There is no benchmark "${unknown.join(', ')}". ${usage}`);
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => interrupted.abort(new Error(`stopped by ${signal}`)));
  }

  const outcomes: Outcome[] = [];
  for (const benchmark of benchmarks) {
    if (values.only.length > 0 && !values.only.includes(benchmark.name)) continue;
    if (interrupted.signal.aborted) break;
    outcomes.push(await measure(benchmark, values.petshop, interrupted.signal));
  }
  if (values.json) {
    const machine = { cpus: availableParallelism(), model: cpus()[0]?.model.trim(), node: process.version };
    process.stdout.write(`${JSON.stringify({ machine, benchmarks: outcomes }, null, 2)}\n`);
  } else {
    print(outcomes);
  }
  process.exitCode = interrupted.signal.aborted || outcomes.some((outcome) => 'error' in outcome) ? 1 : 0;
}

async function measure(benchmark: Benchmark, petshop: string | undefined, signal: AbortSignal): Promise<Outcome> {
  const { name, about } = benchmark;
  const say = (line: string): void => void process.stderr.write(`bench ${name}: ${line}\n`);
  say(about);
  const began = performance.now();
  const seconds = (): number => Math.round((performance.now() - began) / 1000);
  try {
    return { name, ...(await benchmark.run({ petshop, signal, say })), seconds: seconds() };
  } catch (error) {
    say(`could not be measured: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    return { name, error: error instanceof Error ? error.message : String(error), seconds: seconds() };
  }
}

function print(outcomes: Outcome[]): void {
  const reports = outcomes.flatMap((outcome) => ('error' in outcome ? [] : [outcome]));
  const parts = [figuresTable(reports.flatMap(({ results }) => results))];
  for (const { tables = [] } of reports) parts.push(...tables.map(detailsTable));
  for (const outcome of outcomes) if ('error' in outcome) parts.push(`${outcome.name} FAILED: ${outcome.error}`);
  process.stdout.write(`\n${parts.join('\n\n')}\n`);
}

try {
  await main();
} catch (error) {
  if (!(error instanceof TypeError)) throw error;
  process.stderr.write(`bench: ${error.message}\n`);
  process.exitCode = 1;
}
