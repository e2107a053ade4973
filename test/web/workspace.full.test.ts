/** The team's files in the web app: browsed, searched, edited by two people and a chat. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { assertPresentable, PHONE, sharedWeb, untilFocused, type Web } from '../support/web/index.ts';

const RUNBOOK = '# Checkout\n\nRestart the pods.\nCall payments.\n';
const HOSTILE = `<img src=x onerror="document.title='owned'"> \u05d0.md`;

describe('files in the web app', () => {
  let web: Web;
  let apiKey: string;
  before(async () => {
    web = await sharedWeb();
    ({ apiKey } = await web.newTeam());
    const files = [
      { path: 'runbooks/checkout.md', content: RUNBOOK },
      { path: 'queries/errors.json', content: '{"query": "rate(errors[5m])", "enabled": true}\n' },
      { path: HOSTILE, content: 'hostile name\n' },
    ];
    await web.call('POST', '/api/workspace/batch', { files, message: 'Begin' }, apiKey);
  });

  const put = (path: string, content: string) =>
    web.call('PUT', `/api/workspace/file?${new URLSearchParams({ path })}`, { content }, apiKey);
  const contentOf = async (path: string): Promise<string> =>
    (
      await web.call<{ content: string }>(
        'GET',
        `/api/workspace/file?${new URLSearchParams({ path })}`,
        undefined,
        apiKey,
      )
    ).content;
  const untilContent = async (page: Page, path: string, content: string): Promise<void> => {
    await page.getByText('Saved.').first().waitFor();
    assert.equal(await contentOf(path), content);
  };
  const editor = (page: Page, path: string) => page.getByRole('textbox', { name: `Content of ${path}` });

  it('are opened, edited and saved by keyboard; what others commit appears', async () => {
    const path = 'runbooks/checkout.md';
    const { page, end } = await web.visit('/', { as: apiKey });
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('w');
    await page.waitForURL('**/workspace');
    const folder = page.getByRole('button', { name: 'runbooks' });
    await folder.focus();
    await page.keyboard.press('Enter');
    const link = page.getByRole('link', { name: 'checkout.md' });
    await link.focus();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/workspace?path=runbooks%2Fcheckout.md');
    await editor(page, path).getByText('Restart the pods.').waitFor();
    await page.getByText('Live: changes by others appear').waitFor();
    await assertPresentable(page, 'workspace-file');

    await editor(page, path).focus();
    await untilFocused(editor(page, path));
    await page.keyboard.press('Control+End');
    await page.keyboard.type('Tell support.');
    await page.getByText('Unsaved').waitFor();
    await page.reload();
    await editor(page, path).getByText('Tell support.').waitFor();
    await editor(page, path).focus();
    await page.keyboard.press('Control+s');
    await untilContent(page, path, `${RUNBOOK}Tell support.`);

    await put(path, `${RUNBOOK}Tell support first.\n`);
    await editor(page, path).getByText('Tell support first.').waitFor();
    await page.getByRole('region', { name: 'Latest changes' }).getByRole('link', { name: path }).first().waitFor();
    await end();
  });

  it('that somebody else changed are not overwritten: both versions are shown', async () => {
    const path = 'shared.md';
    await put(path, 'one\ntwo\nthree\n');
    const { page, end } = await web.visit(`/workspace?path=${path}`, { as: apiKey });
    await editor(page, path).getByText('three').waitFor();
    await page.getByText('Live: changes by others appear').waitFor();
    await editor(page, path).focus();
    await page.keyboard.press('Control+Home');
    await page.keyboard.type('my ');
    await put(path, 'one\ntwo\ntheir three\n');
    await page.getByRole('alert').getByText('changed this file while you were editing it').waitFor();
    await assertPresentable(page, 'workspace-conflict');
    assert.equal(await contentOf(path), 'one\ntwo\ntheir three\n');
    // Their line is taken over, and our own stays.
    await page.getByRole('button', { name: 'Use theirs' }).last().focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Save my version' }).focus();
    await page.keyboard.press('Enter');
    await untilContent(page, path, 'my one\ntwo\ntheir three\n');
    await editor(page, path).getByText('my one').waitFor();
    await end();
  });

  it('are searched, made and deleted; the address keeps the search', async () => {
    const { page, end } = await web.visit('/workspace', { as: apiKey, expected: [/status of 422/] });
    await page.getByText('No file open').waitFor();
    await page.keyboard.press('/');
    await untilFocused(page.getByLabel('Search files'));
    await page.keyboard.type('payments');
    const results = page.getByRole('region', { name: 'Search results' });
    await results.getByRole('link', { name: 'runbooks/checkout.md' }).waitFor();
    await page.waitForURL('**/workspace?q=payments');
    await assertPresentable(page, 'workspace-search');
    await page.getByLabel('Search files').fill('(');
    await page.getByText('Not a POSIX extended regular expression').waitFor();
    await page.getByLabel('Regular expression').uncheck();
    await results.getByText('1 line in 1 file').waitFor();
    await page.getByLabel('Search files').fill('');

    await page.getByRole('button', { name: 'New file' }).focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('Path').fill('shared-notes/new.yaml');
    await assertPresentable(page, 'workspace-new');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/workspace?path=shared-notes%2Fnew.yaml');
    await editor(page, 'shared-notes/new.yaml').focus();
    await page.keyboard.type('on: true');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await untilContent(page, 'shared-notes/new.yaml', 'on: true');
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await page.waitForURL('**/workspace');
    await page.getByText('No file open').waitFor();
    await end();
  });

  it('have a history, and earlier versions are compared with the current one', async () => {
    const path = 'history.md';
    await put(path, 'first\nstays\n');
    await put(path, 'second\nstays\n');
    const { page, end } = await web.visit(`/workspace?path=${path}&view=history`, { as: apiKey });
    const commits = page.getByRole('list', { name: 'Commits' }).getByRole('link');
    assert.equal(await commits.last().textContent(), 'Write history.md');
    await commits.last().click();
    await page.waitForURL('**at=*');
    const version = page.getByRole('textbox', { name: `Earlier version of ${path}` });
    await version.getByText('first').waitFor();
    await version.getByText('second').waitFor();
    await assertPresentable(page, 'workspace-history');
    await page.reload();
    await version.getByText('first').waitFor();
    await page.getByRole('button', { name: 'Edit this version' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await untilContent(page, path, 'first\nstays\n');
    await end();
  });

  it('work by touch on a phone, whatever they are called', async () => {
    const { page, end } = await web.visit('/workspace', { as: apiKey, viewport: PHONE, touch: true });
    await page.getByRole('link', { name: 'onerror' }).tap();
    await editor(page, HOSTILE).getByText('hostile name').waitFor();
    assert.notEqual(await page.title(), 'owned');
    await assertPresentable(page, 'workspace-hostile');
    await page.getByRole('link', { name: 'All files' }).tap();
    await page.getByRole('button', { name: 'queries' }).tap();
    await page.getByRole('link', { name: 'errors.json' }).waitFor();
    await assertPresentable(page, 'workspace-tree');
    await end();
  });

  it('are not changed by who may only read', async () => {
    const { api_key: reader } = await web.call<{ api_key: string }>(
      'POST',
      '/api/api-keys',
      { name: 'reader', scopes: ['workspace:read', 'team:read'] },
      apiKey,
    );
    const { page, end } = await web.visit('/workspace?path=runbooks/checkout.md', { as: reader });
    await editor(page, 'runbooks/checkout.md').waitFor();
    assert.equal(await page.getByRole('button', { name: /Save|Delete|New file/ }).count(), 0);
    await editor(page, 'runbooks/checkout.md').focus();
    await page.keyboard.type('x');
    assert.equal(await page.getByText('Unsaved').count(), 0);
    await end();
  });
});
