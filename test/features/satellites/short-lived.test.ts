/** Connections that end before they have begun, and nodes that stop while satellites come. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { connect as connectTcp } from 'node:net';
import { after, before, describe, it } from 'mocha';
import { waitUntil } from '../../support/wait-until.ts';
import { createSatelliteCalls } from '../../../src/features/satellites/index.ts';
import { CONNECT_PATH, SUBPROTOCOL } from '@casebook/wire';
import { systemClock } from '../../../src/platform/clock.ts';
import { takeAway } from '../../support/event-log-outage.ts';
import { connectWireSatellite, openSocket, UpgradeRefused } from '../../support/wire-satellite.ts';
import { startSatelliteApi, type SatelliteApi } from './support.ts';

describe('short-lived connections of satellites', () => {
  let api: SatelliteApi;
  let token: string;
  before(async () => {
    api = await startSatelliteApi();
    ({ token } = await api.token());
  });
  after(() => api.stop());

  it('are not counted once they are gone, however short-lived', async () => {
    const names = Array.from({ length: 10 }, (_, index) => `brief-${index}`);
    for (const name of names) {
      const socket = await openSocket(api.url, token);
      const hello = { type: 'hello', name, version: '1', instance: randomUUID(), sentAt: Date.now() };
      socket.send(JSON.stringify(hello), () => socket.terminate());
    }
    const path = `/satellite/list?status=offline&team_id=${api.team.id}`;
    await waitUntil(async () => (await api.call('GET', path)).json.total === names.length || undefined, {
      what: 'the satellites to be registered and gone',
    });
    const connected = api.nodes[0]!.api.deps.metrics.getSingleMetric('casebook_satellites_connected')!;
    assert.equal((await connected.get()).values[0]!.value, 0);
  });
});

describe('a node that stops', () => {
  it('does not wait for those it has refused', async () => {
    const api = await startSatelliteApi();
    const { hostname, port } = new URL(api.url);
    const stays = connectTcp({ host: hostname, port: Number(port), allowHalfOpen: true });
    stays.on('error', () => undefined);
    const key = Buffer.alloc(16).toString('base64');
    stays.write(
      `GET ${CONNECT_PATH} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\nSec-WebSocket-Protocol: ${SUBPROTOCOL}\r\n\r\n`,
    );
    const answer = await new Promise<string>((resolve) => stays.once('data', (data) => resolve(data.toString())));
    assert.match(answer, /^HTTP\/1\.1 401 /);
    await api.stop();
    stays.destroy();
  });

  it('does not wait for an event log that is away', async () => {
    const api = await startSatelliteApi();
    const { token } = await api.token();
    const asked = Promise.withResolvers<void>();
    const satellite = await connectWireSatellite({ url: api.url, token, onRequest: () => asked.resolve() });
    const { events } = api.nodes[0]!.api.deps;
    const calls = createSatelliteCalls({ orm: api.database.orm, events, clock: systemClock });
    const person = new AbortController();
    const target = { kind: 'connector' as const, connector: 'db', operation: 'query', parameters: {} };
    const call = { teamId: api.team.id, satelliteId: satellite.id, target, timeoutMs: 300_000, isGivenUp: () => false };
    const given = assert.rejects(calls.ask(call, person.signal), /enough/);
    await asked.promise;
    takeAway(events);
    await api.nodes[0]!.api.stop();
    person.abort(new Error('enough'));
    await given;
    await api.stop();
  });

  it('admits nobody whose token it was still looking up', async () => {
    const api = await startSatelliteApi();
    const { token } = await api.token();
    const em = api.database.orm.em.fork();
    await em.begin();
    await em.execute('lock table credentials in access exclusive mode');
    const opened = openSocket(api.url, token);
    const outcome = opened.catch((error: unknown) => error);
    const looksUp = async () => {
      const [waiting] = await api.database.orm.em
        .fork()
        .execute<{ count: number }[]>(
          `select count(*)::int as count from pg_locks where not granted and relation = 'credentials'::regclass`,
        );
      return waiting!.count > 0 || undefined;
    };
    await waitUntil(looksUp, { what: 'the token to be looked up' });
    const stopping = api.nodes[0]!.api.stop();
    await em.rollback();
    const refused = await outcome;
    assert.ok(refused instanceof UpgradeRefused, String(refused));
    assert.equal(refused.status, 503);
    await stopping;
    await api.stop();
  });
});
