/** Databases behind TLS: what does not verify is not connected, and the setting at fault is named. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chown, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import pg from 'pg';
import { postgresql } from '@casebook/connectors';
import { freePort } from '../../../src/embedded/free-port.ts';
import { startPostgres } from '../../../src/embedded/postgres.ts';
import { ask, connectorOf, refused } from '../../satellite/stores/support.ts';
import { addressOf } from '../../support/address.ts';
import { startApiOverRows, type ApiOverRows } from '../../support/api-over-rows.ts';
import { createAuthority, type Authority } from '../../support/tls.ts';
import { waitUntil } from '../../support/wait-until.ts';

const GARBAGE = '-----BEGIN CERTIFICATE-----\nbm90IGEgY2VydGlmaWNhdGU=\n-----END CERTIFICATE-----\n';

describe('databases behind TLS', () => {
  let api: ApiOverRows;
  let authority: Authority;
  let other: Authority;
  let names = 0;

  before(async () => {
    [api, authority, other] = await Promise.all([
      startApiOverRows({ CASEBOOK_OUTBOUND_ALLOW: '127.0.0.1,localhost' }),
      createAuthority(),
      createAuthority(),
    ]);
  });
  after(() => api?.stop());

  const stored = async (): Promise<number> => (await api.get('/api/integrations')).body.integrations.length;

  /** That these settings give this status; a refusal names the field, and stores nothing. */
  async function expect(family: string, settings: object, result: 200 | string): Promise<void> {
    const before = await stored();
    const path = `/api/onboarding/${family}`;
    const { status, body } = await api.request('POST', `${path}/integrations`, {
      name: `tls ${(names += 1)}`,
      ...settings,
    });
    const seen = status === 200 ? status : body.detail?.[0]?.loc?.at(-1);
    assert.equal(seen, result, JSON.stringify([settings, body]));
    assert.equal(await stored(), before + (result === 200 ? 1 : 0));
    const { body: tested } = await api.request('POST', `${path}/test`, settings);
    assert.deepEqual([tested.success, tested.field], [result === 200, result === 200 ? null : result]);
  }

  describe('PostgreSQL', () => {
    let server: Awaited<ReturnType<typeof startPostgres>>;
    let home: string;
    let admin: pg.Client;
    let settings: Record<string, unknown>;

    before(async () => {
      home = await mkdtemp(join(tmpdir(), 'casebook-tls-'));
      server = await startPostgres({ home, port: await freePort(), settings: { fsync: 'off' } });
      admin = new pg.Client({ connectionString: server.adminUrl });
      await admin.connect();
      await admin.query(`create role reader login password 'reads'; grant pg_read_all_data, pg_monitor to reader`);
      const { port, pathname } = new URL(server.adminUrl);
      settings = {
        host: '127.0.0.1',
        port: Number(port),
        database: pathname.slice(1),
        username: 'reader',
        password: 'reads',
      };
    });
    after(async () => {
      await admin?.end();
      await server?.stop();
      await rm(home, { recursive: true, force: true });
    });

    /** Has the server show this certificate from now on. */
    async function show({ key, cert }: { key: string; cert: string }): Promise<void> {
      const data = join(home, 'postgres');
      const { uid, gid } = await stat(data);
      for (const [name, text] of Object.entries({ 'server.key': key, 'server.crt': cert })) {
        await writeFile(join(data, name), text, { mode: 0o600 });
        await chown(join(data, name), uid, gid);
      }
      await admin.query('alter system set ssl = on');
      await admin.query('select pg_reload_conf()');
      await waitUntil(async () => ((await shown()) === cert.trim() ? true : undefined), {
        what: 'the new certificate',
        intervalMs: 10,
      });
    }
    async function shown(): Promise<string | undefined> {
      const client = new pg.Client({ connectionString: server.adminUrl, ssl: { rejectUnauthorized: false } });
      try {
        await client.connect();
        const { stream } = client.connection;
        return stream instanceof TLSSocket ? stream.getPeerX509Certificate()?.toString().trim() : undefined;
      } catch {
        return undefined;
      } finally {
        await client.end().catch(() => undefined);
      }
    }

    it('verifies as much as ssl_mode says', async () => {
      await show(await authority.issue('IP:127.0.0.1'));
      const [ours, theirs] = [{ ca_certificate: authority.cert }, { ca_certificate: other.cert }];
      const cases: [object, 200 | string][] = [
        [{ ssl_mode: 'disable' }, 200],
        [{ ssl_mode: 'prefer' }, 200],
        [{ ssl_mode: 'require' }, 200],
        [{ ssl_mode: 'require', ...ours }, 200],
        [{ ssl_mode: 'require', ...theirs }, 'ca_certificate'],
        [{ ssl_mode: 'verify-ca' }, 'ssl_mode'],
        [{ ssl_mode: 'verify-ca', ...ours, host: 'localhost' }, 200],
        [{ ssl_mode: 'verify-ca', ...theirs }, 'ca_certificate'],
        [{ ssl_mode: 'verify-ca', ca_certificate: GARBAGE }, 'ca_certificate'],
        [{ ssl_mode: 'verify-full' }, 'ssl_mode'],
        [{ ssl_mode: 'verify-full', ...ours }, 200],
        [{ ssl_mode: 'verify-full', ...ours, host: 'localhost' }, 'ssl_mode'],
        [{ ssl_mode: 'verify-full', ...theirs }, 'ca_certificate'],
      ];
      for (const [change, result] of cases) await expect('sql-db', { ...settings, ...change }, result);
    });

    it('takes no certificate for an address that is for localhost', async () => {
      await show(await authority.issue('DNS:localhost'));
      const full = { ...settings, ssl_mode: 'verify-full', ca_certificate: authority.cert };
      await expect('sql-db', full, 'ssl_mode');
      await expect('sql-db', { ...full, host: 'localhost' }, 200);
    });

    it('takes no certificate that has expired', async () => {
      await show(await authority.issue('IP:127.0.0.1', -1));
      const ca = { ca_certificate: authority.cert };
      await expect('sql-db', { ...settings, ssl_mode: 'require' }, 200);
      await expect('sql-db', { ...settings, ssl_mode: 'verify-ca', ...ca }, 'ca_certificate');
      await expect('sql-db', { ...settings, ssl_mode: 'verify-full', ...ca }, 'ca_certificate');
    });

    it('bounds bytes and cancels through TLS as without', async () => {
      const { username: user, ...rest } = settings;
      const connector = connectorOf(postgresql, { ...rest, user, ssl_mode: 'require' });
      try {
        const encrypted = 'select ssl from pg_stat_ssl where pid = pg_backend_pid()';
        assert.deepEqual((await ask(connector, 'query', { sql: encrypted })).rows, [[true]]);
        const sql = `select repeat('x', 1000), 'mark-tls' from generate_series(1, 10000000)`;
        await refused(ask(connector, 'query', { sql, max_rows: 10_000 }, { maxBytes: 200_000 }), 'too_large', /200000/);
        await waitUntil(
          async () => {
            const active = `select 1 from pg_stat_activity where state = 'active' and query like '%mark-tls%' and pid <> pg_backend_pid()`;
            return (await admin.query(active)).rows.length === 0 || undefined;
          },
          { what: 'the end of the statement', intervalMs: 10 },
        );
      } finally {
        await connector.close();
      }
    });
  });

  describe('ClickHouse', () => {
    const servers: Server[] = [];
    after(() => {
      for (const server of servers) server.close();
    });

    /** Answers each statement as ClickHouse does the test of a connection. */
    async function start(certificate: { key: string; cert: string }): Promise<number> {
      const body = JSON.stringify({
        meta: [{ name: 'version', type: 'String' }],
        data: [['24.8', 'reader', 'default', 1]],
      });
      const server = createServer(certificate, (_request, response) => response.end(body)).listen(0, '127.0.0.1');
      await once(server, 'listening');
      servers.push(server);
      return addressOf(server).port;
    }

    it('is connected only if its certificate verifies', async () => {
      const [good, expired] = await Promise.all(
        [1, -1].map(async (days) => start(await authority.issue('IP:127.0.0.1', days))),
      );
      const place = { host: '127.0.0.1', port: good, username: 'reader', password: 'reads' };
      const ca = { ca_certificate: authority.cert };
      await expect('analytics-db', { ...place, ...ca }, 200);
      await expect('analytics-db', place, 'secure');
      await expect('analytics-db', { ...place, ca_certificate: other.cert }, 'ca_certificate');
      await expect('analytics-db', { ...place, ca_certificate: GARBAGE }, 'ca_certificate');
      await expect('analytics-db', { ...place, ...ca, host: 'localhost' }, 'host');
      await expect('analytics-db', { ...place, ...ca, port: expired }, 'ca_certificate');
      const url = { url: `https://127.0.0.1:${good}`, username: 'reader', password: 'reads' };
      await expect('analytics-db', { ...url, ...ca }, 200);
      await expect('analytics-db', url, 'ca_certificate');
    });
  });
});
