import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { silentLog } from '../../src/embedded/log.ts';
import { isAlive } from '../../src/embedded/process-table.ts';
import { ensureTemporalBinary, startTemporalServer } from '../../src/embedded/temporal-server.ts';
import { waitUntil } from '../support/wait-until.ts';
import { temporaryHome } from './home.ts';

describe('embedded Temporal server', () => {
  const home = temporaryHome();
  let server: Awaited<ReturnType<typeof startTemporalServer>>;

  const withConnection = async <T>(use: (connection: Connection) => Promise<T>): Promise<T> => {
    const connection = await Connection.connect({ address: server.address });
    try {
      return await use(connection);
    } finally {
      await connection.close();
    }
  };
  const startWorkflow = (workflowId: string): Promise<unknown> =>
    withConnection((connection) =>
      connection.workflowService.startWorkflowExecution({
        namespace: 'default',
        workflowId,
        requestId: workflowId,
        workflowType: { name: 'nothing' },
        taskQueue: { name: 'nobody' },
        searchAttributes: {
          indexedFields: {
            CasebookKind: {
              metadata: { encoding: Buffer.from('json/plain'), type: Buffer.from('Keyword') },
              data: Buffer.from('"investigation"'),
            },
          },
        },
      }),
    );
  const runIdOf = (workflowId: string): Promise<string | null | undefined> =>
    withConnection(async (connection) => {
      const described = await connection.workflowService.describeWorkflowExecution({
        namespace: 'default',
        execution: { workflowId },
      });
      return described.workflowExecutionInfo?.execution?.runId;
    });

  before(async () => {
    // What an interrupted first start leaves: a file without a schema, which the server would never repair.
    mkdirSync(join(home, 'temporal'));
    writeFileSync(join(home, 'temporal', 'temporal.db'), '');
    const binary = await ensureTemporalBinary(silentLog);
    server = await startTemporalServer({ binary, home, ports: { grpc: 0, ui: 0 } });
  });
  after(() => server.stop());

  it('is ready with its search attributes and its UI', async () => {
    await startWorkflow('with-attributes');
    const page = await fetch(server.uiUrl);
    assert.equal(page.status, 200);
    assert.match(await page.text(), /<html/i);
  });

  it('comes back after kill -9 on the same port with its workflows', async () => {
    const runId = await runIdOf('with-attributes');
    const { pid } = server;
    process.kill(pid!, 'SIGKILL');
    const after = await waitUntil(() => (isAlive(pid!) ? undefined : runIdOf('with-attributes')), {
      what: 'Temporal after kill -9',
    });
    assert.equal(after, runId);
    assert.notEqual(server.pid, pid);
  });

  it('keeps its workflows over a stop and a start on other ports, and gets attributes that are new since', async () => {
    const runId = await runIdOf('with-attributes');
    const namespace = 'default';
    await withConnection(({ operatorService }) =>
      operatorService.removeSearchAttributes({ namespace, searchAttributes: ['CasebookConfidence'] }),
    );
    await server.stop();
    const binary = await ensureTemporalBinary(silentLog);
    server = await startTemporalServer({ binary, home, ports: { grpc: 0, ui: 0 } });
    assert.equal(await runIdOf('with-attributes'), runId);
    const { customAttributes } = await withConnection(({ operatorService }) =>
      operatorService.listSearchAttributes({ namespace }),
    );
    assert.ok('CasebookConfidence' in (customAttributes ?? {}));
  });
});
