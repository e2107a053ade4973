import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { reseal } from '../../src/db/reseal.ts';
import { forTeam } from '../../src/db/team-filter.ts';
import { findCredential, pepperFrom } from '../../src/features/identity/index.ts';
import { addAdminKey, bootstrapFirstTeam } from '../../src/features/identity/index.ts';
import { freshTargets } from '../../src/features/integrations/oauth/fresh.ts';
import { targetOf } from '../../src/features/integrations/service.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createIntegration } from '../support/integration-rows.ts';
import { startProgram } from '../support/program.ts';
import { waitUntil } from '../support/wait-until.ts';
import { Integration, IntegrationAlerts } from '../../src/features/integrations/entities.ts';
import { createVault } from '../../src/features/integrations/vault.ts';
import { openChannel, sealChannel } from '../../src/features/notifications/index.ts';
import { createSecretBox, SecretError } from '../../src/platform/secrets.ts';
import { sealedColumns } from '../../src/rooms.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

const [OLD, NEW, LOST] = [randomBytes(32), randomBytes(32), randomBytes(32)];
const CHANNEL = { type: 'email' as const, to: ['ops@example.com'] };

describe('a new secret key', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createTestDatabase();
  });
  afterEach(() => database.drop());

  const store = async (key: Buffer): Promise<{ id: string; teamId: string }> => {
    const [id, teamId] = [randomUUID(), randomUUID()];
    const box = createSecretBox([key]);
    const vault = createVault(box);
    const em = forTeam(database.orm.em, teamId);
    const now = new Date();
    em.create(Integration, {
      id,
      teamId,
      createdByCredentialId: null,
      createdByUserId: null,
      family: 'sql-db',
      name: 'db',
      slug: 'db',
      status: 'connected',
      statusSince: now,
      settings: {},
      sealed: vault.seal({ id, teamId }, { password: 'open sesame' }),
      pending: vault.sealText({ id, teamId }, 'half way'),
      found: { warnings: [], resources: [] },
      tools: null,
      dueAt: now,
    } as never);
    em.create(IntegrationAlerts, { teamId, channel: sealChannel(box, teamId, CHANNEL) } as never);
    await em.flush();
    return { id, teamId };
  };

  it('takes over every secret, after which the old one is not needed', async () => {
    const { id, teamId } = await store(OLD);
    const outcome = await reseal(database.orm, createSecretBox([NEW, OLD]), sealedColumns);
    assert.deepEqual(outcome, { resealed: 3, unreadable: 0 });
    assert.deepEqual(await reseal(database.orm, createSecretBox([NEW, OLD]), sealedColumns), {
      resealed: 0,
      unreadable: 0,
    });
    const em = forTeam(database.orm.em, teamId);
    const row = await em.findOneOrFail(Integration, { id });
    const vault = createVault(createSecretBox([NEW]));
    assert.deepEqual([vault.open(row), vault.openText(row, row.pending!)], [{ password: 'open sesame' }, 'half way']);
    const { channel } = await em.findOneOrFail(IntegrationAlerts, {});
    assert.deepEqual(openChannel(createSecretBox([NEW]), teamId, channel), CHANNEL);
    assert.throws(() => createVault(createSecretBox([OLD])).open(row), SecretError);
  });

  it('leaves what it cannot open as it is, and counts it; of a consent that is under way it drops it', async () => {
    await store(LOST);
    const sealed = () => database.orm.em.fork().execute('select sealed, pending from integrations');
    const [before] = await sealed();
    const outcome = await reseal(database.orm, createSecretBox([NEW, OLD]), sealedColumns);
    assert.deepEqual(outcome, { resealed: 0, unreadable: 2 });
    assert.deepEqual(await sealed(), [{ sealed: before?.sealed, pending: null }]);
  });

  it('loses no token that is renewed meanwhile', async () => {
    const [vault, box] = [createVault(createSecretBox([OLD])), createSecretBox([NEW, OLD])];
    const teamId = randomUUID();
    const em = forTeam(database.orm.em, teamId);
    const tokens = { access_token: 'old', refresh_token: 'r', expires_at: 0 };
    for (let index = 0; index < 200; index++)
      createIntegration(em, vault, { teamId, family: 'cloud-b', name: `g${index}`, settings: {}, secrets: tokens });
    await em.flush();
    const current = createVault(box);
    const { fresh } = freshTargets({
      orm: database.orm,
      clock: systemClock,
      vault: current,
      opened: (row: Integration) => targetOf(current, row),
      renew: async ({ id }: Integration) => ({ access_token: id, expires_at: Date.now() + 3_600_000 }),
    } as never);
    const rows = await forTeam(database.orm.em, teamId).find(Integration, {});
    const [outcome] = await Promise.all([reseal(database.orm, box, sealedColumns), ...rows.map((row) => fresh(row))]);
    assert.equal(outcome.unreadable, 0);
    const after = createVault(createSecretBox([NEW]));
    for (const row of await forTeam(database.orm.em, teamId).find(Integration, {}))
      assert.equal(after.open(row)['access_token'], row.id);
  });

  it('goes on where it was when the command was killed', async () => {
    const vault = createVault(createSecretBox([OLD]));
    const teamId = randomUUID();
    const em = forTeam(database.orm.em, teamId);
    for (let index = 0; index < 200; index++)
      createIntegration(em, vault, {
        teamId,
        family: 'sql-db',
        name: `d${index}`,
        settings: {},
        secrets: { password: 'p' },
      });
    await em.flush();
    const command = startProgram({
      args: [join(import.meta.dirname, '../../src/bin/admin.ts'), 'reseal'],
      env: {
        PATH: process.env['PATH'] ?? '',
        DATABASE_URL: database.url,
        CASEBOOK_SECRET_KEY: NEW.toString('hex'),
        CASEBOOK_PREVIOUS_SECRET_KEYS: OLD.toString('hex'),
      },
    });
    const moved = async (): Promise<number> => {
      const { isOld } = createSecretBox([NEW]);
      const rows = await forTeam(database.orm.em, teamId).find(Integration, {});
      return rows.filter(({ sealed }) => !isOld(sealed)).length;
    };
    await waitUntil(async () => (await moved()) > 0 || undefined, { what: 'the first one', intervalMs: 5 });
    await command.kill();
    const both = createVault(createSecretBox([NEW, OLD]));
    for (const row of await forTeam(database.orm.em, teamId).find(Integration, {}))
      assert.equal(both.open(row)['password'], 'p');
    command.start();
    await waitUntil(() => command.output().includes('sealed with the current key') || undefined, { what: 'the end' });
    await command.terminate();
    assert.equal(await moved(), 200);
  });

  it('binds a secret to its integration: a copied one does not open', async () => {
    const { id, teamId } = await store(OLD);
    const row = await forTeam(database.orm.em, teamId).findOneOrFail(Integration, { id });
    const vault = createVault(createSecretBox([OLD]));
    assert.throws(() => vault.open({ ...row, id: randomUUID() }), SecretError);
    assert.throws(() => vault.open({ ...row, teamId: randomUUID() }), SecretError);
  });

  it('knows API keys by the earlier one, and by itself once they have been used', async () => {
    const { em } = database.orm;
    await bootstrapFirstTeam(em, { hash: (secret) => pepperFrom([OLD]).hash(secret) });
    const secret = await addAdminKey(em, { name: 'old', hash: (key) => pepperFrom([OLD]).hash(key) });
    const find = (...keys: [Buffer, ...Buffer[]]) =>
      findCredential(em.fork(), secret, { kind: 'key', pepper: pepperFrom(keys) });
    assert.equal(await find(NEW), null);
    assert.equal((await find(NEW, OLD))?.name, 'old');
    assert.equal((await find(NEW))?.name, 'old', 'it was moved');
  });
});
