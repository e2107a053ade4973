import { TASK_QUEUE } from '../temporal/queues.ts';
import { createTemporalClient } from '../temporal/connection.ts';
import { openOrm } from '../src/db/orm.ts';
import { forTeam } from '../src/db/team-filter.ts';
import { investigationWorkflowId } from '../src/features/investigations/contract.ts';
import { commitInvestigation } from './support/commit-investigation.ts';
import { byTurn, startScriptedModel } from '../test/support/scripted-model/index.ts';
import type { Benchmark, BenchOptions, BenchReport } from './benchmark.ts';
import { investigate } from './support/investigate.ts';
import { listSources, submitReport, updatePlan } from './support/scripts.ts';
import { withStack, type Stack } from './support/stack.ts';
import { median, significant } from './support/statistics.ts';
import type { BareInvestigationInput } from './workflows/index.ts';

const CONCURRENCY = 16;
const ROUNDS = 5;
/** Seconds of a round before anything counts, and seconds that count. */
const RAMP = 4;
const COUNTED = 12;
/** Twice a second and run: as often as Temporal is asked at most. */
const POLL_EVERY_MS = 500;
/** Rows that wait for a round of the bare workflow. */
const COMMITTED = 600;
const QUESTION = 'How fast are investigations?';
const TARGET_RATIO = 0.7;

/**
 * Investigations a second with a model that answers at once: three turns with a tool call each. Through the API
 * (started and polled until they have ended) against a bare workflow that calls the same activities in the same order
 * in the same worker process, its rows committed beforehand. Both in closed loops, in alternating rounds; medians over
 * the rounds.
 */
export const throughput: Benchmark = {
  name: 'throughput',
  about: `${CONCURRENCY} investigations at a time, with a model that answers at once`,
  run: benchThroughput,
};

async function benchThroughput(options: BenchOptions): Promise<BenchReport> {
  const model = await startScriptedModel(byTurn([updatePlan, listSources, submitReport]));
  try {
    const env = { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: 'bench' };
    const worker = { program: 'bench/support/worker.ts', args: [] };
    return await withStack({ ...options, env, worker }, (stack) => measure(options, stack));
  } finally {
    await model.stop();
  }
}

async function measure({ say, signal }: BenchOptions, stack: Stack): Promise<BenchReport> {
  const bare = await openBare(stack);
  try {
    const product = (): Promise<number> =>
      closedLoop(signal, async () => {
        const { id, status } = await investigate(stack, QUESTION, { signal, pollEveryMs: POLL_EVERY_MS });
        if (status !== 'completed') throw new Error(`investigation ${id} ended as ${status}`);
      });
    say('warming up');
    await product();
    await bare.run(signal);
    const [rates, bareRates]: [number[], number[]] = [[], []];
    for (let round = 1; round <= ROUNDS; round++) {
      // Whoever goes first leaves a warm or a busy machine to the other: they take turns.
      if (round % 2 === 1) rates.push(await product());
      bareRates.push(await bare.run(signal));
      if (round % 2 === 0) rates.push(await product());
      say(`round ${round} of ${ROUNDS}: ${rates.at(-1)!.toFixed(2)}/s, bare ${bareRates.at(-1)!.toFixed(2)}/s`);
    }
    // Rounds that follow each other share what else the machine does, so their ratio says more than two medians do.
    const ratio = median(rates.map((rate, round) => rate / bareRates[round]!));
    return {
      results: [
        {
          name: 'investigations, three turns',
          value: significant(median(rates)),
          unit: 'runs/s',
          baseline: { name: 'bare workflow, same activities', value: significant(median(bareRates)), unit: 'runs/s' },
          ratio,
          target: `>= ${TARGET_RATIO}x`,
          met: ratio >= TARGET_RATIO,
          note: `8 activities each; ${CONCURRENCY} at a time; each polled every ${POLL_EVERY_MS} ms; ratio is the median of the rounds`,
        },
      ],
    };
  } finally {
    await bare.close();
  }
}

/** The bare workflow, started directly at Temporal. */
async function openBare(stack: Stack): Promise<{ run(signal: AbortSignal): Promise<number>; close(): Promise<void> }> {
  const { id: teamId } = await stack.call<{ id: string }>('GET', '/api/team');
  const orm = await openOrm({ databaseUrl: stack.databaseUrl });
  const client = createTemporalClient(stack.temporal);
  const committed: string[] = [];
  return {
    async run(signal) {
      while (committed.length < COMMITTED) {
        committed.push(await commitInvestigation(forTeam(orm.em, teamId), teamId, QUESTION));
      }
      return closedLoop(signal, async () => {
        const investigationId = committed.pop();
        if (investigationId === undefined) throw new Error(`more than ${COMMITTED} runs in a round`);
        const input: BareInvestigationInput = { investigationId, teamId, toolTimeoutSeconds: 60 };
        await client.workflow.execute('bareInvestigation', {
          taskQueue: TASK_QUEUE,
          workflowId: investigationWorkflowId(investigationId),
          args: [input],
        });
      });
    },
    async close() {
      await client.connection.close();
      await orm.close(true);
    },
  };
}

/** Works from so many loops at once; all have ended when it returns. @returns how often a second, after the ramp */
async function closedLoop(signal: AbortSignal, work: () => Promise<void>): Promise<number> {
  const from = performance.now() + RAMP * 1000;
  const to = from + COUNTED * 1000;
  let done = 0;
  const loop = async (): Promise<void> => {
    while (performance.now() < to) {
      signal.throwIfAborted();
      await work();
      const now = performance.now();
      if (now >= from && now < to) done++;
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, loop));
  return done / COUNTED;
}
