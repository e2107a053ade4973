import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { assertPresentable, copiedBy, sharedWeb, untilFocused, type Web } from '../support/web/index.ts';

const HOSTILE = '<b onclick=alert(1)>Mallory</b>';

describe('the page of the team', () => {
  let web: Web;
  before(async () => {
    web = await sharedWeb();
  });

  it('adds a person by keys alone, gives them a link that works in their browser, and removes them', async () => {
    const { apiKey } = await web.newTeam('Night shift');
    const { page, end } = await web.visit('/team', { as: apiKey, expected: [/status of 409/] });
    const email = `${randomUUID()}@example.org`;
    const add = page.getByRole('button', { name: 'Add member' });
    await add.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Add member' });
    await dialog.getByLabel('Name').fill(HOSTILE);
    await dialog.getByLabel('Email').fill(email);
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'hidden' });
    await untilFocused(add);
    const members = page.getByRole('region', { name: 'Members' });
    const mallory = members.getByRole('row').filter({ hasText: email });
    await mallory.waitFor();
    await assertPresentable(page, 'team-members');

    await add.press('Enter');
    await dialog.getByLabel('Name').fill('Somebody else');
    await dialog.getByLabel('Email').fill(email);
    await page.keyboard.press('Enter');
    await dialog.getByText('This person is already a member of the team.').waitFor();
    await assertPresentable(page, 'team-duplicate');
    await page.keyboard.press('Escape');

    await mallory.getByRole('button', { name: /^Create sign-in link/ }).press('Enter');
    const shown = page.getByRole('dialog', { name: /^Sign-in link for/ });
    const link = new URL(await copiedBy(shown.getByRole('button', { name: 'Copy' })));
    await assertPresentable(page, 'team-link');
    await page.keyboard.press('Escape');

    const theirs = await web.visit(link.pathname + link.hash, { as: null, expected: [/status of 401/] });
    await theirs.page.getByRole('button', { name: `Account: ${HOSTILE}` }).waitFor();
    await theirs.page.goto('/team');
    await theirs.page.getByRole('region', { name: 'Members' }).waitFor();
    assert.deepEqual(await theirs.page.getByRole('tab').allTextContents(), ['Members', 'Sessions']);
    assert.equal(await theirs.page.getByRole('button', { name: /Add member|Rename|Remove/ }).count(), 0);

    await mallory.getByRole('button', { name: `Remove ${HOSTILE}` }).press('Enter');
    await page.getByRole('alertdialog').waitFor();
    await assertPresentable(page, 'team-remove');
    await page.getByRole('button', { name: 'Remove from team' }).press('Enter');
    await mallory.waitFor({ state: 'hidden' });
    // The row that had the focus is gone: the focus is on the table, not nowhere.
    await untilFocused(members);
    await theirs.page.reload();
    await theirs.page.getByRole('heading', { name: 'Sign in to Casebook' }).waitFor();
    await theirs.end();
    await end();
  });

  it('makes an API key that may do what was chosen and no more, shows it once, and revokes it', async () => {
    const { apiKey } = await web.newTeam();
    const { page, end } = await web.visit('/team?tab=keys', { as: apiKey });
    await page.getByText('This session').waitFor();
    await page.getByRole('button', { name: 'Create API key' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Create API key' });
    await dialog.getByLabel('Name').fill('Pager bridge');
    await dialog.getByLabel('Start, steer and cancel').uncheck();
    await dialog.getByLabel('See the members').check();
    await assertPresentable(page, 'team-new-key');
    await dialog.getByRole('button', { name: 'Create key' }).press('Enter');
    const shown = page.getByRole('dialog', { name: 'API key created' });
    const made = await copiedBy(shown.getByRole('button', { name: 'Copy' }));
    await assertPresentable(page, 'team-key-shown');
    await page.keyboard.press('Escape');
    await shown.waitFor({ state: 'hidden' });
    assert.ok(!(await page.content()).includes(made));

    const me = await web.call<{ scopes: string[] }>('GET', '/api/users/me', undefined, made);
    assert.deepEqual(me.scopes.toSorted(), ['investigations:read', 'team:read']);
    const keys = page.getByRole('region', { name: 'API keys' });
    await keys.getByRole('button', { name: 'Revoke Pager bridge' }).press('Enter');
    await page.getByRole('button', { name: 'Revoke key' }).press('Enter');
    await keys.getByRole('row').filter({ hasText: 'Pager bridge' }).waitFor({ state: 'hidden' });
    await assert.rejects(web.call('GET', '/api/users/me', undefined, made), /401/);
    await page.getByLabel('Show revoked keys (1)').check();
    await keys.getByText('Revoked').waitFor();
    await assertPresentable(page, 'team-keys');
    await end();
  });

  it('renames the team, everywhere at once', async () => {
    const { apiKey } = await web.newTeam('Before');
    const { page, end } = await web.visit('/team', { as: apiKey });
    await page.getByRole('button', { name: 'Rename', exact: true }).press('Enter');
    await page.getByRole('dialog').getByLabel('Name').fill('After the merger');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'After the merger' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'After the merger' }).waitFor();
    await end();
  });

  it('lists who is signed in where, and ends a session', async () => {
    const { apiKey } = await web.newTeam();
    const other = await web.visit('/team', { as: apiKey, expected: [/status of 401/] });
    const { page, end } = await web.visit('/team?tab=sessions', { as: apiKey });
    const rows = page.getByRole('region', { name: 'Sessions' }).getByRole('row').filter({ hasText: 'Chrome on Linux' });
    await rows.nth(1).waitFor();
    assert.equal(await rows.filter({ hasText: 'This browser' }).count(), 1);
    await assertPresentable(page, 'team-sessions');
    await page.getByRole('button', { name: /^End session of Ada/ }).press('Enter');
    await page.getByRole('button', { name: 'End session', exact: true }).press('Enter');
    await rows.nth(1).waitFor({ state: 'hidden' });
    await other.page.getByRole('link', { name: 'Investigations', exact: true }).press('Enter');
    await other.page.getByRole('heading', { name: 'Sign in to Casebook' }).waitFor();
    await other.end();
    await end();
  });
});
