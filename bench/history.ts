import { createTemporalClient } from '../temporal/connection.ts';
import { investigationWorkflowId } from '../src/features/investigations/contract.ts';
import { startScriptedModel, type ScriptedStep, type ScriptContext } from '../test/support/scripted-model/index.ts';
import type { Benchmark, BenchOptions, BenchReport } from './benchmark.ts';
import { investigate } from './support/investigate.ts';
import { submitReport } from './support/scripts.ts';
import { withStack, type Stack } from './support/stack.ts';
import { significant } from './support/statistics.ts';

const CALLS = 10;
const SMALL = 1_000;
const LARGE = 1_000_000;
/** Ratio of the large results' history to the small ones' that counts as the same. */
const SAME = 0.02;

/**
 * History of a run whose tool calls return 1 MB each, against a run whose tool calls return 1 kB: bytes and events a
 * step, as the Temporal server counts them.
 */
export const history: Benchmark = {
  name: 'history',
  about: `history of ${CALLS} steps with tool results of 1 kB and of 1 MB`,
  run: benchHistory,
};

async function benchHistory(options: BenchOptions): Promise<BenchReport> {
  const model = await startScriptedModel(callPayload);
  try {
    const env = { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: 'bench' };
    const worker = { program: 'bench/support/worker.ts', args: [] };
    return await withStack({ ...options, env, worker }, async (stack) => {
      const small = await measure(stack, SMALL, options.signal);
      const large = await measure(stack, LARGE, options.signal);
      return report(small, large);
    });
  } finally {
    await model.stop();
  }
}

/** One payload a turn, as large as the question says, then the report. */
function callPayload({ turn, request }: ScriptContext): ScriptedStep {
  const bytes = Number(/payloads of (\d+) bytes/.exec(JSON.stringify(request.messages[0]))?.[1]);
  if (turn >= CALLS) return submitReport;
  return { toolUses: [{ name: 'bench_payload', input: { bytes, call: turn } }] };
}

interface History {
  bytesPerStep: number;
  eventsPerStep: number;
  /** Bytes of tool results that were stored. */
  stored: number;
}

async function measure(stack: Stack, bytes: number, signal: AbortSignal): Promise<History> {
  const { id, status } = await investigate(stack, `Ask for payloads of ${String(bytes).padStart(7, '0')} bytes`, {
    signal,
  });
  if (status !== 'completed') throw new Error(`investigation ${id} ended as ${status}`);
  const { steps } = await stack.call<{ steps: { tool_calls: { bytes: number }[] }[] }>(
    'GET',
    `/api/investigations/${id}`,
  );
  const client = createTemporalClient(stack.temporal);
  try {
    const { historyLength, historySize } = await client.workflow.getHandle(investigationWorkflowId(id)).describe();
    if (historySize === undefined) throw new Error('the Temporal server does not tell the size of a history');
    return {
      bytesPerStep: historySize / steps.length,
      eventsPerStep: historyLength / steps.length,
      stored: steps.flatMap((step) => step.tool_calls).reduce((sum, call) => sum + call.bytes, 0),
    };
  } finally {
    await client.connection.close();
  }
}

function report(small: History, large: History): BenchReport {
  const compare = (name: string, figure: (one: History) => number, unit: string) => {
    const ratio = figure(large) / figure(small);
    return {
      name,
      value: significant(figure(large), 4),
      unit,
      baseline: { name: 'tool results of 1 kB', value: significant(figure(small), 4), unit },
      ratio,
      target: '1.00',
      met: Math.abs(ratio - 1) <= SAME,
    };
  };
  return {
    results: [
      {
        ...compare('history a step, results of 1 MB', ({ bytesPerStep }) => bytesPerStep, 'bytes'),
        note: `${(large.stored / 1e6).toFixed(1)} MB of results stored, against ${(small.stored / 1e3).toFixed(1)} kB`,
      },
      compare('events a step, results of 1 MB', ({ eventsPerStep }) => eventsPerStep, 'events'),
    ],
  };
}
