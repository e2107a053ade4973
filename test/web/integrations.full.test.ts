import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from '../../src/embedded/free-port.ts';
import { startPostgres } from '../../src/embedded/postgres.ts';
import { assertPresentable, startWeb, type Web } from '../support/web/index.ts';

const SLOW = 'select count(*) from orders a join orders b on a.customer = b.customer';

describe('the page of integrations', () => {
  let web: Web;
  let home: string;
  let server: Awaited<ReturnType<typeof startPostgres>>;
  let port: number;

  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'casebook-orders-'));
    port = await freePort();
    const settings = { fsync: 'off', shared_preload_libraries: 'pg_stat_statements' };
    server = await startPostgres({ home, port, settings });
    const admin = new pg.Client({ connectionString: server.adminUrl });
    await admin.connect();
    await admin.query(`
      create extension pg_stat_statements;
      create table orders as select n as id, 'c' || n % 50 as customer from generate_series(1, 2000) n;
      create role reader login password 'open sesame';
      grant pg_read_all_data, pg_monitor to reader`);
    for (let times = 0; times < 3; times++) await admin.query(SLOW);
    await admin.end();
    web = await startWeb({ env: { CASEBOOK_OUTBOUND_ALLOW: '127.0.0.1' } });
  });
  after(async () => {
    await web?.stop();
    await server?.stop();
    await rm(home, { recursive: true, force: true });
  });

  it('connects a PostgreSQL through its form, and a keyless chat says which of its queries are slow, with citations', async () => {
    const { apiKey } = await web.newTeam();
    const { page, end } = await web.visit('/', { as: apiKey, expected: [/422/] });
    await page.getByRole('link', { name: 'Integrations' }).click();
    await page.getByRole('heading', { name: 'Connect a system' }).waitFor();
    await assertPresentable(page, 'integrations-empty');
    await page.getByRole('button', { name: 'Connect PostgreSQL' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Connect PostgreSQL' });
    const fill = (label: string, value: string) => dialog.getByLabel(label, { exact: true }).fill(value);
    await fill('Name', 'orders-db');
    await fill('Host', '127.0.0.1');
    await fill('Port', String(port));
    await fill('Database', new URL(server.adminUrl).pathname.slice(1));
    await fill('User', 'reader');
    await fill('Password', 'wrong');
    await dialog.getByRole('button', { name: 'Test and connect' }).press('Enter');
    await dialog.getByText(/password authentication failed/).waitFor();
    await assertPresentable(page, 'integrations-refused');
    await fill('Password', 'open sesame');
    await dialog.getByRole('button', { name: 'Test and connect' }).press('Enter');
    const row = page.getByRole('list', { name: 'Integrations' }).getByRole('listitem').filter({ hasText: 'orders-db' });
    await row.getByText('Connected', { exact: true }).waitFor();
    await assertPresentable(page, 'integrations');
    assert.ok(!(await page.content()).includes('open sesame'), 'the password is not shown again');

    const answer = await web.call<{ chat_id: string; response: string }>(
      'POST',
      '/api/v1/chat',
      { messages: [{ role: 'user', content: 'which queries are slow in orders-db?' }] },
      apiKey,
    );
    assert.match(answer.response, /from orders a join orders b.* \[1\]/);
    await page.goto(`/chat/${answer.chat_id}`);
    await page.getByText('from orders a join orders b').first().waitFor();
    await end();
  });

  it('turns an integration off and on, and removes it, by keys alone', async () => {
    const { apiKey } = await web.newTeam();
    const settings = { host: '127.0.0.1', port, database: 'postgres', username: 'reader', password: 'open sesame' };
    await web.call('POST', '/api/onboarding/sql-db/integrations', { name: 'short-lived', ...settings }, apiKey);
    const { page, end } = await web.visit('/integrations', { as: apiKey });
    const row = page.getByRole('list', { name: 'Integrations' }).getByRole('listitem');
    await row.getByRole('button', { name: 'Turn off short-lived' }).press('Enter');
    await row.getByText('Off', { exact: true }).waitFor();
    await row.getByRole('button', { name: 'Turn on short-lived' }).press('Enter');
    await row.getByText('Connected', { exact: true }).waitFor();
    await row.getByRole('button', { name: 'Test short-lived' }).press('Enter');
    await page
      .getByText(/Connected to the database postgres/)
      .first()
      .waitFor();
    await row.getByRole('button', { name: 'Remove short-lived' }).press('Enter');
    await page.getByRole('button', { name: 'Remove integration' }).press('Enter');
    await row.waitFor({ state: 'hidden' });
    await end();
  });
});
