import assert from 'node:assert/strict';
import { assertAccessible, PHONE, sharedWeb, type Web } from '../support/web/index.ts';

describe('the frame of the web app', function () {
  this.timeout(120_000);
  let web: Web;
  before(async () => {
    web = await sharedWeb();
  });

  it('goes to every place by keys, and says which keys there are', async () => {
    const { page, end } = await web.visit('/');
    await page.getByRole('heading', { level: 1 }).waitFor();
    for (const [key, path] of [
      ['c', '/chats'],
      ['m', '/monitoring'],
      ['f', '/findings'],
      ['s', '/satellites'],
      ['t', '/team'],
      ['i', '/'],
    ] as const) {
      await page.keyboard.press('g');
      await page.keyboard.press(key);
      await page.waitForURL((url) => url.pathname === path);
      await page.getByRole('heading', { level: 1 }).waitFor();
    }
    await page.keyboard.press('?');
    const keys = page.getByRole('dialog', { name: 'Keys' });
    await keys.waitFor();
    await assertAccessible(page);
    await page.keyboard.press('Escape');
    await keys.waitFor({ state: 'hidden' });
    await end();
  });

  it('lets the keyboard skip the places', async () => {
    const { page, end } = await web.visit('/');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    assert.equal(await page.evaluate(() => document.activeElement?.id), 'main');
    await end();
  });

  it('keeps the theme that was chosen, and follows the system otherwise', async () => {
    const { page, end } = await web.visit('/', { theme: 'dark' });
    const theme = (): Promise<string | undefined> => page.evaluate(() => document.documentElement.dataset['theme']);
    await page.getByRole('heading', { level: 1 }).waitFor();
    assert.equal(await theme(), 'dark');
    await page.getByRole('button', { name: /^Account/ }).click();
    await page.getByRole('menuitem', { name: 'Light' }).click();
    assert.equal(await theme(), 'light');
    await page.reload();
    assert.equal(await theme(), 'light');
    await end();
  });

  it('shows the places on a phone in a menu, and nothing scrolls sideways', async () => {
    const { page, end } = await web.visit('/', { viewport: PHONE });
    await page.getByRole('button', { name: 'Places' }).click();
    await page.getByRole('menuitem', { name: 'Team' }).click();
    await page.waitForURL('**/team');
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    assert.equal(overflow, 0);
    await end();
  });

  it('says so where there is no page', async () => {
    const { page, end } = await web.visit('/investigations/of/nobody');
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
    await page.getByRole('link', { name: 'To the investigations' }).click();
    await page.waitForURL((url) => url.pathname === '/');
    await end();
  });
});
