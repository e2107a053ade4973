/**
 * How long Temporal takes from a start to the begin of the first activity, in each way the SDK has to make it shorter.
 * Client and worker are this one process, since an eager start needs that; workflows are bundled with the product's.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, WithStartWorkflowOperation } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { createTemporalClient } from '../../temporal/connection.ts';
import { started, type beginsEagerly } from '../workflows/starts.ts';
import { programInput } from './program.ts';

export interface StartWaysInput {
  address: string;
  namespace: string;
  rounds: number;
  warmUp: number;
}

/** Milliseconds of every round. */
export type StartWaysOutput = Record<Way, number[]>;

type Way = 'polled' | 'eager activity' | 'eager start' | 'update with start' | 'early return' | 'local activity';

const { address, namespace, rounds, warmUp } = programInput() as StartWaysInput;
const PAUSE_MS = 200;
const taskQueue = 'bench-starts';
const waiting = new Map<string, (at: number) => void>();
const connection = await NativeConnection.connect({ address });
const worker = await Worker.create({
  connection,
  namespace,
  taskQueue,
  workflowsPath: join(import.meta.dirname, '..', 'workflows', 'index.ts'),
  activities: { begun: async (id: string) => waiting.get(id)?.(performance.now()) },
});
const remote = createTemporalClient({ address, namespace });
const inProcess = new Client({ connection, namespace });

type Start = (workflowId: string) => Promise<unknown>;

const start =
  (client: Client, workflow: string, requestEagerStart = false): Start =>
  (workflowId) =>
    client.workflow.start(workflow, { taskQueue, workflowId, args: [workflowId], requestEagerStart });

const updateWithStart: Start = (workflowId) =>
  remote.workflow.executeUpdateWithStart(started, {
    startWorkflowOperation: new WithStartWorkflowOperation<typeof beginsEagerly>('beginsEagerly', {
      taskQueue,
      workflowId,
      args: [workflowId],
      workflowIdConflictPolicy: 'USE_EXISTING',
    }),
  });

/** @returns ms from the call to the begin of the activity, and to the answer of the call */
async function measure(call: Start): Promise<{ begun: number; answered: number }> {
  const id = randomUUID();
  const begun = new Promise<number>((resolve) => waiting.set(id, resolve));
  const from = performance.now();
  await call(id);
  const answered = performance.now() - from;
  const result = { begun: (await begun) - from, answered };
  await remote.workflow.getHandle(id).result();
  // The server clears up after each workflow, which the next one is not to wait for.
  await sleep(PAUSE_MS);
  return result;
}

const output: StartWaysOutput = {
  polled: [],
  'eager activity': [],
  'eager start': [],
  'update with start': [],
  'early return': [],
  'local activity': [],
};
const calls: readonly [way: Way, call: Start][] = [
  ['polled', start(remote, 'beginsPolled')],
  ['eager activity', start(remote, 'beginsEagerly')],
  ['eager start', start(inProcess, 'beginsEagerly', true)],
  ['update with start', updateWithStart],
  ['local activity', start(remote, 'beginsLocally')],
];
await worker.runUntil(async () => {
  for (let round = -warmUp; round < rounds; round++) {
    for (let turn = 0; turn < calls.length; turn++) {
      const [way, call] = calls[(round + warmUp + turn) % calls.length]!;
      const { begun, answered } = await measure(call);
      if (round < 0) continue;
      output[way].push(begun);
      if (way === 'update with start') output['early return'].push(answered);
    }
  }
});
await remote.connection.close();
await connection.close();
process.stdout.write(`${JSON.stringify(output)}\n`);
