/** Replays the beginnings of a history as a worker does that has lost a workflow from its cache, and prints what each took, as JSON. */
import { join } from 'node:path';
import type proto from '@temporalio/proto';
import { bundleWorkflowCode, Worker } from '@temporalio/worker';
import { createLogger } from '../../src/platform/logger.ts';
import { createTemporalClient } from '../../temporal/connection.ts';
import { installRuntime } from '../../temporal/runtime.ts';
import { programInput } from './program.ts';

export interface ReplayHistoriesInput {
  address: string;
  namespace: string;
  workflowId: string;
  runId: string;
  /** How long the beginnings are, in events; the history must be longer. */
  lengths: number[];
  /** Replays of each; a few before them do not count. */
  times: number;
}

/** One replay per prefix, in order. */
export interface ReplayHistoriesOutput {
  replays: { events: number; cpuMs: number; wallMs: number }[];
}

const WARM_UP = 3;

type HistoryEvent = proto.temporal.api.history.v1.IHistoryEvent;

const { address, namespace, workflowId, runId, lengths, times } = programInput() as ReplayHistoriesInput;
installRuntime(createLogger({ name: 'replay', level: 'error' }));
const client = createTemporalClient({ address, namespace });
const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
await client.connection.close();
const workflowBundle = await bundleWorkflowCode({
  workflowsPath: join(import.meta.dirname, '..', 'workflows', 'index.ts'),
});
const output: ReplayHistoriesOutput = { replays: [] };
for (const length of lengths) {
  const beginning = beginningOf(events ?? [], length);
  const replay = async (count: number): Promise<void> => {
    const histories = Array.from({ length: count }, () => ({ workflowId, history: { events: beginning } }));
    for await (const { error } of Worker.runReplayHistories({ workflowBundle }, histories)) if (error) throw error;
  };
  await replay(WARM_UP);
  // A worker is made for each round, which costs as much whatever it replays.
  const [few, many] = [await timed(() => replay(1)), await timed(() => replay(1 + times))];
  const [cpuMs, wallMs] = [(many.cpuMs - few.cpuMs) / times, (many.wallMs - few.wallMs) / times];
  output.replays.push({ events: beginning.length, cpuMs, wallMs });
}
process.stdout.write(`${JSON.stringify(output)}\n`);
process.exit(0);

/** As many events as that or a few less: up to where a worker gets the history, a workflow task that is started. */
function beginningOf(all: readonly HistoryEvent[], length: number): HistoryEvent[] {
  const end = all.slice(0, length).findLastIndex((event) => event.workflowTaskStartedEventAttributes);
  if (all.length < length || end < 0) throw new RangeError(`The history has no ${length} events.`);
  return all.slice(0, end + 1);
}

async function timed(work: () => Promise<void>): Promise<{ cpuMs: number; wallMs: number }> {
  const [cpu, began] = [process.cpuUsage(), performance.now()];
  await work();
  const { user, system } = process.cpuUsage(cpu);
  return { cpuMs: (user + system) / 1_000, wallMs: performance.now() - began };
}
