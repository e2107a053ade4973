/** Checks of many integrations, some of whose systems never answer. */
import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { composeRooms, openCore } from '../../../src/compose.ts';
import { anyTeam, forTeam } from '../../../src/db/team-filter.ts';
import { Integration } from '../../../src/features/integrations/entities.ts';
import { checkDue } from '../../../src/features/integrations/health.ts';
import { nextCheck } from '../../../src/features/integrations/service.ts';
import { recordedLog, testConfig } from '../../http/support/api.ts';
import { addressOf } from '../../support/address.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { createIntegration } from '../../support/integration-rows.ts';
import { waitUntil } from '../../support/wait-until.ts';

describe('the next check', () => {
  it('is a fifth earlier or later than five minutes, by chance', () => {
    const now = new Date(0);
    const seconds = [0, 0.5, 1].map((chance) => nextCheck(now, chance).getTime() / 1_000);
    assert.deepEqual(seconds, [240, 300, 360]);
    const some = new Set(Array.from({ length: 20 }, () => nextCheck(now).getTime()));
    assert.ok(some.size > 1);
  });
});

describe('checks of integrations that do not answer', () => {
  let database: TestDatabase;
  let house: ReturnType<typeof composeRooms>;
  let closing: AsyncDisposableStack;
  /** Takes connections, and says nothing. */
  let silent: Server;
  const open = new Set<Socket>();
  let most = 0;

  before(async () => {
    database = await createTestDatabase();
    const config = testConfig({
      DATABASE_URL: database.url,
      TEMPORAL_ADDRESS: '127.0.0.1:1',
      CASEBOOK_SECRET_KEY: randomBytes(32).toString('hex'),
      CASEBOOK_OUTBOUND_ALLOW: '127.0.0.1',
    });
    const core = await openCore(config, recordedLog('silent').log);
    closing = core.closing;
    house = composeRooms(core);
    silent = createServer((socket) => {
      open.add(socket);
      most = Math.max(most, open.size);
      socket
        .resume()
        .on('error', () => undefined)
        .on('close', () => open.delete(socket));
    });
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
  });
  after(async () => {
    silent?.close();
    for (const socket of open) socket.destroy();
    await closing?.disposeAsync();
    await database?.drop();
  });
  beforeEach(async () => {
    most = 0;
    await database.orm.em.fork().nativeDelete(Integration, {}, anyTeam);
  });

  /** Databases of a team that are due since then. */
  const add = async (teamId: string, count: number, port: number, dueAt = new Date(0)): Promise<void> => {
    const { pathname, username, password } = new URL(database.url);
    const em = forTeam(database.orm.em, teamId);
    for (let index = 0; index < count; index++) {
      const row = createIntegration(em, house.integrations.vault, {
        teamId,
        family: 'sql-db',
        name: `db-${index}`,
        settings: {
          host: '127.0.0.1',
          port,
          database: pathname.slice(1),
          username: decodeURIComponent(username),
          ssl_mode: 'disable',
        },
        secrets: { password: decodeURIComponent(password) },
      });
      row.dueAt = dueAt;
    }
    await em.flush();
  };
  const checking = () => {
    const stopping = new AbortController();
    const done = checkDue(house.integrations.service, stopping.signal);
    return {
      done,
      async stop() {
        stopping.abort(new Error('The worker stops.'));
        await done;
      },
    };
  };
  const until = (what: string, attempt: () => Promise<boolean> | boolean) =>
    waitUntil(async () => (await attempt()) || undefined, { what });

  it("do not keep another team's from theirs, though they were due first", async () => {
    const [dead, healthy] = [randomUUID(), randomUUID()];
    await add(dead, 30, addressOf(silent).port);
    await add(healthy, 1, Number(new URL(database.url).port), new Date());
    const { stop } = checking();
    await until('the healthy one', async () => {
      const row = await forTeam(database.orm.em, healthy).findOneOrFail(Integration, {});
      return row.checkedAt !== null && row.status === 'connected';
    });
    await until('the others', () => open.size === 4);
    await stop();
    await until('their connections to be closed', () => open.size === 0);
    assert.equal(most, 4, 'of one team');
    const statuses = await forTeam(database.orm.em, dead).find(Integration, { status: { $ne: 'connected' } });
    assert.deepEqual(statuses, [], 'a check that was stopped says nothing about the system');
  });

  it('are eight at once, of however many teams', async () => {
    for (let team = 0; team < 5; team++) await add(randomUUID(), 4, addressOf(silent).port);
    const { stop } = checking();
    await until('all places to be taken', () => open.size === 8);
    await stop();
    assert.equal(most, 8);
  });
});
