import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { reseal } from '../../src/db/reseal.ts';
import { forTeam } from '../../src/db/team-filter.ts';
import { findCredential, pepperFrom } from '../../src/features/identity/index.ts';
import { addAdminKey, bootstrapFirstTeam } from '../../src/features/identity/index.ts';
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

  it('leaves what it cannot open as it is, and counts it', async () => {
    await store(LOST);
    const before = await database.orm.em.fork().execute('select sealed, pending from integrations');
    const outcome = await reseal(database.orm, createSecretBox([NEW, OLD]), sealedColumns);
    assert.deepEqual(outcome, { resealed: 0, unreadable: 3 });
    assert.deepEqual(await database.orm.em.fork().execute('select sealed, pending from integrations'), before);
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
