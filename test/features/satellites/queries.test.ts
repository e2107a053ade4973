/** Questions to satellites: over two API nodes, both event logs, and through lost connections. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'mocha';
import { waitUntil } from '../../support/wait-until.ts';
import { MAX_PART_BYTES } from '@casebook/wire';
import { connectWireSatellite, type WireSatellite } from '../../support/wire-satellite.ts';
import { startRedis } from '../../support/redis.ts';
import { startSatelliteApi, type SatelliteApi } from './support.ts';

const CONNECTORS = [
  {
    id: 'prometheus',
    kind: 'prometheus' as const,
    title: 'Prometheus',
    operations: [{ name: 'query', description: 'PromQL', inputSchema: { type: 'object' }, tool: true }],
  },
];
const TOOLS = [
  { server: 'runbooks', name: 'search', description: 'Finds.', inputSchema: { type: 'object' }, readOnly: true },
  { server: 'runbooks', name: 'restart', description: 'Acts.', inputSchema: { type: 'object' }, readOnly: false },
];
const inventory = { connectors: CONNECTORS, tools: TOOLS };

const eventLogs = [
  { name: 'PostgreSQL', env: async () => ({ env: {}, stop: async () => undefined }) },
  {
    name: 'Redis',
    env: async () => {
      const redis = await startRedis();
      return { env: { REDIS_URL: redis.url }, stop: () => redis.stop() };
    },
  },
];

for (const { name: eventLog, env } of eventLogs) {
  describe(`satellite queries over two nodes and the event log in ${eventLog}`, () => {
    let api: SatelliteApi;
    let token: string;
    let log: Awaited<ReturnType<typeof env>>;
    const open: WireSatellite[] = [];
    before(async () => {
      log = await env();
      api = await startSatelliteApi({ nodes: 2, env: log.env });
      ({ token } = await api.token());
    });
    after(async () => {
      for (const each of open) each.cut();
      await api.stop();
      await log.stop();
    });

    const connect = async (options: Partial<Parameters<typeof connectWireSatellite>[0]>): Promise<WireSatellite> => {
      const satellite = await connectWireSatellite({ url: api.url, token, inventory, ...options });
      open.push(satellite);
      await api.untilStatus(satellite.id, 'online');
      // It says what it has only after it has said who it is.
      await waitUntil(
        async () => {
          const { json } = await api.call('GET', `/satellite/${satellite.id}?team_id=${api.team.id}`);
          return json.connectors.length === CONNECTORS.length || undefined;
        },
        { what: 'what the satellite has' },
      );
      return satellite;
    };
    const ask = (satellite_id: string, more: object = {}, node = 1) =>
      api.call(
        'POST',
        '/satellite/query/integration',
        {
          team_id: api.team.id,
          satellite_id,
          connector: 'prometheus',
          operation: 'query',
          parameters: { query: 'up' },
          ...more,
        },
        { node },
      );

    it('reach the satellite from either node, whole', async () => {
      const satellite = await connect({
        name: 'either',
        onRequest: (request, { answer }) => answer(request.id, { asked: request.target }),
      });
      for (const node of [0, 1]) {
        const { status, json } = await ask(satellite.id, {}, node);
        assert.equal(status, 200, JSON.stringify(json));
        assert.deepEqual(json.result.asked.parameters, { query: 'up' });
        assert.equal(json.satellite, 'either');
      }
    });

    it('bring back answers of several MB', async () => {
      const big = { text: 'Grüße 🚀 '.repeat(600_000) };
      const satellite = await connect({
        name: 'big',
        onRequest: (request, { answer }) => answer(request.id, big, MAX_PART_BYTES / 4),
      });
      const { status, json } = await ask(satellite.id);
      assert.equal(status, 200);
      assert.deepEqual(json.result, big);
    });

    it('say when a satellite was last seen that is offline', async () => {
      const satellite = await connect({ name: 'gone' });
      satellite.cut();
      await api.untilStatus(satellite.id, 'offline');
      const { status, json, headers } = await ask(satellite.id);
      assert.equal(status, 503);
      assert.equal(json.code, 'satellite_offline');
      assert.ok(Math.abs(Date.parse(json.last_seen) - Date.now()) < 60_000);
      assert.ok(headers['retry-after']);
    });

    it('are asked once more when the connection was lost, on whatever node the satellite comes back', async () => {
      let asked = 0;
      const first = await connect({
        name: 'back',
        onRequest: (_request, satellite) => {
          asked++;
          satellite.cut();
          void connect({
            name: 'back',
            url: api.nodes[1]!.url,
            onRequest: (request, again) => {
              asked++;
              again.answer(request.id, 'second time');
            },
          });
        },
      });
      const { status, json } = await ask(first.id, {}, 0);
      assert.equal(status, 200, JSON.stringify(json));
      assert.equal(json.result, 'second time');
      assert.equal(asked, 2);
    });

    it('fail clearly when the connection is lost twice', async () => {
      const lose = (_request: unknown, satellite: WireSatellite): void => {
        satellite.cut();
        void connect({ name: 'flapping', onRequest: lose });
      };
      const satellite = await connect({ name: 'flapping', onRequest: lose });
      const { status, json } = await ask(satellite.id);
      assert.equal(status, 503);
      assert.equal(json.code, 'satellite_offline');
      assert.match(json.detail, /lost its connection twice/);
    });

    it('that may act are asked again of the same process only', async () => {
      const act = (satellite_id: string) =>
        api.call('POST', '/satellite/query/mcp', {
          team_id: api.team.id,
          satellite_id,
          server: 'runbooks',
          tool: 'restart',
        });
      const loseAndReturnAs = (name: string, instance: string | undefined) => {
        const own = randomUUID();
        return connect({
          name,
          instance: own,
          onRequest: (_request, satellite) => {
            satellite.cut();
            const onRequest = ({ id }: { id: string }, again: WireSatellite) => again.answer(id, 'done');
            void connect({ name, instance: instance ?? own, onRequest });
          },
        });
      };
      const same = await act((await loseAndReturnAs('same-process', undefined)).id);
      assert.equal(same.json.result, 'done', same.text);
      const anew = await act((await loseAndReturnAs('new-process', randomUUID())).id);
      assert.equal(anew.status, 503, anew.text);
      assert.match(anew.json.detail, /whether it acted is unknown/);
    });

    it('carry the words of a satellite that cannot answer', async () => {
      const satellite = await connect({
        name: 'words',
        onRequest: (request, { send }) => {
          const code = request.target.kind === 'connector' ? String(request.target.parameters['code']) : 'failed';
          send({ type: 'answer.error', id: request.id, code: code as 'failed', message: `no: ${code}` });
        },
      });
      const expected = { bad_request: 422, not_found: 404, timeout: 504, busy: 503, too_large: 502, failed: 502 };
      for (const [code, status] of Object.entries(expected)) {
        const reply = await ask(satellite.id, { parameters: { code } });
        assert.equal(reply.status, status, code);
        assert.match(reply.text, new RegExp(`no: ${code}`));
      }
    });

    it('time out when the satellite is silent, which is told to stop', async () => {
      const satellite = await connect({ name: 'silent', onRequest: () => undefined });
      const { status, json } = await ask(satellite.id, { timeout_seconds: 1 });
      assert.equal(status, 504);
      assert.equal(json.code, 'satellite_timeout');
      const cancelled = () => satellite.received.some(({ type }) => type === 'cancel');
      await new Promise<void>((resolve) => {
        if (cancelled()) resolve();
        satellite.socket.on('message', () => cancelled() && resolve());
      });
    });

    it('find the satellite by what it has, unless several have it', async () => {
      const others = open.splice(0);
      for (const each of others) each.cut();
      for (const each of new Set(others.map(({ id }) => id))) await api.untilStatus(each, 'offline');
      const only = await connect({ name: 'only', onRequest: ({ id }, { answer }) => answer(id, 'only') });
      const body = { satellite_id: null };
      assert.equal((await ask('', body)).json.result, 'only');
      await connect({ name: 'another', onRequest: ({ id }, { answer }) => answer(id, 'another') });
      const ambiguous = await ask('', body);
      assert.equal(ambiguous.status, 409);
      assert.match(ambiguous.json.detail, /another, only/);
      assert.equal((await ask(only.id)).json.result, 'only');
      const none = await ask('', { ...body, connector: 'loki' });
      assert.equal(none.status, 404);
    });

    it('call tools; those that may act need the scope for it', async () => {
      const satellite = await connect({
        name: 'tools',
        onRequest: (request, { answer }) =>
          answer(request.id, { content: [{ type: 'text', text: 'done' }], isError: false, target: request.target }),
      });
      const call = (tool: string, key?: string) =>
        api.call(
          'POST',
          '/satellite/query/mcp',
          { team_id: api.team.id, satellite_id: satellite.id, server: 'runbooks', tool, arguments: { a: 1 } },
          { node: 1, key },
        );
      const { json } = await call('search');
      assert.deepEqual(json.result.target, { kind: 'mcp', server: 'runbooks', tool: 'search', arguments: { a: 1 } });
      const made = await api.call('POST', '/api/api-keys', { name: 'reader', scopes: ['satellites:query'] });
      const key = String(made.json.api_key);
      assert.equal((await call('search', key)).status, 200);
      for (const tool of ['restart', 'unheard-of']) {
        const refused = await call(tool, key);
        assert.equal(refused.status, 403);
        assert.equal(refused.json.code, 'insufficient_scope');
      }
      assert.equal((await call('restart')).status, 200);
    });
  });
}
