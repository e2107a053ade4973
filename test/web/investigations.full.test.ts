import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { storeInvestigation } from '../support/investigation-rows.ts';
import { assertAccessible, assertFits, assertPresentable, PHONE, sharedWeb, type Web } from '../support/web/index.ts';

/** What somebody who is paged pastes: the alert of one of the recorded incidents, which the worker finds by itself. */
const QUESTION =
  'Checkout fails for many customers and the storefront is slow. Alert StorefrontSlow fired at ' +
  '2026-03-10T16:43:40.000Z: web: p95 latency is 1.84 s, above 0.8 s for 2 minutes. What is the root cause?';

interface Listed {
  items: { id: string; query: string }[];
  total: number;
}

describe('the list of investigations', () => {
  let web: Web;
  before(async () => {
    web = await sharedWeb();
  });

  const field = (page: Page) => page.getByLabel('What is wrong?');
  const rows = (page: Page) => page.getByRole('list', { name: 'Investigations' }).getByRole('listitem');
  const stored = async (teamId: string, queries: readonly string[], row: object = {}): Promise<string[]> => {
    const ids: string[] = [];
    for (const [index, query] of queries.entries()) {
      const createdAt = new Date(Date.now() - 86_400_000 + index * 60_000);
      const ended = { status: 'completed' as const, finishedAt: new Date(createdAt.getTime() + 42_000) };
      const { id } = await storeInvestigation(web.cluster.database.orm, {
        teamId,
        row: { query, createdAt, startedAt: createdAt, ...ended, ...row },
      });
      ids.push(id);
    }
    return ids;
  };

  it('starts one investigation by keys alone, however often Enter is pressed, and shows it running, then completed', async () => {
    const { apiKey } = await web.newTeam();
    const worker = web.cluster.workers[0]!;
    const { page, end } = await web.visit('/team', { as: apiKey });
    await page.getByRole('tab', { name: 'Members' }).waitFor();
    worker.freeze();
    try {
      await page.keyboard.press('n');
      await page.waitForFunction(() => document.activeElement?.tagName === 'TEXTAREA');
      await page.getByText('No investigations yet').waitFor();
      await assertPresentable(page, 'investigations-empty');
      await page.keyboard.insertText(QUESTION);
      await page.keyboard.press('Shift+Enter');
      assert.equal(await field(page).inputValue(), `${QUESTION}\n`);
      await page.keyboard.press('Enter');
      await page.keyboard.press('Enter');
      await page.waitForURL('**/investigation/*');
      await field(page).waitFor({ state: 'hidden' });
      await page.getByRole('link', { name: 'Investigations', exact: true }).press('Enter');
      await rows(page).getByText('Running').waitFor();
      assert.equal(await rows(page).count(), 1);
      assert.equal(await field(page).inputValue(), '');
      await assertPresentable(page, 'investigations-running');
    } finally {
      worker.thaw();
    }
    await rows(page).getByText('Cause found').waitFor();
    const { total } = await web.call<Listed>('GET', '/api/investigations', undefined, apiKey);
    assert.equal(total, 1);
    await assertPresentable(page, 'investigations-completed');
    await end();
  });

  it('starts no second one when the first answer was lost and the page reloaded', async () => {
    const { apiKey } = await web.newTeam();
    const { page, context, end } = await web.visit('/investigations', { as: apiKey, expected: [/net::ERR_FAILED/] });
    const lost = async (): Promise<void> => {
      await context.route('**/api/v1/investigate', async (route) => {
        await route.fetch();
        await route.abort();
      });
      await field(page).fill('Carts are empty since noon.');
      await page.keyboard.press('Enter');
      await page.getByText('Casebook is unreachable').waitFor();
    };
    await lost();
    await context.unroute('**/api/v1/investigate');
    await page.reload();
    await page.waitForFunction(() => document.querySelector('textarea')?.value === 'Carts are empty since noon.');
    await field(page).press('Enter');
    await page.waitForURL('**/investigation/*');
    const { total } = await web.call<Listed>('GET', '/api/investigations', undefined, apiKey);
    assert.equal(total, 1);
    await end();
  });

  it('says that a text is too long, and keeps it', async () => {
    const { page, end } = await web.visit('/investigations');
    await field(page).fill('x'.repeat(20_001));
    await page.getByText('20,001 characters; the limit is 20,000.').waitFor();
    await page.keyboard.press('Enter');
    assert.ok(await page.getByRole('button', { name: 'Investigate' }).isDisabled());
    assert.equal((await field(page).inputValue()).length, 20_001);
    await end();
  });

  it('turns pages, filters and searches; addresses keep it, and going back undoes it', async () => {
    const { id: teamId, apiKey } = await web.newTeam();
    await stored(
      teamId,
      Array.from({ length: 45 }, (_, index) => `Latency of service-${index} is up`),
    );
    await stored(teamId, ['The zebra database refuses connections'], { status: 'failed' });
    const { page, end } = await web.visit('/investigations', { as: apiKey });
    await page.getByText('1–20 of 46').waitFor();
    await page.getByRole('button', { name: 'Older' }).press('Enter');
    await page.getByText('21–40 of 46').waitFor();
    await page.reload();
    await page.getByText('21–40 of 46').waitFor();
    await assertPresentable(page, 'investigations-page-2');
    await page.goBack();
    await page.getByText('1–20 of 46').waitFor();

    await page.keyboard.press('/');
    await page.keyboard.type('zebra');
    await page.waitForURL('**/investigations?q=zebra');
    await rows(page).getByText('The zebra database').waitFor();
    assert.equal(await rows(page).count(), 1);
    await page.getByRole('searchbox').fill('nothing like it');
    await page.getByText('No matching investigations').waitFor();
    await page.getByRole('link', { name: 'Show all investigations' }).click();
    await page.getByText('1–20 of 46').waitFor();
    await page.getByRole('button', { name: 'Failed' }).click();
    await page.waitForURL('**/investigations?status=failed');
    await page.getByText('Latency').first().waitFor({ state: 'hidden' });
    assert.equal(await rows(page).count(), 1);

    await page.goto('/investigations?page=99&status=nonsense');
    await page.getByRole('link', { name: 'Go to the first page' }).click();
    await page.getByText('1–20 of 46').waitFor();
    await page.goto('/investigations?page=<b>&q=%00');
    await rows(page).first().waitFor();
    await end();
  });

  it('tells outcomes apart, with the service and how likely it is, and filters by them in the address', async () => {
    const { id: teamId, apiKey } = await web.newTeam();
    const reportOf = (service: string | null, confidence: number) => ({ root_cause: { service }, confidence });
    const long = `${'Checkout answers slowly for customers in every region '.repeat(8)}and payments time out.`;
    await stored(teamId, [long], { report: reportOf('payment', 0.94) });
    await stored(teamId, ['Nothing explains it'], { report: reportOf(null, 0.1) });
    await stored(teamId, ['It broke'], { status: 'failed' });
    await stored(teamId, ['Never mind'], { status: 'cancelled' });
    const { page, end } = await web.visit('/investigations', { as: apiKey, viewport: PHONE });
    const rowOf = (words: string) => rows(page).filter({ hasText: words });
    for (const words of ['Cause found', 'payment', 'very likely'])
      await rowOf(long).getByText(words, { exact: true }).waitFor();
    assert.equal(await rowOf(long).getByRole('link').getAttribute('title'), long);
    await rowOf('Nothing explains it').getByText('No cause found').waitFor();
    await rowOf('It broke').getByText('Failed').waitFor();
    await rowOf('Never mind').getByText('Cancelled').waitFor();
    await assertPresentable(page, 'investigations-outcomes');
    // Every choice is in view on a phone.
    const outcomes = page.getByRole('group', { name: 'Outcome' });
    assert.ok(await outcomes.evaluate(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth));
    for (const [name, status, words] of [
      ['No cause found', 'no_cause', 'Nothing explains it'],
      ['Cause found', 'cause_found', 'Checkout answers slowly'],
    ] as const) {
      await outcomes.getByRole('button', { name, exact: true }).press('Enter');
      await page.waitForURL(`**/investigations?status=${status}`);
      await page.reload();
      await rowOf(words).waitFor();
      assert.equal(await rows(page).count(), 1);
    }
    await end();
  });

  it('filters by service, source, trigger, confidence and time, as the address says', async () => {
    const { id: teamId, apiKey } = await web.newTeam();
    const reportOf = (service: string, confidence: number) => ({ root_cause: { service }, confidence });
    await stored(teamId, ['Sure of payment'], { report: reportOf('payment', 0.94) });
    await stored(teamId, ['Not sure of payment'], { report: reportOf('payment', 0.6) });
    await stored(teamId, ['Sure of checkout'], { report: reportOf('checkout', 0.94) });
    const { page, end } = await web.visit('/investigations?since=nonsense&trigger=nobody', { as: apiKey });
    await rows(page).nth(2).waitFor();
    await page.getByText('More filters', { exact: true }).click();
    await page.getByLabel('Service', { exact: true }).fill('payment');
    await page.getByLabel('Service', { exact: true }).press('Enter');
    await rows(page).filter({ hasText: 'Sure of checkout' }).waitFor({ state: 'hidden' });
    await page.getByLabel('Confidence').selectOption({ label: '75 % or higher' });
    await page.waitForURL('**/investigations?service=payment&confidence=75');
    await rows(page).filter({ hasText: 'Not sure' }).waitFor({ state: 'hidden' });
    await page.reload();
    await rows(page).filter({ hasText: 'Sure of payment' }).waitFor();
    assert.equal(await rows(page).count(), 1);
    await assertAccessible(page);
    await page.getByLabel('Opened by').selectOption({ label: 'Finding' });
    await page.getByText('No matching investigations').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.waitForURL('**/investigations');
    await page.getByText('More filters', { exact: true }).click();
    await page.getByLabel('Started').selectOption({ label: 'Last hour' });
    await page.waitForURL('**/investigations?since=1h');
    await page.getByText('No matching investigations').waitFor();
    await page.getByLabel('Started').selectOption({ label: 'Last 7 days' });
    await rows(page).nth(2).waitFor();
    await end();
  });

  it('goes through the rows by j and k, and opens one by Enter', async () => {
    const { id: teamId, apiKey } = await web.newTeam();
    const ids = await stored(teamId, ['The oldest', 'The middle', 'The newest']);
    const { page, end } = await web.visit('/investigations', { as: apiKey });
    await rows(page).first().waitFor();
    for (const key of ['j', 'j', 'j', 'k']) await page.keyboard.press(key);
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'The middle');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/investigation/${ids[1]}`);
    await end();
  });

  it('shows hostile questions as text, within the page', async () => {
    const { id: teamId, apiKey } = await web.newTeam();
    await stored(teamId, [
      '<img src=x onerror="document.title=\'owned\'"><script>document.title="owned"</script>',
      `Long ${'x'.repeat(19_000)}`,
      '\u202Edetrever si siht \u202D and \u2066 never ends',
      'Z\u0351\u0352\u0353\u0354\u0355\u0356\u0357a\u0358l'.repeat(200),
      '[click](javascript:alert(1)) **bold** ![](https://evil.example/x.png)',
      'Alarm 🚨 تنبيه 警报 '.repeat(40),
    ]);
    await stored(teamId, ['Named'], { alertSummary: `<b>${'nospaces'.repeat(200)}</b>` });
    const { page, end } = await web.visit('/investigations', { as: apiKey, viewport: PHONE });
    await rows(page).first().waitFor();
    assert.equal(await rows(page).count(), 7);
    assert.equal(await page.title(), 'Investigations · Casebook');
    await assertFits(page);
    await assertPresentable(page, 'investigations-hostile');
    await end();
  });

  it('says that the list could not be loaded, and loads it when asked again', async () => {
    const { page, context, end } = await web.visit('/satellites', { expected: [/net::ERR_FAILED/] });
    await page.getByRole('heading', { level: 1, name: 'Satellites' }).waitFor();
    await context.route('**/api/investigations?*', (route) => route.abort());
    await page.getByRole('link', { name: 'Investigations', exact: true }).press('Enter');
    await page.getByRole('alert').getByText('Casebook is unreachable').waitFor();
    await assertPresentable(page, 'investigations-failed');
    await context.unroute('**/api/investigations?*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('alert').waitFor({ state: 'hidden' });
    await end();
  });
});
