import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import {
  Investigation,
  investigationRuns,
  type InvestigationServiceDeps,
} from '../../../../src/features/investigations/index.ts';
import { IdempotencyHeaders } from '../../../../src/features/investigations/schemas.ts';
import { createRunLauncher } from '../../../../src/features/runs/index.ts';
import { waitUntil } from '../../../support/wait-until.ts';
import { forTeam } from '../../../../src/db/team-filter.ts';
import { systemClock } from '../../../../src/platform/clock.ts';
import { createEventLog, type EventLog } from '../../../../src/platform/event-log/index.ts';
import { createLogger } from '../../../../src/platform/logger.ts';
import { createTemporalClient } from '../../../../temporal/connection.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/database.ts';
import { callerOf, type CalledTool, type CallTool } from '../../../support/investigation-tools.ts';
import { temporalAddress } from '../../../support/temporal.ts';
import { loadsOneSource } from '../../../support/telemetry-source.ts';

const log = createLogger({ name: 'test', level: 'silent' });
const budget = { maxSteps: 1, maxCostUsd: 1, maxWallSeconds: 1, toolTimeoutSeconds: 1, approvalSeconds: 60 };

interface Started {
  investigation_id: string;
  status: string;
  url: string;
}

/** No worker polls the queue: what Temporal takes is all there is. */
describe('start_investigation', () => {
  let database: TestDatabase;
  let events: EventLog;
  let client: Client;
  let deps: InvestigationServiceDeps;
  const teamId = randomUUID();
  const credentialId = randomUUID();
  let runId: string;
  let call: CallTool;

  before(async () => {
    database = await createTestDatabase();
    events = createEventLog({ databaseUrl: database.url, log });
    client = createTemporalClient({ address: await temporalAddress(), namespace: 'default' });
    const launcher = createRunLauncher(client, investigationRuns, { budget, taskQueue: `start-${randomUUID()}` });
    deps = {
      orm: database.orm,
      events,
      clock: systemClock,
      log,
      appUrl: 'https://casebook.test',
      sources: loadsOneSource,
      launcher,
    };
    call = callerOf(deps, teamId, credentialId);
  });
  after(async () => {
    await client?.connection.close();
    await events?.close();
    await database?.drop();
  });
  beforeEach(() => {
    runId = randomUUID();
  });

  const start = (query: string, toolCallId = randomUUID(), run = runId): Promise<CalledTool> =>
    call('start_investigation', { query }, { runId: run, toolCallId });
  const untilRunning = (id: string) =>
    waitUntil(async () => (await deps.launcher.state(id)) === 'running' || undefined, {
      what: 'the workflow',
    });
  const rowsAbout = (query: string): Promise<Investigation[]> =>
    forTeam(database.orm.em, teamId).find(Investigation, { query });

  it('starts an investigation on behalf of whoever the run works for', async () => {
    const { json, digest } = await start('Why is checkout slow?');
    const [row, ...more] = await rowsAbout('Why is checkout slow?');
    assert.ok(row);
    assert.deepEqual(more, []);
    assert.deepEqual(json, {
      investigation_id: row.id,
      status: 'processing',
      url: `https://casebook.test/investigation/${row.id}`,
    } satisfies Started);
    assert.equal(digest, `Started investigation ${row.id}`);
    assert.ok(
      !IdempotencyHeaders.safeParse({ 'idempotency-key': row.idempotencyKey }).success,
      'no caller can take it',
    );
    assert.deepEqual([row.teamId, row.createdByCredentialId, row.createdByUserId], [teamId, credentialId, null]);
    await untilRunning(row.id);
  });

  it('starts one, however often the call is attempted, also when attempts overlap', async () => {
    const toolCallId = randomUUID();
    const attempts = await Promise.all(Array.from({ length: 4 }, () => start('Once, please.', toolCallId)));
    attempts.push(await start('Once, please.', toolCallId));
    const ids = attempts.map(({ json }) => (json as Started).investigation_id);
    assert.equal(new Set(ids).size, 1);
    assert.equal((await rowsAbout('Once, please.')).length, 1);
  });

  it('resumes from the commit of an attempt that was interrupted before the start', async () => {
    const toolCallId = randomUUID();
    const cutOff = { ...deps.launcher, start: () => Promise.reject(new Error('the worker died here')) };
    const context = { runId, toolCallId };
    await callerOf({ ...deps, launcher: cutOff }, teamId)('start_investigation', { query: 'Cut off?' }, context);
    const [row] = await rowsAbout('Cut off?');
    assert.equal(await deps.launcher.state(row!.id), 'missing');
    const { json } = await start('Cut off?', toolCallId);
    assert.equal((json as Started).investigation_id, row!.id);
    await untilRunning(row!.id);
  });

  it('is the same for every attempt, also with text that is not well-formed', async () => {
    const toolCallId = randomUUID();
    const first = await start('Half a pair: \ud83d.', toolCallId);
    const second = await start('Half a pair: \ud83d.', toolCallId);
    assert.equal(first.isError, false);
    assert.deepEqual(second.json, first.json);
  });

  describe('starts three for one run and no more', () => {
    const started = (calls: CalledTool[]): number => calls.filter(({ isError }) => !isError).length;

    it('one after the other', async () => {
      const calls: CalledTool[] = [];
      for (let n = 0; n < 5; n += 1) calls.push(await start(`One by one in ${runId}.`));
      assert.deepEqual(
        calls.map(({ isError }) => isError),
        [false, false, false, true, true],
      );
      assert.match(calls[3]!.text, /3 investigations were started .* already/);
      assert.equal((await rowsAbout(`One by one in ${runId}.`)).length, 3);
    });

    it('at once', async () => {
      const calls = await Promise.all(Array.from({ length: 8 }, () => start(`All at once in ${runId}.`)));
      assert.equal(started(calls), 3);
      assert.equal((await rowsAbout(`All at once in ${runId}.`)).length, 3);
    });

    it('an attempt of one of the three finds it all the same', async () => {
      const toolCallIds = [randomUUID(), randomUUID(), randomUUID()];
      const first = await Promise.all(toolCallIds.map((id) => start('Repeat.', id)));
      const again = await Promise.all(toolCallIds.map((id) => start('Repeat.', id)));
      assert.deepEqual(
        again.map(({ text }) => text),
        first.map(({ text }) => text),
      );
    });

    it('overlapping attempts of the third are one of the three', async () => {
      await Promise.all([start('Two before.'), start('Two before.')]);
      const toolCallId = randomUUID();
      const attempts = await Promise.all(Array.from({ length: 4 }, () => start('The third.', toolCallId)));
      assert.equal(started(attempts), 4);
      assert.equal((await rowsAbout('The third.')).length, 1);
    });

    it('and three more for the next run of the conversation', async () => {
      for (let n = 0; n < 4; n += 1) await start('First run.');
      assert.equal((await start('Next run.', randomUUID(), randomUUID())).isError, false);
    });
  });

  for (const query of ['', ' \n', 'a\0b', 'x'.repeat(20_001)]) {
    it(`refuses ${JSON.stringify(query.slice(0, 10))}, ${query.length} characters, and stores nothing`, async () => {
      const count = () => forTeam(database.orm.em, teamId).count(Investigation);
      const before = await count();
      assert.ok((await start(query)).isError);
      assert.equal(await count(), before);
    });
  }
});
