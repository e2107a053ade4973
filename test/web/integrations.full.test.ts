import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from '../../src/embedded/free-port.ts';
import { startPostgres } from '../../src/embedded/postgres.ts';
import { startHttpMcpServer, type HttpMcpServer } from '../mcp/http-server.ts';
import { startGoogleCloudServer, type GoogleCloudServer } from '../support/google-cloud-server.ts';
import { startNewRelicServer, type NewRelicServer } from '../support/newrelic-server.ts';
import { waitUntil } from '../support/wait-until.ts';
import { assertPresentable, startWeb, type Web } from '../support/web/index.ts';

const SLOW = 'select count(*) from orders a join orders b on a.customer = b.customer';

describe('the page of integrations', () => {
  let web: Web;
  let home: string;
  let server: Awaited<ReturnType<typeof startPostgres>>;
  let port: number;
  let newRelic: NewRelicServer;
  let google: GoogleCloudServer;
  let mcp: HttpMcpServer;

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
    [newRelic, google, mcp] = await Promise.all([
      startNewRelicServer(),
      startGoogleCloudServer(),
      startHttpMcpServer(),
    ]);
    web = await startWeb({
      env: {
        CASEBOOK_OUTBOUND_ALLOW: '127.0.0.1',
        NEW_RELIC_API_URL: newRelic.url,
        GOOGLE_OAUTH_URL: google.oauthUrl,
        GOOGLE_API_URL: google.apiUrl,
        GOOGLE_CLIENT_ID: google.oauth.client.clientId,
        GOOGLE_CLIENT_SECRET: google.oauth.client.clientSecret,
      },
    });
  });
  after(async () => {
    await web?.stop();
    await Promise.all([server?.stop(), newRelic?.stop(), google?.stop(), mcp?.close()]);
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
    await dialog.getByText(/password authentication failed/i).waitFor();
    await waitUntil(
      async () =>
        (await dialog.getByLabel('Password', { exact: true }).evaluate((one) => one === document.activeElement)) ||
        undefined,
      { what: 'the focus on the field at fault' },
    );
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

  it('turns an integration off and on, tests, edits and removes it, by keys alone', async () => {
    const { apiKey } = await web.newTeam();
    const settings = { host: '127.0.0.1', port, database: 'postgres', username: 'reader', password: 'open sesame' };
    await web.call('POST', '/api/onboarding/sql-db/integrations', { name: 'short-lived', ...settings }, apiKey);
    const { page, end } = await web.visit('/integrations', { as: apiKey, expected: [/422/] });
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
    await row.getByRole('button', { name: 'Edit short-lived' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Edit short-lived' });
    assert.equal(await dialog.getByLabel('Host', { exact: true }).inputValue(), '127.0.0.1');
    assert.equal(await dialog.getByLabel('Password', { exact: true }).inputValue(), '');
    await dialog.getByLabel('Database', { exact: true }).fill('missing');
    await dialog.getByRole('button', { name: 'Test and save' }).press('Enter');
    await dialog.getByText(/database "missing" does not exist/i).waitFor();
    await dialog.getByLabel('Database', { exact: true }).fill('template1');
    await dialog.getByRole('button', { name: 'Test and save' }).press('Enter');
    await row.getByText(`reader@127.0.0.1:${port}/template1`).waitFor();
    await row.getByText('Used by: short-lived').click();
    await row.getByText('Not used by any run or monitoring agent yet.').waitFor();
    await page.getByRole('button', { name: 'Choose a channel' }).press('Enter');
    await page.getByLabel('Type', { exact: true }).selectOption('webhook');
    await page.getByLabel('URL', { exact: true }).fill('https://hooks.example.com/casebook');
    await page.getByRole('button', { name: 'Save channel' }).press('Enter');
    await page.getByText('Signing secret, shown only once:').waitFor();
    await page.getByText(/the team is told through Signed webhook: .*hooks\.example\.com/).waitFor();
    await row.getByRole('button', { name: 'Remove short-lived' }).press('Enter');
    await page.getByRole('button', { name: 'Remove integration' }).press('Enter');
    await row.waitFor({ state: 'hidden' });
    await end();
  });

  it('resumes the second step of New Relic from the row, and tests and turns off what a team has once', async () => {
    newRelic.accounts = [
      { id: 1, name: 'Shop' },
      { id: 2, name: 'Sandbox' },
    ];
    const { apiKey } = await web.newTeam();
    const { page, end } = await web.visit('/integrations', { as: apiKey });
    await page.getByRole('button', { name: 'Connect New Relic' }).click();
    const dialog = page.getByRole('dialog', { name: 'Connect New Relic' });
    await dialog.getByRole('link', { name: 'New Relic: API keys' }).waitFor();
    await dialog.getByLabel('User key').fill(newRelic.apiKey);
    await dialog.getByRole('button', { name: 'Test and connect' }).click();
    const accounts = page.getByRole('dialog', { name: 'Choose an account' });
    await accounts.getByRole('button', { name: 'Cancel' }).click();
    const row = page.getByRole('list', { name: 'Integrations' }).getByRole('listitem');
    await row.getByRole('button', { name: 'Choose an account New Relic' }).click();
    await accounts.getByLabel('Account').selectOption({ label: 'Sandbox (2)' });
    await accounts.getByRole('button', { name: 'Use this account' }).click();
    await row.getByText('Connected', { exact: true }).waitFor();
    await row.getByText(/account Sandbox, region us/).waitFor();
    newRelic.next({ status: 403 });
    await row.getByRole('button', { name: 'Test New Relic' }).click();
    await row.getByText('Failing', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Home' }).click();
    await page.getByRole('link', { name: 'New Relic' }).click();
    await row.getByRole('button', { name: 'Turn off New Relic' }).click();
    await row.getByText('Off', { exact: true }).waitFor();
    await assertPresentable(page, 'integrations-new-relic');
    await end();
  });

  it('goes to Google and back', async () => {
    // The address of the app, which consent comes back to, has another host than the tests have.
    const app = web.url.replace('127.0.0.1', 'localhost');
    google.oauth.client.redirectUris.push(`${app}/integrations/callback`);
    const { apiKey } = await web.newTeam();
    const { page, context, end } = await web.visit('/sign-in', { as: null, expected: [/401/] });
    const session = { data: { api_key: apiKey }, headers: { origin: app } };
    assert.equal((await context.request.post(`${app}/api/session`, session)).status(), 200);
    await page.goto(`${app}/integrations`);
    await page.getByRole('button', { name: 'Connect Google Cloud, your account' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Tools').selectOption('cloud-b-official');
    await dialog.getByLabel('Project ID (optional)').fill(google.project);
    await dialog.getByRole('button', { name: 'Continue to Google' }).click();
    const row = page.getByRole('list', { name: 'Integrations' }).getByRole('listitem');
    await row.getByText(`project ${google.project}`).waitFor();
    await row.getByText("Casebook's own tools").waitFor();
    assert.equal(new URL(page.url()).search, '', 'neither code nor state stays in the address');
    await end();
  });

  it('lets a team decide about each tool of an MCP server', async () => {
    const { apiKey } = await web.newTeam();
    await web.call('POST', '/api/integrations/mcp', { name: 'tickets', url: mcp.url }, apiKey);
    const { page, end } = await web.visit('/integrations', { as: apiKey });
    const row = page.getByRole('list', { name: 'Integrations' }).getByRole('listitem');
    await row.getByText(/^\d+ tools$/).click();
    const decision = row.getByLabel('What echo may do');
    assert.equal(await decision.inputValue(), 'read');
    await decision.selectOption({ label: 'Asks first' });
    await waitUntil(
      async () => {
        const { integrations } = await web.call<{
          integrations: { tools: { name: string; read_only: boolean; allowed: boolean }[] }[];
        }>('GET', '/api/integrations', undefined, apiKey);
        const echo = integrations[0]?.tools.find(({ name }) => name === 'echo');
        return (echo?.allowed === true && !echo.read_only) || undefined;
      },
      { what: 'the decision about echo' },
    );
    await end();
  });

  it('leads a new team through connecting a source, asking a question and a monitoring agent', async () => {
    const { apiKey } = await web.newTeam();
    const { page, end } = await web.visit('/', { as: apiKey });
    const steps = page.getByRole('listitem').filter({ has: page.getByRole('img', { name: /^(Done|To do)$/ }) });
    const done = steps.filter({ has: page.getByRole('img', { name: 'Done' }) });
    await page.getByText('Ask a question').waitFor();
    assert.deepEqual(
      await done.allInnerTexts(),
      ['Connect a source'],
      'the recordings of the installation are sources',
    );
    await steps.getByRole('link', { name: 'Start a chat' }).click();
    await page.getByRole('textbox').first().waitFor();
    await web.call('POST', '/api/v1/chat', { messages: [{ role: 'user', content: 'What is connected?' }] }, apiKey);
    await page.goto('/');
    await done.filter({ hasText: 'Ask a question' }).waitFor();
    await end();
  });
});
