import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { assertAccessible, assertFits, PHONE, sharedWeb, untilFocused, type Web } from '../support/web/index.ts';

describe('the frame of the web app', () => {
  let web: Web;
  before(async () => {
    web = await sharedWeb();
  });

  /** Both keys at once: the second counts for only a second after the first. */
  const go = async (page: Page, key: string): Promise<void> => {
    await Promise.all([page.keyboard.press('g'), page.keyboard.press(key)]);
  };

  it('goes to every place by keys, and says which keys there are', async () => {
    const { page, end } = await web.visit('/');
    await page.getByRole('heading', { level: 1 }).waitFor();
    for (const [key, path] of [
      ['c', '/chats'],
      ['m', '/monitoring'],
      ['f', '/findings'],
      ['s', '/satellites'],
      ['t', '/team'],
      ['i', '/investigations'],
      ['h', '/'],
    ] as const) {
      await go(page, key);
      await page.waitForURL((url) => url.pathname === path);
      await page.getByRole('heading', { level: 1 }).waitFor();
    }
    await page.keyboard.press('?');
    const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await keys.waitFor();
    await assertAccessible(page);
    await page.keyboard.press('Escape');
    await keys.waitFor({ state: 'hidden' });
    await end();
  });

  it('lets whoever does not want single keys turn them off', async () => {
    const { page, end } = await web.visit('/');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('?');
    const wanted = page.getByLabel('Enable shortcuts in this browser');
    await wanted.uncheck();
    await page.keyboard.press('Escape');
    await page.reload();
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('t');
    await page.keyboard.press('?');
    await page.getByRole('button', { name: /^Account/ }).press('Enter');
    await page.getByRole('menuitem', { name: 'Keyboard shortcuts' }).press('Enter');
    assert.equal(new URL(page.url()).pathname, '/');
    await wanted.check();
    await page.keyboard.press('Escape');
    await wanted.waitFor({ state: 'hidden' });
    await go(page, 't');
    await page.waitForURL('**/team');
    await end();
  });

  it('recovers when another tab has signed in again: a refused request works the next time', async () => {
    const { page, context, end } = await web.visit('/monitoring', { expected: [/status of 40[13]/] });
    await page.getByLabel('What should the agent watch?').fill('Watch the till.');
    const { status } = await page.evaluate(
      async (key) =>
        fetch('/api/session', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ api_key: key }),
        }).then((answer) => ({ status: answer.status })),
      web.apiKey,
    );
    assert.equal(status, 200);
    const known = page.waitForResponse((answer) => answer.url().endsWith('/api/session'));
    await page.getByRole('button', { name: 'Create agent' }).click();
    assert.equal((await known).status(), 200);
    await page.getByRole('button', { name: 'Create agent' }).click();
    await page.waitForURL(/\/monitoring\/[0-9a-f-]{36}$/);
    assert.equal(await page.evaluate(() => sessionStorage.length), 0, 'what was sent is no draft any more');
    await context.clearCookies();
    await page.waitForURL(/\/sign-in/);
    await end();
  });

  it('lets the keyboard skip the places', async () => {
    const { page, end } = await web.visit('/');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.activeElement?.id === 'main');
    await end();
  });

  it('keeps the theme that was chosen, and follows the system otherwise', async () => {
    const { page, end } = await web.visit('/', { theme: 'dark' });
    const untilTheme = async (wanted: string): Promise<void> => {
      await page.waitForFunction((theme) => document.documentElement.dataset['theme'] === theme, wanted);
    };
    await page.getByRole('heading', { level: 1 }).waitFor();
    await untilTheme('dark');
    await page.getByRole('button', { name: /^Account/ }).click();
    await page.getByRole('menuitem', { name: 'Light' }).click();
    await untilTheme('light');
    await page.reload();
    await untilTheme('light');
    await end();
  });

  it('shows the places on a phone in a menu, and nothing scrolls sideways', async () => {
    const { page, end } = await web.visit('/', { viewport: PHONE });
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('menuitem', { name: 'Team' }).click();
    await page.waitForURL('**/team');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await assertFits(page);
    await end();
  });

  it('gives the focus back when a dialog closes', async () => {
    const { page, end } = await web.visit('/team');
    const rename = page.getByRole('button', { name: 'Rename' });
    await rename.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await untilFocused(rename);
    await end();
  });

  it('recovers without a click when the API is back, also after minutes', async () => {
    const { page, context, end } = await web.visit('/team', {
      expected: [/net::ERR_FAILED/, /Casebook is unreachable/],
    });
    await page.getByRole('region', { name: 'Members' }).waitFor();
    await page.clock.install();
    const unreachable = page.getByRole('alert').getByText('Casebook is unreachable. Retrying automatically.');
    /** Lets time pass until it is shown. */
    const pass = async (shown: Locator): Promise<void> => {
      while (!(await shown.isVisible())) await page.clock.fastForward(1_000);
    };
    const outage = async (begin: () => Promise<unknown>): Promise<void> => {
      await context.route('**/api/**', (route) => route.abort());
      await begin();
      for (let minute = 0; minute < 3; minute += 1) {
        await pass(unreachable);
        await page.clock.fastForward('01:00');
      }
      await pass(unreachable);
      await context.unroute('**/api/**');
    };
    // A page of which nothing is known yet, which does not poll.
    await outage(() => page.getByRole('tab', { name: 'API keys' }).click());
    const keys = page.getByRole('region', { name: 'API keys' });
    await pass(keys);
    // Not even who is signed in is known.
    await outage(() => page.reload());
    await pass(keys);
    await end();
  });

  it('says what does not exist, within the frame, and leads out', async () => {
    const id = '00000000-0000-4000-8000-000000000000';
    const { page, end } = await web.visit('/investigations/of/nobody', { expected: [/status of 4(?:04|22)/] });
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    for (const [path, title, list, to] of [
      [`/investigation/${id}`, 'Investigation', 'All investigations', '/investigations'],
      [`/chat/${id}`, 'Chat', 'All chats', '/chats'],
      [`/finding/${id}`, 'Finding', 'All findings', '/findings'],
      [`/monitoring/${id}`, 'Agent', 'All agents', '/monitoring'],
      [`/satellites/${id}`, 'Satellite', 'All satellites', '/satellites'],
      ['/chat/no-id', 'Chat', 'All chats', '/chats'],
    ] as const) {
      await page.goto(path);
      await page.getByRole('heading', { name: `${title} not found` }).waitFor();
      await page.getByRole('navigation', { name: 'Main navigation' }).waitFor();
      assert.equal(await page.title(), `${title} not found · Casebook`);
      await page.getByRole('main').getByRole('link', { name: list }).press('Enter');
      await page.waitForURL((url) => url.pathname === to);
    }
    await page.goto('/nowhere');
    await page.getByRole('navigation', { name: 'Main navigation' }).waitFor();
    await assertAccessible(page);
    await page.getByRole('main').getByRole('link', { name: 'Home' }).press('Enter');
    await page.waitForURL((url) => url.pathname === '/');
    await end();
  });
});
