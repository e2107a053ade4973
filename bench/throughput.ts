import { TASK_QUEUE } from '../temporal/queues.ts';
import { createTemporalClient } from '../temporal/connection.ts';
import { openOrm } from '../src/db/orm.ts';
import { entities } from '../src/rooms.ts';
import { forTeam } from '../src/db/team-filter.ts';
import { investigationWorkflowId } from '../src/features/investigations/contract.ts';
import { commitInvestigation } from './support/commit-investigation.ts';
import { byTurn, startScriptedModel } from '../test/support/scripted-model/index.ts';
import { followRun } from '../demo/terminal/events.ts';
import type { Benchmark, BenchOptions, BenchReport } from './benchmark.ts';
import type { BenchResult } from './result.ts';
import { investigate, startInvestigation } from './support/investigate.ts';
import { listSources, submitReport, updatePlan } from './support/scripts.ts';
import { withStack, type Stack } from './support/stack.ts';
import { median, significant } from './support/statistics.ts';
import type { BareInvestigationInput } from './workflows/index.ts';

const CONCURRENCY = 16;
const ROUNDS = 5;
/** Warm-up seconds of a round, and seconds that count. */
const RAMP = 3;
const COUNTED = 10;
/** Twice a second and run: as often as Temporal is asked at most. */
const POLL_EVERY_MS = 500;
/** Rows that wait for a round of the bare workflow. */
const COMMITTED = 600;
const QUESTION = 'How fast are investigations?';
const TARGET_RATIO = 0.7;

/**
 * Investigations a second with a model that answers at once: three turns with a tool call each. Through the API, started
 * there and followed to their end by their events, as the web app does, or by polls, as programs do, against a bare
 * workflow that calls the same activities in the same order in the same worker process, its rows committed beforehand.
 * All in closed loops, in alternating rounds; medians over the rounds.
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
    const loops: Record<Way, () => Promise<number>> = {
      followed: () => closedLoop(signal, () => follow(stack, signal)),
      polled: () => closedLoop(signal, () => poll(stack, signal)),
      bare: () => bare.run(signal),
    };
    say('warming up');
    for (const way of ways) await loops[way]();
    const rates: Record<Way, number[]> = { followed: [], polled: [], bare: [] };
    for (let round = 1; round <= ROUNDS; round++) {
      // The first to run leaves a warm or busy machine to the next, so they alternate.
      for (let turn = 0; turn < ways.length; turn++) {
        const way = ways[(round + turn) % ways.length]!;
        rates[way].push(await loops[way]());
      }
      say(`round ${round} of ${ROUNDS}: ${ways.map((way) => `${way} ${rates[way].at(-1)!.toFixed(2)}/s`).join(', ')}`);
    }
    return {
      results: [
        result('investigations, followed by events', rates.followed, rates.bare),
        result(`investigations, polled every ${POLL_EVERY_MS} ms`, rates.polled, rates.bare),
      ],
    };
  } finally {
    await bare.close();
  }
}

type Way = 'followed' | 'polled' | 'bare';
const ways: readonly Way[] = ['followed', 'polled', 'bare'];

function result(name: string, rates: number[], bareRates: number[]): BenchResult {
  // Rounds that follow each other share what else the machine does, so their ratio says more than two medians do.
  const ratio = median(rates.map((rate, round) => rate / bareRates[round]!));
  return {
    name,
    value: significant(median(rates)),
    unit: 'runs/s',
    baseline: { name: 'bare workflow, same activities', value: significant(median(bareRates)), unit: 'runs/s' },
    ratio,
    target: `>= ${TARGET_RATIO}x`,
    met: ratio >= TARGET_RATIO,
    note: `8 activities each, ${CONCURRENCY} at a time; ratio is the median of the rounds`,
  };
}

async function follow(stack: Stack, signal: AbortSignal): Promise<void> {
  const id = await startInvestigation(stack, QUESTION);
  const events = followRun(`${stack.apiUrl}/api/investigations/${id}/events`, { 'x-api-key': stack.apiKey }, signal);
  let last: string | undefined;
  for await (const { type } of events) last = type;
  if (last !== 'run.completed') throw new Error(`investigation ${id} ended with ${last}`);
  await stack.call('GET', `/api/v1/investigations/${id}`);
}

async function poll(stack: Stack, signal: AbortSignal): Promise<void> {
  const { id, status } = await investigate(stack, QUESTION, { signal, pollEveryMs: POLL_EVERY_MS });
  if (status !== 'completed') throw new Error(`investigation ${id} ended as ${status}`);
}

/** The bare workflow, started directly at Temporal. */
async function openBare(stack: Stack): Promise<{ run(signal: AbortSignal): Promise<number>; close(): Promise<void> }> {
  const { id: teamId } = await stack.call<{ id: string }>('GET', '/api/team');
  const orm = await openOrm({ entities, databaseUrl: stack.databaseUrl });
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
