/** Where a team may have Casebook connect to: no form of an address leads into the operator's own network. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { clickhouse, postgresql } from '@casebook/connectors';
import { createOutbound, type Outbound } from '../../../src/platform/outbound/index.ts';
import { ask, connectorOf } from '../../satellite/stores/support.ts';
import { addressOf } from '../../support/address.ts';
import { startApiOverRows, type ApiOverRows } from '../../support/api-over-rows.ts';

type Network = Outbound['network'];

const HOSTS = `10.0.0.1 172.16.0.1 192.168.1.1 100.64.0.1 127.0.0.2 0.0.0.0 169.254.169.254
  ::1 :: fd00::1 fe80::1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 64:ff9b::a00:1`.split(/\s+/u);
/** In other words, though 127.0.0.1 itself is allowed here. */
const DISGUISED = '2130706433 0x7f000001 0x7f.1 0177.0.0.1 127.1 0 127.0.0.1.'.split(' ');
const SPLICED =
  `/var/run/postgresql @abstract 127.0.0.1,10.0.0.1 127.0.0.1?host=/tmp 127.0.0.1/x 127.0.0.1# u:p@127.0.0.1
  [::1] 127.0.0.1%00 127.0.0.1:5432 x\\y`.split(/\s+/u);
const URLS = `https://10.0.0.1:8443 https://169.254.169.254/latest https://[::1]:8443 https://[::ffff:10.0.0.1]
  https://[::ffff:7f00:2] https://167772161 https://0xa.1 https://0 https://10.1 http://example.com
  https://u:p@example.com https://127.0.0.1?host=10.0.0.1 ftp://127.0.0.1`.split(/\s+/u);

describe('places of databases', () => {
  let api: ApiOverRows;
  let web: Server;
  before(async () => {
    api = await startApiOverRows({ CASEBOOK_OUTBOUND_ALLOW: '127.0.0.1' });
    const body = JSON.stringify({ meta: [{ name: 'version', type: 'String' }], data: [['24.8', 'u', 'default', 1]] });
    web = createServer((_request, response) => response.end(body)).listen(0, '127.0.0.1');
    await once(web, 'listening');
  });
  after(async () => {
    web?.close();
    await api?.stop();
  });

  /** That create, test and change all refuse the place by this field, and leave everything as it is. */
  async function refuses(family: string, good: object, places: readonly object[], field: string): Promise<void> {
    const path = `/api/onboarding/${family}`;
    const { status, body: made } = await api.request('POST', `${path}/integrations`, { name: family, ...good });
    assert.equal(status, 200, JSON.stringify(made));
    const before = (await api.get('/api/integrations')).body;
    for (const place of places) {
      const of = { ...good, ...place };
      const what = JSON.stringify(place);
      for (const [method, to, sent] of [
        ['POST', `${path}/integrations`, { name: 'elsewhere', ...of }],
        ['PUT', `${path}/integrations/${made.id}`, place],
      ] as const) {
        const { status: answered, body } = await api.request(method, to, sent);
        assert.deepEqual(
          [answered, body.detail?.[0]?.loc?.at(-1)],
          [422, field],
          `${method} ${what} ${JSON.stringify(body)}`,
        );
      }
      const { status: tried, body: tested } = await api.request('POST', `${path}/test`, of);
      const named = tried === 422 ? tested.detail[0].loc.at(-1) : tested.field;
      assert.deepEqual([named, tested.success ?? false], [field, false], `test ${what} ${JSON.stringify(tested)}`);
    }
    assert.deepEqual((await api.get('/api/integrations')).body, before);
  }

  it('PostgreSQL: hosts', async () => {
    const { hostname: host, port, pathname, username, password } = new URL(api.database.url);
    const credential = { username: decodeURIComponent(username), password: decodeURIComponent(password) };
    const good = { host, port: Number(port), database: pathname.slice(1), ...credential, ssl_mode: 'disable' };
    await refuses(
      'sql-db',
      good,
      [...HOSTS, ...DISGUISED, ...SPLICED].map((at) => ({ host: at })),
      'host',
    );
  });

  it('ClickHouse: urls', async () => {
    const good = { url: `http://127.0.0.1:${addressOf(web).port}`, username: 'u', password: 'p' };
    await refuses(
      'analytics-db',
      good,
      URLS.map((url) => ({ url })),
      'url',
    );
  });

  for (const [kind, of] of Object.entries({
    PostgreSQL: (host: string, network: Network) =>
      connectorOf(postgresql, { host, database: 'd', user: 'u', password: 'p', ssl_mode: 'require' }, { network }),
    ClickHouse: (host: string, network: Network) => connectorOf(clickhouse, { host }, { network }),
  }))
    it(`${kind}: names that lead there`, async () => {
      const answers: Record<string, string[]> = {
        'private.example': ['10.0.0.7'],
        'mixed.example': ['93.184.216.34', '127.0.0.1'],
        'mapped.example': ['::ffff:169.254.169.254'],
        localhost: ['127.0.0.1'],
      };
      const { network } = createOutbound({
        allow: [],
        resolve: async (host) =>
          (answers[host] ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      });
      for (const host of Object.keys(answers)) {
        const connector = of(host, network);
        const { status, field, message } = await ask(connector, 'test_connection');
        assert.deepEqual([status, field], ['refused', 'host'], message);
        assert.match(message, /not public/u);
        await connector.close();
      }
    });
});
