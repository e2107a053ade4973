import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { createRunLauncher, type Run, type RunLauncher } from '../../../src/features/runs/index.ts';
import { createTemporalClient } from '../../../temporal/connection.ts';
import { kindAttribute, teamAttribute } from '../../../temporal/search-attributes.ts';
import { temporalAddress } from '../../support/temporal.ts';

/** No worker polls the queue: what Temporal takes and keeps is all there is. */
describe('launching a run', () => {
  let client: Client;
  let launcher: RunLauncher<Run>;
  let row: Run;
  before(async () => {
    client = createTemporalClient({ address: await temporalAddress(), namespace: 'default' });
    launcher = createRunLauncher<Run>(
      client,
      {
        kind: 'investigation',
        workflowId: (id) => `probe-${id}`,
        start: ({ id }, { maxSteps }) => ({
          workflow: 'probe',
          input: { id, maxSteps },
          summary: `Run ${id}`,
          details: 'Two\n\nparagraphs',
        }),
      },
      {
        budget: { maxSteps: 7, maxCostUsd: 1, maxWallSeconds: 60, toolTimeoutSeconds: 10, approvalSeconds: 60 },
        taskQueue: `launch-${randomUUID()}`,
      },
    );
  });
  beforeEach(() => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a launch needs no more of a row
    row = { id: randomUUID(), teamId: randomUUID() } as Run;
  });
  after(() => client?.connection.close());

  const handle = () => client.workflow.getHandle(`probe-${row.id}`);
  const eventsOf = async () => (await handle().fetchHistory()).events ?? [];
  const signals = async () =>
    (await eventsOf()).flatMap(({ workflowExecutionSignaledEventAttributes: signal }) =>
      signal
        ? [[signal.signalName, JSON.parse(Buffer.from(signal.input!.payloads![0]!.data!).toString()) as unknown]]
        : [],
    );

  it('starts the workflow with its one argument, and with what operators read and search by', async () => {
    await launcher.start(row);
    const described = await handle().describe();
    assert.equal(described.type, 'probe');
    assert.equal(await described.staticSummary(), `Run ${row.id}`);
    assert.equal(await described.staticDetails(), 'Two\n\nparagraphs');
    assert.equal(described.typedSearchAttributes.get(teamAttribute), row.teamId);
    assert.equal(described.typedSearchAttributes.get(kindAttribute), 'investigation');
    const [started] = await eventsOf();
    const payloads = started?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
    assert.deepEqual(
      payloads.map(({ data }) => JSON.parse(Buffer.from(data!).toString()) as unknown),
      [{ id: row.id, maxSteps: 7 }],
    );
  });

  it('starts a row once, however often it is told to, and also when the run has ended', async () => {
    await Promise.all([launcher.start(row), launcher.start(row)]);
    const first = (await handle().describe()).runId;
    await launcher.start(row);
    await handle().terminate();
    await launcher.start(row);
    const described = await handle().describe();
    assert.deepEqual([described.runId, described.status.name], [first, 'TERMINATED']);
  });

  it('knows whether a run is missing, running or closed', async () => {
    assert.equal(await launcher.state(row.id), 'missing');
    await launcher.start(row);
    assert.equal(await launcher.state(row.id), 'running');
    await handle().terminate();
    assert.deepEqual(await launcher.state(row.id), { closed: 'TERMINATED' });
  });

  it('tells a running workflow that it is to stop and that a message is there, and says when there is none', async () => {
    assert.equal(await launcher.cancel(row.id, 'asked'), false);
    assert.equal(await launcher.messageAdded(row.id, 'first'), false);
    await launcher.start(row);
    assert.equal(await launcher.messageAdded(row.id, 'first'), true);
    assert.equal(await launcher.cancel(row.id, 'asked'), true);
    assert.deepEqual(await signals(), [
      ['user_message', { messageId: 'first' }],
      ['cancel', { reason: 'asked' }],
    ]);
    await handle().terminate();
    assert.equal(await launcher.cancel(row.id, 'asked'), false);
  });
});
