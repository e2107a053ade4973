import { startScriptedModel } from '../test/support/scripted-model/index.ts';
import { freePort } from '../src/embedded/free-port.ts';
import { investigationWorkflowId } from '../src/features/investigations/contract.ts';
import type { Benchmark, BenchOptions, BenchReport } from './benchmark.ts';
import { startInvestigation } from './support/investigate.ts';
import type { PollHttpInput, PollHttpOutput } from './support/poll-http.ts';
import { runProgram } from './support/program.ts';
import type { QueryRunsInput, QueryRunsOutput } from './support/query-runs.ts';
import { withStack, type Stack } from './support/stack.ts';
import { median, significant } from './support/statistics.ts';
import { temporalRequests } from './support/temporal-requests.ts';

const RUNS = 20;
const POLLERS = 64;
const ROUNDS = 5;
const WARM_UP_SECONDS = 5;
const SECONDS = 4;
const TARGET_RATIO = 20;
const TARGET_QUERIES = 2;

/**
 * Status of running investigations: 64 pollers on 20 runs that the model keeps waiting, over HTTP, against as many
 * loops of raw workflow queries on the same runs, and against a Koa server that answers the same JSON and does nothing
 * else. Rounds alternate; figures are medians over them, ratios medians of the ratios of each round. Queries are counted
 * by the Temporal server.
 */
export const status: Benchmark = {
  name: 'status',
  about: `${POLLERS} pollers on ${RUNS} running investigations`,
  run: benchStatus,
};

async function benchStatus(options: BenchOptions): Promise<BenchReport> {
  // Pings keep the answer alive: the run stays in its first model turn for as long as anybody measures.
  const model = await startScriptedModel(() => ({ text: 'Wait.', pause: { pings: 100_000, everyMs: 1_000 } }));
  try {
    const env = { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: 'bench' };
    return await withStack({ ...options, env }, async (stack) => {
      try {
        const runs = Array.from({ length: RUNS }, (_, run) => startInvestigation(stack, `Benchmark run ${run}`));
        const ids = await Promise.all(runs);
        await model.waitForRequests(RUNS);
        return await measure(options, stack, ids);
      } finally {
        // A worker ends when its activities do, and these wait for the model.
        await model.stop();
      }
    });
  } finally {
    await model.stop();
  }
}

interface Round {
  api: PollHttpOutput;
  koa: PollHttpOutput;
  raw: QueryRunsOutput;
  /** Queries that reached Temporal, per investigation and second, while the API was polled. */
  queries: number;
}

async function measure(options: BenchOptions, stack: Stack, ids: string[]): Promise<BenchReport> {
  const { signal, say } = options;
  const port = await freePort();
  const koaUrl = `http://127.0.0.1:${port}`;
  await stack.start({
    name: 'bare-koa',
    program: 'bench/support/bare-koa.ts',
    args: [String(port)],
    ready: async () => (await fetch(koaUrl)).ok,
  });
  const paths = ids.map((id) => `/api/v1/investigations/${id}`);
  const headers = { 'x-api-key': stack.apiKey };
  const poll = async (url: string, seconds: number): Promise<PollHttpOutput> => {
    const input: PollHttpInput = { url, paths, headers, connections: POLLERS, seconds };
    const output = await runProgram<PollHttpOutput>('poll-http.ts', input, signal);
    if (output.failed > 0) throw new Error(`${output.failed} polls of ${url} failed`);
    return output;
  };
  const query = (seconds: number): Promise<QueryRunsOutput> => {
    const { address, namespace } = stack.temporal;
    const workflowIds = ids.map(investigationWorkflowId);
    const input: QueryRunsInput = { address, namespace, workflowIds, loops: POLLERS, seconds };
    return runProgram('query-runs.ts', input, signal);
  };
  const queriesSoFar = (): Promise<number> => temporalRequests(stack.temporal.metricsUrl, 'QueryWorkflow');

  // The Temporal server counts with a delay of a second: Koa has its turn before anything is counted.
  await query(WARM_UP_SECONDS);
  await poll(stack.apiUrl, WARM_UP_SECONDS);
  await poll(koaUrl, WARM_UP_SECONDS);
  const rounds: Round[] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    say(`round ${round} of ${ROUNDS}`);
    const [before, began] = [await queriesSoFar(), performance.now()];
    const api = await poll(stack.apiUrl, SECONDS);
    const elapsed = (performance.now() - began) / 1000;
    const queries = ((await queriesSoFar()) - before) / ids.length / elapsed;
    rounds.push({ api, queries, raw: await query(SECONDS), koa: await poll(koaUrl, SECONDS) });
  }
  return report(rounds);
}

function report(rounds: Round[]): BenchReport {
  const middle = (figure: (round: Round) => number): number => median(rounds.map(figure));
  const rate = middle(({ api }) => api.requestsPerSecond);
  const rawRate = middle(({ raw }) => raw.queriesPerSecond);
  const koaRate = middle(({ koa }) => koa.requestsPerSecond);
  const overRaw = middle(({ api, raw }) => api.requestsPerSecond / raw.queriesPerSecond);
  const p99 = middle(({ api }) => api.p99Ms);
  const koaP99 = middle(({ koa }) => koa.p99Ms);
  const queries = Math.max(...rounds.map((round) => round.queries));
  const refused = refusals(rounds);
  return {
    results: [
      {
        name: 'status polls',
        value: Math.round(rate),
        unit: 'requests/s',
        baseline: { name: 'raw workflow queries', value: Math.round(rawRate), unit: 'queries/s' },
        ratio: overRaw,
        target: `>= ${TARGET_RATIO}x`,
        met: overRaw >= TARGET_RATIO,
        note: ['ratio is the median of the rounds', ...refused].join('; '),
      },
      {
        name: 'status polls',
        value: Math.round(rate),
        unit: 'requests/s',
        baseline: { name: 'bare Koa handler', value: Math.round(koaRate), unit: 'requests/s' },
        ratio: middle(({ api, koa }) => api.requestsPerSecond / koa.requestsPerSecond),
      },
      {
        name: 'status p99',
        value: p99,
        unit: 'ms',
        baseline: { name: 'bare Koa handler', value: koaP99, unit: 'ms' },
        ratio: p99 / koaP99,
        note: `p50 ${middle(({ api }) => api.p50Ms)} ms, Koa ${middle(({ koa }) => koa.p50Ms)} ms; raw queries p50 ${significant(middle(({ raw }) => raw.p50Ms))} ms, p99 ${significant(middle(({ raw }) => raw.p99Ms))} ms`,
      },
      {
        name: 'queries reaching Temporal, each run',
        value: significant(queries),
        unit: 'queries/s',
        baseline: { name: 'polls of each run', value: significant(rate / RUNS), unit: 'polls/s' },
        ratio: queries / (rate / RUNS),
        target: `<= ${TARGET_QUERIES} queries/s`,
        met: queries <= TARGET_QUERIES,
        note: 'counted by the Temporal server; the worst round',
      },
    ],
  };
}

function refusals(rounds: Round[]): string[] {
  const sums: Record<string, number> = {};
  for (const { raw } of rounds) {
    for (const [name, count] of Object.entries(raw.errors)) sums[name] = (sums[name] ?? 0) + count;
  }
  return Object.entries(sums).map(([name, count]) => `${count} raw queries refused: ${name}`);
}
