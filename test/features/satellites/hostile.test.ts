/** What comes over a satellite's connection when the other end means harm, or is broken. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { connect as connectTcp } from 'node:net';
import { after, before, describe, it } from 'mocha';
import type { WebSocket } from 'ws';
import { waitUntil } from '../../support/wait-until.ts';
import { CLOSE, CONNECT_PATH, MAX_FRAME_BYTES, MAX_PART_BYTES, MAX_PARTS } from '@casebook/wire';
import { connectWireSatellite, openSocket, UpgradeRefused, type WireSatellite } from '../../support/wire-satellite.ts';
import { startSatelliteApi, type SatelliteApi } from './support.ts';

const closeOf = (socket: WebSocket): Promise<{ code: number; reason: string }> =>
  new Promise((resolve) => socket.once('close', (code, reason) => resolve({ code, reason: reason.toString() })));

describe('hostile satellites', () => {
  let api: SatelliteApi;
  let token: string;
  let bystander: WireSatellite;
  let beating: NodeJS.Timeout;
  const open: WireSatellite[] = [];
  before(async () => {
    api = await startSatelliteApi();
    ({ token } = await api.token());
    bystander = await connect({
      name: 'bystander',
      onRequest: ({ id }, { answer }) => answer(id, 'from the bystander'),
    });
    beating = setInterval(() => bystander.heartbeat(), 3_000);
  });
  after(async () => {
    clearInterval(beating);
    for (const each of open) each.cut();
    await api.stop();
  });
  /** Whoever was there before is served as before. */
  afterEach(async () => {
    const { status, json } = await query(bystander.id);
    assert.equal(status, 200, JSON.stringify(json));
    assert.equal(json.result, 'from the bystander');
  });

  const connect = async (options: Partial<Parameters<typeof connectWireSatellite>[0]>): Promise<WireSatellite> => {
    const connectors = [{ id: 'prometheus', kind: 'prometheus' as const, title: 'p', operations: [] }];
    const satellite = await connectWireSatellite({ url: api.url, token, inventory: { connectors }, ...options });
    open.push(satellite);
    await api.untilStatus(satellite.id, 'online');
    return satellite;
  };
  const query = (satellite_id: string, key?: string, team_id = api.team.id) =>
    api.call(
      'POST',
      '/satellite/query/integration',
      { team_id, satellite_id, connector: 'prometheus', operation: 'query', timeout_seconds: 60 },
      { key },
    );
  const hello = (more: object = {}) =>
    JSON.stringify({ type: 'hello', name: 'x', version: '1', instance: randomUUID(), sentAt: 0, ...more });

  const garbage: Record<string, string | Buffer> = {
    'is not JSON': '{"type":',
    'is binary': Buffer.from([0, 1, 2]),
    'is JSON but no message': '[1,2,3]',
    'is nested deeply': '['.repeat(100_000) + ']'.repeat(100_000),
    'has an unknown type': '{"type":"root"}',
    'is not a hello': JSON.stringify({ type: 'heartbeat', sentAt: 0, health: [] }),
    'has a name that is no name': hello({ name: '../../etc' }),
    'has a name of another kind': hello({ name: { $gt: '' } }),
    'has no instance': hello({ instance: 'x' }),
  };
  for (const [what, message] of Object.entries(garbage)) {
    it(`are sent away when their first message ${what}`, async () => {
      const socket = await openSocket(api.url, token);
      const closed = closeOf(socket);
      socket.send(message);
      const { code, reason } = await closed;
      assert.equal(code, CLOSE.protocolError);
      assert.ok(reason.length > 10);
    });
  }

  it('are sent away for a frame that is too large, before it is read', async () => {
    const socket = await openSocket(api.url, token);
    const closed = closeOf(socket);
    socket.send(Buffer.alloc(MAX_FRAME_BYTES + 1, 'a').toString());
    assert.equal((await closed).code, 1009);
  });

  it('are sent away for a message that is nested deeply, also one with the word answer in it', async () => {
    for (const word of ['', '"answer.":0,']) {
      const satellite = await connect({ name: `deep-${word.length}` });
      const deep = '['.repeat(100_000) + ']'.repeat(100_000);
      const tool = `{"server":"s","name":"t","description":"","inputSchema":{"a":${deep}},"readOnly":true}`;
      satellite.socket.send(
        `{"type":"inventory",${word}"inventory":{"version":"1","labels":{},"connectors":[],"tools":[${tool}],"omittedTools":0}}`,
      );
      const { code, reason } = await satellite.closed;
      assert.equal(code, CLOSE.protocolError);
      assert.match(reason, /nested/);
    }
  });

  it('are sent away for a second hello', async () => {
    const satellite = await connect({ name: 'two-hellos' });
    satellite.socket.send(hello({ name: 'bystander' }));
    assert.equal((await satellite.closed).code, CLOSE.protocolError);
  });

  it('cannot say whose they are: the token does', async () => {
    const other = await api.newTeam('victim');
    const socket = await openSocket(api.url, token);
    const welcome = new Promise<string>((resolve) =>
      socket.once('message', (data: Buffer) => resolve(String(JSON.parse(data.toString()).satelliteId))),
    );
    socket.send(hello({ name: 'posing', teamId: other.id, team_id: other.id, id: randomUUID() }));
    const id = await welcome;
    const theirs = await api.call('GET', `/satellite/list?team_id=${other.id}`, undefined, { key: other.key });
    assert.deepEqual(theirs.json.satellites, []);
    assert.equal((await api.call('GET', `/satellite/${id}?team_id=${api.team.id}`)).status, 200);
    socket.terminate();
  });

  it('cannot answer a question that another satellite was asked', async () => {
    const other = await api.newTeam('asked');
    const theirs = await api.token(other);
    let stolen = '';
    const attacker = await connect({ name: 'attacker' });
    const asked = await connectWireSatellite({
      url: api.url,
      token: theirs.token,
      name: 'asked',
      onRequest: ({ id }, satellite) => {
        stolen = id;
        attacker.answer(id, 'forged');
        attacker.heartbeat();
        // What the attacker sent has been dealt with when its heartbeat was.
        void waitUntil(() => attacker.received.at(-1)?.type === 'ack' || undefined, {
          what: 'the ack',
        }).then(() => satellite.answer(id, 'genuine'));
      },
    });
    open.push(asked);
    const { json } = await query(asked.id, other.key, other.id);
    assert.ok(stolen);
    assert.equal(json.result, 'genuine');
  });

  const badAnswers: Record<string, (id: string, satellite: WireSatellite) => void> = {
    'skips a part': (id, { send }) => send({ type: 'answer.part', id, index: 1, text: '"x"' }),
    'has a part that is too large': (id, { send }) =>
      send({ type: 'answer.part', id, index: 0, text: JSON.stringify('x'.repeat(MAX_PART_BYTES)) }),
    'comes in parts without end': (id, { send }) => {
      for (let index = 0; index <= MAX_PARTS; index++) send({ type: 'answer.part', id, index, text: '' });
    },
    'ends without its parts': (id, { send }) => send({ type: 'answer.end', id, parts: 3, bytes: 3, tookMs: 0 }),
    'lies about its length': (id, { send }) => {
      send({ type: 'answer.part', id, index: 0, text: '"x"' });
      send({ type: 'answer.end', id, parts: 1, bytes: 99, tookMs: 0 });
    },
  };
  for (const [what, misbehave] of Object.entries(badAnswers)) {
    it(`get no answer through that ${what}`, async () => {
      const satellite = await connect({
        name: `bad-${what.replaceAll(/\W/g, '-')}`,
        onRequest: ({ id }, self) => misbehave(id, self),
      });
      const { status, json } = await query(satellite.id);
      assert.equal(status, 502, JSON.stringify(json));
      assert.equal((await satellite.closed).code, CLOSE.protocolError);
    });
  }

  it('get no answer through that is not JSON', async () => {
    const satellite = await connect({
      name: 'no-json',
      onRequest: ({ id }, { send }) => {
        send({ type: 'answer.part', id, index: 0, text: '<html>' });
        send({ type: 'answer.end', id, parts: 1, bytes: 6, tookMs: 0 });
      },
    });
    const { status, json } = await query(satellite.id);
    assert.equal(status, 502);
    assert.equal(json.code, 'query_failed');
  });

  it('are sent away when they flood', async () => {
    const floods: Record<string, (satellite: WireSatellite) => void> = {
      heartbeats: (satellite) => satellite.heartbeat(),
      answers: (satellite) => satellite.answer(randomUUID(), 'nobody asked'),
      graphs: ({ send }) =>
        send({ type: 'graph', epoch: randomUUID(), seq: 5, kind: 'delta', last: true, edges: [], gone: [] }),
    };
    for (const [what, flood] of Object.entries(floods)) {
      const satellite = await connect({ name: `flood-${what}` });
      for (let count = 0; count < 3_000; count++) flood(satellite);
      assert.equal((await satellite.closed).code, CLOSE.tooMuch, what);
    }
  });

  it('may say what PostgreSQL cannot store, and ages beyond all bounds', async () => {
    const satellite = await connect({ name: 'odd' });
    const odd = 'a\0b\ud800c';
    satellite.send({
      type: 'inventory',
      inventory: {
        version: odd,
        labels: { [odd]: odd, __proto__: 'x' },
        connectors: [],
        tools: [{ server: 's', name: odd, description: odd, inputSchema: { [odd]: { deep: [odd] } }, readOnly: true }],
        omittedTools: 0,
      },
    });
    satellite.send({
      type: 'heartbeat',
      sentAt: 1e300,
      health: [{ id: 'x', of: 'connector', status: 'failing', message: odd, checkedAgoMs: 1e300 }],
    });
    const json = await waitUntil(
      async () => {
        const reply = await api.call('GET', `/satellite/${satellite.id}?team_id=${api.team.id}`);
        return reply.json.tool_count === 1 && reply.json.problems.length > 1 ? reply.json : undefined;
      },
      { what: 'the odd satellite' },
    );
    assert.match(json.version, /^ab.c$/u);
    const tools = await api.call('GET', `/satellite/tools/list?team_id=${api.team.id}`);
    assert.equal(tools.status, 200);
  });

  it('are refused before they are connected: without the subprotocol, and on another path', async () => {
    const wrong: unknown = await openSocket(api.url, token, 'chat').catch((error: unknown) => error);
    assert.ok(wrong instanceof UpgradeRefused);
    assert.equal(wrong.status, 426);
    const raw = (path: string) =>
      new Promise<string>((resolve) => {
        const { hostname, port } = new URL(api.url);
        const socket = connectTcp(Number(port), hostname, () =>
          socket.write(
            `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}\r\n\r\n`,
          ),
        );
        socket.once('data', (data: Buffer) => {
          resolve(data.toString());
          socket.destroy();
        });
      });
    assert.match(await raw('/healthz'), /^HTTP\/1\.1 200/);
    assert.match(await raw('/nowhere'), /^HTTP\/1\.1 404/);
    assert.match(await raw(CONNECT_PATH), /^HTTP\/1\.1 426/);
  });

  it('that guess tokens are slowed down', async () => {
    const limited = await startSatelliteApi({ env: { CASEBOOK_RATE_LIMIT: '60' } });
    try {
      const statuses = new Set<number>();
      for (let count = 0; count < 200 && !statuses.has(429); count++) {
        const error: unknown = await openSocket(limited.url, `cbs_${count}`).catch((thrown: unknown) => thrown);
        assert.ok(error instanceof UpgradeRefused);
        statuses.add(error.status);
      }
      assert.deepEqual([...statuses], [401, 429]);
    } finally {
      await limited.stop();
    }
  });
});
