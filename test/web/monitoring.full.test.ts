/** Monitoring agents in the web app: made in plain words, their plan written as a form, their checks and channels. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { assertAccessible, assertFits, PHONE, sharedWeb, untilSaid, type Web } from '../support/web/index.ts';

interface Agent {
  chat_id: string;
}
interface PlanState {
  version: number;
  plan: { summary: string; checks: { id: string; title: string; schedule: { every_seconds?: number } }[] };
}

const HOSTILE = `<img src=x onerror="document.title='run'"> \u202Eabc ${'W'.repeat(50)}`;

const check = (id: string, title: string, more: object = {}) => ({
  id,
  title,
  check: {
    type: 'metric',
    source: 'incident:nowhere',
    metric: 'up',
    condition: { type: 'threshold', operator: '>', value: 1 },
  },
  schedule: { every_seconds: 3_600 },
  ...more,
});

describe('monitoring agents in the web app', () => {
  let web: Web;
  before(async () => {
    web = await sharedWeb();
  });

  /** An agent that is paused, unless said otherwise: nothing of it changes by itself. */
  const makeAgent = async (title: string, checks: object[], more: object = {}): Promise<string> => {
    const plan = { summary: `Watches ${title}.`, checks };
    const body = { message: title, title, plan, active: false, ...more };
    return (await web.call<Agent>('POST', '/api/monitoring-chat', body)).chat_id;
  };
  const planOf = (id: string) => web.call<PlanState>('GET', `/api/monitoring-chat/${id}/plan`);
  const patch = (id: string, body: object) => web.call('PATCH', `/api/monitoring-chat/${id}/plan`, body);

  const save = (page: Page) => page.getByRole('button', { name: 'Save' }).click();
  const untilSaved = (page: Page, version: number, act: () => Promise<unknown> = () => save(page)): Promise<void> =>
    untilSaid(page, `Saved as version ${version}. It is in effect now.`, act);

  it('makes an agent of plain words by the keyboard, whose plan appears on its page', async () => {
    const { page, end } = await web.visit('/monitoring');
    const wanted = page.getByLabel('What should the agent watch?');
    await wanted.focus();
    await page.keyboard.type('Watch the latency of checkout');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('every 5 minutes.');
    assert.equal(await wanted.inputValue(), 'Watch the latency of checkout\nevery 5 minutes.');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/monitoring\/[0-9a-f-]{36}$/);
    await page.getByRole('heading', { level: 1, name: /Watch the latency of checkout/ }).waitFor();
    await page.getByRole('heading', { level: 3 }).first().waitFor();
    await page.getByText('every 5 minutes').first().waitFor();
    await assertAccessible(page);

    const said = page.getByLabel('Message to the agent');
    await said.fill('Also watch the errors of checkout');
    await said.press('Shift+Enter');
    await page.keyboard.type('every 10 minutes.');
    assert.equal(await said.inputValue(), 'Also watch the errors of checkout\nevery 10 minutes.');
    await said.press('Enter');
    await page.getByText('Plan updated', { exact: true }).waitFor();
    await page.getByText('every 10 minutes').first().waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete agent' }).click();
    await page.waitForURL((url) => url.pathname === '/monitoring');
    await end();
  });

  it('lists agents as they stand, whatever they are called', async () => {
    await makeAgent(HOSTILE, [check('a', 'T'.repeat(200))]);
    const { page, end } = await web.visit('/monitoring', { viewport: PHONE, theme: 'dark', touch: true });
    const card = page.getByRole('listitem').filter({ hasText: '<img src=x' });
    await card.getByText('Paused').waitFor();
    await card.getByText('1 check').waitFor();
    await assertFits(page);
    assert.equal(await page.locator('main img').count(), 0);
    await assertAccessible(page);
    await page.getByRole('button', { name: 'Degraded', exact: true }).tap();
    await card.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Paused', exact: true }).tap();
    await page.getByRole('searchbox').fill('SRC=X');
    await page.waitForURL(/status=paused.*q=|q=.*status=paused/);
    await page.reload();
    await card.getByRole('link').press('Enter');
    for (const tab of ['Plan', 'Sessions', 'Findings', 'Settings', 'Overview']) {
      await page.getByRole('tab', { name: tab }).click();
      await page.getByRole('tabpanel').waitFor();
      await assertFits(page);
      await assertAccessible(page);
    }
    assert.notEqual(await page.title(), 'run');
    await end();
  });

  it('saves a plan that was written in the form, and says what changed', async () => {
    const id = await makeAgent('Form', [check('first', 'First'), check('second', 'Second')]);
    const { page, end } = await web.visit(`/monitoring/${id}?tab=plan`);
    await page.getByRole('button', { name: /^First/ }).press('Enter');
    await page.getByLabel('Title').fill('Up');
    await page.getByLabel('Unit of Every').selectOption('minutes');
    await page.getByLabel('Every', { exact: true }).fill('10');
    await page.getByLabel('Condition').selectOption('baseline');
    await page.getByLabel('Deviations (σ)').fill('5.5');
    await page.getByRole('button', { name: 'Add quiet hours' }).click();
    await page.getByRole('button', { name: 'Move Second up' }).press('Enter');
    await page.getByRole('button', { name: 'Duplicate Second' }).press('Enter');
    await page.getByRole('button', { name: 'Add check' }).press('Enter');
    await page.getByRole('menuitem', { name: /^Instruction/ }).press('Enter');
    const title = page.getByLabel('Title').last();
    await title.and(page.locator(':focus')).waitFor();
    await page.keyboard.type('By a model');
    await page.getByLabel('Instruction', { exact: true }).fill('Look whether all is well.');
    await assertAccessible(page);
    await page.getByRole('button', { name: 'Validate' }).click();
    await page.getByText('The plan is valid. Not saved yet.').waitFor();
    await page.getByText(/instruction "Look whether all is well\."/).waitFor();
    assert.equal((await planOf(id)).version, 1);
    await page.getByLabel('Reason for the change').fill('To see it change');
    await untilSaved(page, 2, () => page.keyboard.press('Enter'));
    const { version, plan } = await planOf(id);
    assert.equal(version, 2);
    assert.deepEqual(
      plan.checks.map((each) => [each.id, each.title]),
      [
        ['second', 'Second'],
        ['second-2', 'Copy of Second'],
        ['first', 'Up'],
        ['instruction', 'By a model'],
      ],
    );
    const saved = plan.checks[2] as unknown as Record<string, unknown>;
    assert.deepEqual(saved['schedule'], {
      every_seconds: 600,
      time_zone: 'UTC',
      quiet_hours: [{ from: '22:00', to: '06:00' }],
    });
    const { condition } = saved['check'] as { condition: unknown };
    assert.deepEqual(condition, {
      type: 'baseline',
      direction: 'above',
      deviations: 5.5,
      history_seconds: 3600,
      least_change: 0,
    });
    await page.getByText('To see it change').waitFor();
    await page.getByRole('button', { name: 'Changes in version 2' }).click();
    const difference = page.getByRole('dialog', { name: 'Compare versions' });
    await difference.getByText('10 minutes').waitFor();
    await assertAccessible(page);
    await end();
  });

  it('shows what is wrong at the very field, and leads there', async () => {
    const id = await makeAgent('Wrong', [check('first', 'First'), check('second', 'Second')]);
    const { page, end } = await web.visit(`/monitoring/${id}?tab=plan`, { expected: [/status of 422/] });
    await page.getByRole('button', { name: /^Second/ }).click();
    await page.getByLabel('ID', { exact: true }).fill('first');
    await page.getByLabel('Every', { exact: true }).fill('often');
    await page.getByRole('button', { name: /^Second/ }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    const summary = page.getByRole('alert').filter({ hasText: 'The plan was not saved' });
    await summary.and(page.locator(':focus')).waitFor();
    await page.getByRole('button', { name: 'Save' }).and(page.locator(':enabled')).waitFor();
    await assertAccessible(page);
    await summary.getByRole('button', { name: 'Second: Every' }).press('Enter');
    const every = page.getByLabel('Every', { exact: true });
    await every.and(page.locator(':focus')).waitFor();
    assert.equal(await every.getAttribute('aria-invalid'), 'true');
    assert.equal(await every.inputValue(), 'often', 'what was written is still there');
    await every.fill('2');
    await page.getByLabel('ID', { exact: true }).fill('other');
    await untilSaved(page, 2);
    assert.deepEqual(
      (await planOf(id)).plan.checks.map((each) => each.id),
      ['first', 'other'],
    );
    await end();
  });

  it('keeps what was written when somebody else changed the plan, and shows the difference', async () => {
    const id = await makeAgent('Contended', [check('first', 'First')]);
    const { page, end } = await web.visit(`/monitoring/${id}?tab=plan`, { expected: [/status of 409/] });
    await page.getByLabel('Summary').fill('As I see it');
    await patch(id, { plan: { checks: [{ id: 'first', title: 'Theirs' }] }, reason: 'They know better' });
    await page.getByRole('button', { name: 'Save' }).click();
    const conflict = page.getByRole('alert').filter({ hasText: 'version 2 is now in effect' });
    await conflict.getByText('They know better').waitFor();
    await assertAccessible(page);
    assert.ok(await page.getByRole('button', { name: 'Save' }).isDisabled());
    await conflict.getByRole('button', { name: 'Compare' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('As I see it').waitFor();
    await dialog.getByText('Theirs').first().waitFor();
    await assertAccessible(page);
    await dialog.getByRole('button', { name: 'Keep my changes' }).click();
    await untilSaved(page, 3);
    const { plan } = await planOf(id);
    assert.deepEqual([plan.summary, plan.checks[0]!.title], ['As I see it', 'First']);

    await page.getByLabel('Summary').fill('Mine again');
    await patch(id, { plan: { summary: 'Theirs again' } });
    await page.getByRole('button', { name: 'Discard my changes and load version 4' }).click();
    await page.waitForFunction(() =>
      [...document.querySelectorAll('textarea')].some(({ value }) => value === 'Theirs again'),
    );
    assert.equal(await page.getByLabel('Summary').inputValue(), 'Theirs again');
    await end();
  });

  it('does not lose what was not saved', async () => {
    const id = await makeAgent('Unsaved', [check('first', 'First')]);
    const { page, end } = await web.visit(`/monitoring/${id}?tab=plan`);
    await page.getByRole('button', { name: 'Remove First' }).press('Enter');
    await page.getByRole('button', { name: 'Undo' }).press('Enter');
    await page.getByRole('button', { name: /^First/ }).waitFor();
    await page.getByRole('button', { name: 'JSON' }).click();
    const json = page.getByLabel('Plan as JSON');
    await json.fill('{"checks": [');
    await page
      .getByText(/This is not valid JSON/)
      .first()
      .waitFor();
    assert.ok(await page.getByRole('button', { name: 'Save' }).isDisabled());
    await json.fill('{"summary": "By hand", "checks": []}');
    await page.getByRole('tab', { name: 'Sessions' }).click();
    const asking = page.getByRole('alertdialog', { name: 'Leave without saving?' });
    await asking.waitFor();
    await assertAccessible(page);
    await page.keyboard.press('Escape');
    assert.equal(await json.inputValue(), '{"summary": "By hand", "checks": []}');
    await page.getByRole('tab', { name: 'Sessions' }).click();
    await asking.getByRole('button', { name: 'Discard changes' }).click();
    await page.waitForURL(/tab=sessions/);
    await page.getByRole('tab', { name: 'Plan' }).click();
    assert.equal(await page.getByLabel('Summary').inputValue(), 'Watches Unsaved.');
    await end();
  });

  it('keeps what was written of a plan when the page is loaded anew, and when the session ends meanwhile', async () => {
    const id = await makeAgent('Kept', [check('first', 'First')]);
    const { api_key: key } = await web.call<{ api_key: string }>('POST', '/api/api-keys', {
      name: 'for an hour',
      scopes: ['monitoring:read', 'monitoring:write', 'chats:read'],
    });
    const { page, end } = await web.visit(`/monitoring/${id}?tab=plan`, { as: key, expected: [/status of 401/] });
    page.on('dialog', (dialog) => void dialog.accept());
    const summary = page.getByLabel('Summary');
    const unsaved = page.getByText('Unsaved changes', { exact: true });
    await summary.fill('Written before');
    await unsaved.waitFor();
    await page.reload();
    await unsaved.waitFor();
    assert.equal(await summary.inputValue(), 'Written before');

    await summary.fill('Written at last');
    const { sessions } = await web.call<{ sessions: { id: string; scopes: string[] }[] }>('GET', '/api/sessions');
    for (const session of sessions.filter(({ scopes }) => scopes.length === 3))
      await web.call('DELETE', `/api/sessions/${session.id}`);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.waitForURL(/\/sign-in/);
    await page.getByLabel('API key').fill(key);
    await page.getByRole('button', { name: 'Sign in with API key' }).click();
    await unsaved.waitFor();
    assert.equal(await summary.inputValue(), 'Written at last');
    await untilSaved(page, 2);
    assert.equal((await planOf(id)).plan.summary, 'Written at last');

    // What is saved is not written again, and what was discarded does not come back.
    await page.reload();
    assert.equal(await summary.inputValue(), 'Written at last');
    assert.equal(await unsaved.count(), 0);
    await summary.fill('Not wanted');
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.reload();
    assert.equal(await summary.inputValue(), 'Written at last');
    await end();
  });

  it('keeps what is written while a plan is saved, and the reason of a save that was refused', async () => {
    const id = await makeAgent('Slow', [check('first', 'First')]);
    const { page, end } = await web.visit(`/monitoring/${id}?tab=plan`, { expected: [/status of 422/] });
    let answer: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const summary = page.getByLabel('Summary');
    const reason = page.getByLabel('Reason for the change');
    await summary.fill('x'.repeat(10_000));
    await reason.fill('Because');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').filter({ hasText: 'The plan was not saved' }).waitFor();
    assert.equal(await reason.inputValue(), 'Because');
    await summary.fill('Sent');
    await page.route('**/plan', async (route) => {
      if (route.request().method() === 'PATCH') await held;
      await route.continue();
    });
    const sent = page.waitForRequest((request) => request.method() === 'PATCH');
    await untilSaved(page, 2, async () => {
      await page.getByRole('button', { name: 'Save' }).click();
      await sent;
      await summary.fill('Written meanwhile');
      answer();
    });
    assert.equal((await planOf(id)).plan.summary, 'Sent');
    assert.equal(await summary.inputValue(), 'Written meanwhile');
    await untilSaved(page, 3);
    assert.equal((await planOf(id)).plan.summary, 'Written meanwhile');
    await end();
  });

  it('shows the sessions of checks, one with all that it rests on; addresses lead back to it', async () => {
    const id = await makeAgent('Sessions', [check('first', 'First'), check('second', 'Second')], { active: true });
    const { page, end } = await web.visit(`/monitoring/${id}`);
    await page.getByText('Couldn’t run').first().waitFor();
    await untilSaid(page, 'Check started.', () => page.getByRole('button', { name: 'Run Second now' }).click());
    await page.getByRole('tab', { name: 'Sessions' }).click();
    await page.getByLabel('Check').selectOption('second');
    await page.waitForURL(/check=second/);
    await page.getByRole('link', { name: 'Second' }).nth(1).waitFor();
    await page.getByRole('link', { name: 'Second' }).first().press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Second' });
    await dialog.getByText('Manual').waitFor();
    await assertAccessible(page);
    await page.reload();
    await dialog.getByText('Manual').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('Paused', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Resume' }).waitFor();
    await end();
  });

  it('sets a channel whose secret is shown once, tests it, and removes it', async () => {
    const id = await makeAgent('Channels', [check('first', 'First')]);
    const { page, end } = await web.visit(`/monitoring/${id}?tab=settings`, { expected: [/status of 422/] });
    await page.getByRole('button', { name: 'Configure channel' }).press('Enter');
    await page.getByLabel('Type').selectOption('slack');
    await page.getByLabel('Bot token').fill('no token');
    await page.getByLabel('Channel', { exact: true }).fill('#ops');
    await page.keyboard.press('Enter');
    await page.getByText(/starts with xoxb-/).waitFor();
    assert.equal(await page.getByLabel('Bot token').getAttribute('aria-invalid'), 'true');
    await assertAccessible(page);
    await page.getByLabel('Type').selectOption('webhook');
    await page.getByLabel('URL').fill('https://casebook.invalid/hook');
    await page.getByRole('button', { name: 'Save channel' }).click();
    await page.getByText(/^whsec_/).waitFor();
    await page.getByText('webhook at casebook.invalid').waitFor();
    await page.getByRole('button', { name: 'Send test' }).click();
    await page.getByText(/Not delivered: /).waitFor();
    await assertAccessible(page);
    await page.reload();
    await page.getByText('Set', { exact: true }).waitFor();
    assert.equal(await page.getByText(/whsec_/).count(), 0);
    await page.getByLabel('Keep sessions for (hours)').fill('0');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/greater than or equal to 1/).waitFor();
    await page.getByLabel('Keep sessions for (hours)').fill('24');
    await untilSaid(page, 'Settings saved.', () => page.getByRole('button', { name: 'Save' }).click());
    await page.getByRole('button', { name: 'Remove channel' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove channel' }).click();
    await page.getByText('No channel configured. Findings appear only here.').waitFor();
    await end();
  });

  it('shows those who may only read what they may do', async () => {
    const id = await makeAgent('Read only', [check('first', 'First')]);
    const key = await web.call<{ api_key: string }>('POST', '/api/api-keys', {
      name: 'reader',
      scopes: ['monitoring:read'],
    });
    const { page, end } = await web.visit(`/monitoring/${id}?tab=plan`, { as: key.api_key });
    await page.getByRole('button', { name: /^First/ }).click();
    assert.ok(await page.getByLabel('Title').isDisabled());
    assert.equal(await page.getByRole('button', { name: 'Delete' }).count(), 0);
    assert.equal(await page.getByRole('button', { name: 'Add check' }).count(), 0);
    await assertAccessible(page);
    await end();
  });
});
