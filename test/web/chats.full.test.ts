import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { Page } from 'playwright-core';
import { assertAccessible, assertFits, PHONE, sharedWeb, type Web } from '../support/web/index.ts';

describe('the list of chats', () => {
  let web: Web;
  /** A word that only these chats have: the installation is shared. */
  const word = `w${randomBytes(6).toString('hex')}`;
  const ids: string[] = [];
  before(async () => {
    web = await sharedWeb();
    for (const name of ['alpha', 'bravo', 'charlie']) {
      const { chat_id: id } = await web.call<{ chat_id: string }>('POST', '/api/v1/chat', {
        messages: [{ role: 'user', content: `Which sources are there? This is ${name} and ${word}.` }],
      });
      await web.call('PATCH', `/api/chat/${id}/title`, { title: `The ${name} of <i>three</i>` });
      ids.push(id);
    }
  });

  const search = async (page: Page, words: string): Promise<void> => {
    await page.keyboard.press('/');
    await page.keyboard.type(words);
    await page.waitForURL((url) => url.searchParams.get('q') === words);
  };
  const titles = (page: Page): Promise<string[]> =>
    page.getByRole('list', { name: 'Chats' }).getByRole('link').allTextContents();

  it('is gone through by keys, to the chat and back', async () => {
    const { page, end } = await web.visit('/chats');
    await page.getByRole('link', { name: 'The charlie of <i>three</i>' }).waitFor();
    await assertAccessible(page);
    const focused = (): Promise<string | undefined> => page.evaluate(() => document.activeElement?.textContent);
    const shown = await titles(page);
    await page.keyboard.press('j');
    assert.equal(await focused(), shown[0]);
    await page.keyboard.press('j');
    await page.keyboard.press('ArrowDown');
    assert.equal(await focused(), shown[2]);
    await page.keyboard.press('k');
    assert.equal(await focused(), shown[1]);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: shown[1]! }).waitFor();
    await page.goBack();
    await page.getByRole('link', { name: shown[1]! }).waitFor();
    await end();
  });

  it('finds what was said, marks the words, and keeps the search in the address', async () => {
    const { page, end } = await web.visit('/chats');
    await page.getByRole('list', { name: 'Chats' }).waitFor();
    await search(page, `bravo ${word}`);
    await page.waitForFunction(() => document.querySelectorAll('li mark').length > 1);
    assert.deepEqual(await titles(page), ['The bravo of <i>three</i>']);
    const marked = await page.locator('li mark').allTextContents();
    assert.ok(marked.includes(word) && marked.includes('bravo'), marked.join());
    await assertAccessible(page);
    await page.reload();
    await page.getByRole('link', { name: 'The bravo of <i>three</i>' }).waitFor();
    assert.equal(await page.getByRole('searchbox').inputValue(), `bravo ${word}`);
    await page.getByLabel('Last message').selectOption('1h');
    await page.waitForURL(/since=1h/);
    await page.getByRole('link', { name: 'The bravo of <i>three</i>' }).waitFor();
    await page.getByRole('searchbox').fill(`nowhere${word}`);
    await page.getByText('No matching chats').waitFor();
    await end();
  });

  it('is paged, and can show only one’s own', async () => {
    const { page, end } = await web.visit('/chats?page=99');
    await page.getByText('This page is empty').waitFor();
    await page.goto('/chats');
    await page.getByRole('checkbox', { name: 'Only mine' }).check();
    await page.waitForURL((url) => url.searchParams.get('filter') === 'mine');
    await page.getByRole('link', { name: 'The charlie of <i>three</i>' }).waitFor();
    await end();
  });

  it('renames and deletes from the row, on a phone too', async () => {
    const { page, end } = await web.visit(`/chats?q=${word}`, { viewport: PHONE, theme: 'dark' });
    await page.getByRole('link', { name: 'The alpha of <i>three</i>' }).waitFor();
    await page.getByRole('button', { name: 'Actions for The alpha of <i>three</i>' }).click();
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    await page.getByRole('textbox', { name: 'Title' }).fill('Another name');
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('link', { name: 'Another name' }).waitFor();
    await assertAccessible(page);
    await assertFits(page);
    await page.getByRole('button', { name: 'Actions for Another name' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    const question = page.getByRole('alertdialog', { name: 'Delete this chat?' });
    await question.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Actions for Another name' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await question.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('link', { name: 'Another name' }).waitFor({ state: 'detached' });
    await assert.rejects(web.call('GET', `/api/chat/${ids[0]}`), /404/);
    await end();
  });
});
