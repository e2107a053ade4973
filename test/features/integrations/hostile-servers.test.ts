/** A vendor's tool server that hangs, talks garbage or floods, as a run over an integration meets it. */
import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { composeRooms, openCore } from '../../../src/compose.ts';
import { forTeam } from '../../../src/db/team-filter.ts';
import { integrationSystems } from '../../../src/features/integrations/systems.ts';
import { recordedLog, testConfig } from '../../http/support/api.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { createIntegration } from '../../support/integration-rows.ts';
import { toolContext } from '../../support/tool-context.ts';
import { installToolServer, type Started } from '../../support/vendor-tool-server.ts';
import { isAlive } from '../../../src/embedded/process-table.ts';
import { waitUntil } from '../../support/wait-until.ts';

describe('a tool server that misbehaves in a call', () => {
  const teamId = randomUUID();
  let folder: string;
  let database: TestDatabase;
  let closing: AsyncDisposableStack;
  let call: (
    name: string,
    input: object,
    answerMs?: number,
  ) => ReturnType<Awaited<ReturnType<typeof offersOf>>[number]['run']>;
  let offersOf: (
    answerMs?: number,
  ) => Promise<ReturnType<Awaited<ReturnType<ReturnType<typeof integrationSystems>>>['offers']>>;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'casebook-hostile-'));
    await installToolServer(folder, '@azure/mcp', '2.0.5');
    database = await createTestDatabase();
    const config = testConfig({
      CASEBOOK_SECRET_KEY: randomBytes(32).toString('hex'),
      CASEBOOK_TOOL_SERVERS_DIR: folder,
      DATABASE_URL: database.url,
      TEMPORAL_ADDRESS: '127.0.0.1:1',
    });
    const core = await openCore(config, recordedLog('silent').log);
    closing = core.closing;
    const { integrations } = composeRooms(core);
    const em = forTeam(core.orm.em, teamId);
    const settings = { tenant_id: randomUUID(), subscription_id: randomUUID(), client_id: randomUUID() };
    const given = {
      family: 'cloud-monitor-a',
      name: 'azure-monitor',
      settings,
      secrets: { client_secret: 's' },
    } as const;
    createIntegration(em, integrations.vault, { teamId, ...given });
    await em.flush();
    offersOf = async (answerMs) => {
      const load = integrationSystems({
        ...integrations,
        orm: core.orm,
        fresh: integrations.service.fresh,
        used: () => undefined,
        otherChanges: async () => [],
        ...(answerMs !== undefined && { answerMs }),
      });
      return (await load(teamId)).offers();
    };
    call = async (name, input, answerMs) => {
      const offer = (await offersOf(answerMs)).find(({ what }) => what === name);
      assert.ok(offer, name);
      return offer.run({ ...input }, { ...toolContext(), teamId, toolCallId: randomUUID() });
    };
  });
  after(async () => {
    await closing?.disposeAsync();
    await database?.drop();
    await rm(folder, { recursive: true, force: true });
  });

  const started = async (): Promise<Started> => JSON.parse(String((await call('learn', {})).content)) as Started;

  for (const way of ['hang', 'garbage', 'flood'])
    it(`${way}: the call is unavailable, its process is ended, and another answers the next one`, async () => {
      const { pid } = await started();
      const { answer, isError, content } = await call('exit', { way }, 3_000);
      assert.deepEqual([isError, answer], [true, 'unavailable'], String(content));
      assert.notEqual((await started()).pid, pid);
      await waitUntil(() => (isAlive(pid) ? undefined : true), { what: 'the end of the old process' });
    });
});
