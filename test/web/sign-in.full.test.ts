import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { startTestProvider } from '../features/identity/identity-provider.ts';
import { startBalancer } from '../support/balancer.ts';
import { assertPresentable, sharedWeb, startWeb, type Web } from '../support/web/index.ts';

/** Browsers say of every answer of this kind that it failed. */
const UNAUTHORIZED = [/status of 401/];

describe('signing in', () => {
  let web: Web;
  before(async () => {
    web = await sharedWeb();
  });

  const heading = (page: Page, name: string): Promise<void> => page.getByRole('heading', { level: 1, name }).waitFor();
  const enter = async (page: Page, apiKey: string): Promise<void> => {
    await page.getByLabel('API key').fill(apiKey);
    await page.keyboard.press('Enter');
  };
  const linkTo = async (path: string): Promise<{ token: string; address: string }> => {
    const { token } = await web.call<{ token: string }>('POST', '/api/sign-in-links', { path });
    return { token, address: `${path}#link=${token}` };
  };
  const keyWith = async (...scopes: string[]): Promise<string> =>
    (await web.call<{ api_key: string }>('POST', '/api/api-keys', { name: 'Narrow', scopes })).api_key;

  it('takes an API key, and continues to the requested page', async () => {
    const { page, context, end } = await web.visit('/team?tab=sessions', { as: null, expected: UNAUTHORIZED });
    await heading(page, 'Sign in to Casebook');
    assert.equal(await page.title(), 'Sign in · Casebook');
    await enter(page, 'cb_live_wrong');
    await page.getByText('This API key is invalid.').waitFor();
    await page.waitForFunction(() => document.activeElement?.tagName === 'INPUT');
    await assertPresentable(page, 'sign-in-refused');
    await enter(page, ` ${web.apiKey} `);
    await page.waitForURL('**/team?tab=sessions');
    await page.getByText('This browser').waitFor();
    const [cookie] = await context.cookies();
    assert.deepEqual([cookie?.httpOnly, cookie?.sameSite], [true, 'Lax']);
    const stored = await page.evaluate(() => JSON.stringify([localStorage, sessionStorage, document.cookie]));
    assert.ok(!stored.includes(web.apiKey) && !stored.includes(cookie!.value));
    await end();
  });

  it('takes a one-time link once, and leaves no trace of it in addresses', async () => {
    const { token, address } = await linkTo('/team?tab=sessions');
    const requested: string[] = [];
    const first = await web.visit('/healthz', { as: null, expected: UNAUTHORIZED });
    first.page.on('request', (request) => requested.push(request.url()));
    await first.page.goto(address);
    await first.page.getByText('This browser').waitFor();
    assert.equal(first.page.url(), `${web.url}/team?tab=sessions`);
    assert.deepEqual(
      requested.filter((url) => url.includes(token) && !url.includes('#')),
      [],
    );
    await first.page.goBack();
    await first.page.goForward();
    await first.page.getByText('This browser').waitFor();
    assert.equal(first.page.url(), `${web.url}/team?tab=sessions`);
    await first.end();

    const second = await web.visit(address, { as: null, expected: UNAUTHORIZED });
    await second.page.getByRole('alert').getByText('has been used').waitFor();
    assert.ok(!second.page.url().includes(token));
    await assertPresentable(second.page, 'sign-in-used-link');
    await enter(second.page, web.apiKey);
    await second.page.waitForURL('**/team?tab=sessions');
    await second.end();
  });

  it('does not use up a link when this browser is signed in already, or the API does not answer', async () => {
    const { token, address } = await linkTo('/team');
    const signedIn = await web.visit(address);
    await signedIn.page.getByRole('tab', { name: 'Members' }).waitFor();
    assert.ok(!signedIn.page.url().includes(token));
    await signedIn.end();

    const { page, context, end } = await web.visit('/healthz', {
      as: null,
      expected: [/status of 401/, /net::ERR_FAILED/],
    });
    await context.route('**/api/session', (route) =>
      route.request().method() === 'POST' ? route.abort() : route.continue(),
    );
    await page.goto(address);
    await page.getByRole('alert').getByText('it is still valid').waitFor();
    await context.unroute('**/api/session');
    await page.goto(address);
    await page.getByRole('tab', { name: 'Members' }).waitFor();
    await end();
  });

  it('goes nowhere but to pages of its own', async () => {
    const elsewhere = [
      '//evil.example',
      '/\\evil.example',
      'https://evil.example',
      'javascript:alert(1)',
      '/\t/evil.example',
    ];
    const { page, end } = await web.visit('/');
    await page.goto(`/sign-in?to=${encodeURIComponent('/team?tab=sessions')}`);
    await page.waitForURL('**/team?tab=sessions');
    for (const to of elsewhere) {
      await page.goto(`/sign-in?to=${encodeURIComponent(to)}`);
      await heading(page, 'Home');
      assert.equal(page.url(), `${web.url}/`, to);
    }
    await end();
  });

  it('signs out: nothing of it is left, also not by going back', async () => {
    const { page, context, end } = await web.visit('/', { expected: UNAUTHORIZED });
    await page.getByLabel('What is wrong?').fill('Only I know what I wanted to ask.');
    await page.getByRole('link', { name: 'Team', exact: true }).click();
    await page.getByRole('tab', { name: 'Members' }).waitFor();
    const [cookie] = await context.cookies();
    await page.getByRole('button', { name: /^Account/ }).press('Enter');
    await page.getByRole('menuitem', { name: 'Sign out' }).press('Enter');
    await heading(page, 'Sign in to Casebook');
    assert.deepEqual(await context.cookies(), []);
    assert.ok(!(await page.evaluate(() => JSON.stringify(sessionStorage))).includes('Only I know'));
    await page.goBack();
    await page.goForward();
    await heading(page, 'Sign in to Casebook');
    const headers = { cookie: `${cookie!.name}=${cookie!.value}` };
    assert.equal((await fetch(`${web.url}/api/session`, { headers })).status, 401);
    await end();
  });

  it('asks to sign in again when the session was ended elsewhere, and returns to the page', async () => {
    const { page, context, end } = await web.visit('/', { expected: UNAUTHORIZED });
    await heading(page, 'Home');
    const { id } = await (await context.request.get('/api/session')).json();
    await web.call('DELETE', `/api/sessions/${id}`);
    await page.getByRole('link', { name: 'Satellites', exact: true }).press('Enter');
    await heading(page, 'Sign in to Casebook');
    await enter(page, web.apiKey);
    await page.waitForURL('**/satellites');
    await heading(page, 'Satellites');
    await end();
  });

  it('shows somebody with few rights their places, and nothing that would be refused', async () => {
    const { page, end } = await web.visit('/', { as: await keyWith('satellites:read', 'team:read') });
    await heading(page, 'Home');
    const places = page.getByRole('navigation', { name: 'Main navigation' }).getByRole('link');
    assert.deepEqual(
      await places.allTextContents(),
      ['Home', 'Satellites', 'Team'].map((place) => ` ${place}`),
    );
    assert.equal(await page.getByRole('link', { name: 'New investigation' }).count(), 0);
    await page.getByRole('link', { name: 'Satellites', exact: true }).press('Enter');
    await page.getByText('No tokens yet.').waitFor();
    assert.equal(await page.getByLabel('Token name').count(), 0);
    // Nothing but the places is searched.
    await page.keyboard.press('Control+k');
    await page.keyboard.type('sat');
    await page.getByRole('option', { name: /Satellites/ }).waitFor();
    await page.keyboard.press('Escape');
    // This key leads nowhere.
    await page.keyboard.press('n');
    await page.getByRole('link', { name: 'Team', exact: true }).press('Enter');
    await page.getByRole('region', { name: 'Members' }).waitFor();
    assert.deepEqual(await page.getByRole('tab').allTextContents(), ['Members', 'Sessions']);
    assert.deepEqual(await page.getByRole('main').getByRole('button').allTextContents(), []);
    await end();

    const reader = await web.visit('/investigations', { as: await keyWith('investigations:read') });
    await heading(reader.page, 'Investigations');
    await reader.page.getByRole('searchbox').waitFor();
    assert.equal(await reader.page.getByLabel('What is wrong?').count(), 0);
    await reader.end();
  });
});

describe('signing in through an identity provider', () => {
  it('goes there and returns signed in as the member; a stranger learns why not', async () => {
    const behind: string[] = [];
    const app = await startBalancer(behind);
    const provider = await startTestProvider({ redirectUri: `${app.url}/api/sign-in/oidc/callback` });
    const web = await startWeb({
      env: {
        CASEBOOK_APP_URL: app.url,
        CASEBOOK_OIDC_ISSUER: provider.issuer,
        CASEBOOK_OIDC_CLIENT_ID: provider.clientId,
        CASEBOOK_OIDC_CLIENT_SECRET: provider.clientSecret,
        CASEBOOK_OIDC_NAME: 'Example ID',
      },
    });
    try {
      behind.push(web.url);
      const email = `${randomUUID()}@example.org`;
      await web.call('POST', '/api/team/members', { name: 'Grace Hopper', email, role: 'member' });
      const { page, end } = await web.visit(`${app.url}/team?tab=sessions`, { as: null, expected: UNAUTHORIZED });
      const go = page.getByRole('link', { name: 'Continue with Example ID' });

      provider.account = { email: 'stranger@example.org', email_verified: true };
      await go.click();
      await page.getByRole('alert').getByText('not a member of any team here').waitFor();
      await assertPresentable(page, 'sign-in-stranger');

      // The provider remembers who was there: this is another person at another browser.
      await page.context().clearCookies();
      provider.account = { email, email_verified: true };
      await page.goto(`${app.url}/team?tab=sessions`);
      await go.press('Enter');
      await page.waitForURL(`${app.url}/team?tab=sessions`);
      await page.getByText('This browser').waitFor();
      const account = page.getByRole('button', { name: 'Account: Grace Hopper' });
      await account.waitFor();

      // She is taken into another team, and goes over to it.
      const { apiKey } = await web.newTeam('Payments');
      await web.call('POST', '/api/v1/investigate', { query: 'Of the first team' });
      await web.call('POST', '/api/team/members', { name: 'Grace Hopper', email, role: 'member' }, apiKey);
      await page.reload();
      await account.press('Enter');
      await page.getByRole('menuitem', { name: 'Switch to Payments' }).press('Enter');
      await page.waitForURL(`${app.url}/`);
      await page.getByRole('button', { name: 'Account: Grace Hopper Payments' }).waitFor();
      await page.getByRole('link', { name: 'Team', exact: true }).press('Enter');
      await page.getByRole('region', { name: 'Members' }).getByText('Ada').waitFor();

      // From the page on which she would be anyway, nothing of the team that is left stays.
      await page.getByRole('link', { name: 'Investigations', exact: true }).press('Enter');
      await page.getByRole('heading', { name: 'Investigations' }).waitFor();
      await account.press('Enter');
      await page.getByRole('menuitem', { name: 'Switch to Default' }).press('Enter');
      await page.getByRole('button', { name: 'Account: Grace Hopper Default' }).waitFor();
      await page.getByText('Of the first team', { exact: true }).waitFor();
      await end();
    } finally {
      await Promise.all([web.stop(), provider.stop(), app.stop()]);
    }
  });
});
