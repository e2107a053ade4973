import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { waitUntil } from '../support/wait-until.ts';
import {
  assertAccessible,
  assertFits,
  copiedBy,
  DESKTOP,
  PHONE,
  sharedWeb,
  untilFocused,
  untilSaid,
  type Web,
} from '../support/web/index.ts';

const incident: { title: string; alerts: { name: string; at: string; summary: string }[] } = JSON.parse(
  readFileSync('demo/incidents/checkout-errors/incident.json', 'utf8'),
);
const [alert] = incident.alerts;
const QUERY = `${incident.title}.\n\nAlert ${alert?.name} fired at ${alert?.at}: ${alert?.summary}. What is the root cause?`;

interface Detail {
  status: string;
  investigation_text: string;
  report: { root_cause: { service: string } };
  citations: { n: number }[];
  steps: { tool_calls: { id: string; name: string; summary: string; has_series: boolean }[] }[];
}

/** How much wider the page is than the window. */
describe('the page of an investigation', () => {
  let web: Web;
  let id: string;
  let detail: Detail;
  before(async () => {
    web = await sharedWeb();
    ({ investigation_id: id } = await web.call<{ investigation_id: string }>('POST', '/api/v1/investigate', {
      query: QUERY,
    }));
    detail = await waitUntil(
      async () => {
        const read = await web.call<Detail>('GET', `/api/investigations/${id}`);
        return read.status === 'completed' ? read : undefined;
      },
      { what: 'the end of the investigation' },
    );
  });
  const path = (rest = ''): string => `/investigation/${id}${rest}`;

  it('answers what, why, what now and how sure, in this order, and keeps the run in a tab of its own', async () => {
    const { page, end } = await web.visit(path());
    await page.getByRole('heading', { level: 1, name: /felt at|:/ }).waitFor();
    const cause = page.getByRole('region', { name: 'Cause' });
    await cause.getByText(detail.report.root_cause.service, { exact: true }).first().waitFor();
    const headings = await page.getByRole('heading', { level: 2 }).allTextContents();
    const first = ['What is going on', 'Cause', 'What to do next', 'Why', 'Hypotheses', 'Timeline', 'Coverage'];
    assert.deepEqual(headings.slice(0, first.length), first);
    await page.getByText('at the end of the recording').waitFor();
    await page.getByText('Fault path').waitFor();
    await page
      .locator('section')
      .filter({ has: page.getByRole('heading', { name: 'Why' }) })
      .locator('canvas')
      .waitFor();
    assert.equal(await page.getByText('Tokens').count(), 0);
    await page.getByRole('tab', { name: 'Activity' }).click();
    await page.getByText('Built-in offline model').waitFor();
    await page.getByText(`${detail.steps.length} steps`, { exact: true }).waitFor();
    await page.getByRole('tab', { name: 'Services' }).click();
    await page.getByRole('heading', { name: 'Services around the suspect' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Services around the suspect' }).waitFor();
    assert.equal(await page.getByRole('link', { name: 'Chat about it' }).getAttribute('href'), `/chat?about=${id}`);
    await end();
  });

  it('opens what a citation cites by the keyboard, turns to the next, and gives the focus back', async () => {
    const { page, end } = await web.visit(path());
    const citation = page.getByRole('region', { name: 'Cause' }).getByRole('button').first();
    await citation.focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(/citation=/);
    const first = await page.evaluate(() => new URL(location.href).searchParams.get('citation'));
    const numbers = detail.citations.map(({ n }) => n).toSorted((a, b) => a - b);
    const next = numbers[numbers.indexOf(Number(first)) + 1];
    const panel = (n: unknown) => page.getByRole('dialog', { name: `Citation [${String(n)}]` });
    await panel(first).waitFor();
    await panel(first).getByText('Verified', { exact: true }).first().waitFor();
    await panel(first).locator('mark').first().waitFor();
    await assertAccessible(page);

    await page.keyboard.press('j');
    await panel(next).waitFor();
    await page.reload();
    await panel(next).waitFor();
    await page.keyboard.press('k');
    await panel(first).waitFor();
    await page.keyboard.press('Escape');
    await panel(first).waitFor({ state: 'hidden' });
    assert.equal(new URL(page.url()).search, '');
    await end();
  });

  it('closes the panel by going back, and returns to the citation', async () => {
    const { page, end } = await web.visit(path());
    const citation = page.getByRole('region', { name: 'Cause' }).getByRole('button').first();
    await citation.click();
    const panel = page.getByRole('dialog');
    await panel.waitFor();
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'hidden' });
    await untilFocused(citation);
    await citation.click();
    await panel.waitFor();
    await page.goBack();
    await panel.waitFor({ state: 'hidden' });
    assert.equal(new URL(page.url()).pathname, path());
    await end();
  });

  it('shows the metric behind a tool call as a chart, from a step and by its address', async () => {
    const call = detail.steps.flatMap(({ tool_calls }) => tool_calls).find(({ has_series }) => has_series);
    assert.ok(call);
    const { page, end } = await web.visit(path(`?call=${call.id}`));
    const panel = page.getByRole('dialog');
    await panel.getByText(call.summary).waitFor();
    await panel.getByText('Show as table').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await panel.waitFor({ state: 'hidden' });

    await page.getByRole('tab', { name: 'Activity' }).click();
    const step = page.locator('#steps details').first();
    await step.locator('summary').first().click();
    await step.getByRole('button').first().click();
    await panel.getByRole('heading', { name: /^Evidence \d+$/ }).waitFor();
    await end();
  });

  it('copies the report as Markdown', async () => {
    const { page, end } = await web.visit(path());
    await untilSaid(page, 'Copied.', async () => {
      const copied = await copiedBy(page.getByRole('button', { name: 'Copy as Markdown' }));
      assert.equal(copied, detail.investigation_text);
    });
    await end();
  });

  it('is accessible in both themes and on a phone, with nothing that scrolls sideways', async () => {
    for (const [theme, viewport] of [
      ['light', DESKTOP],
      ['dark', PHONE],
    ] as const) {
      const { page, end } = await web.visit(path(), { theme, viewport });
      await page.getByRole('region', { name: 'Cause' }).waitFor();
      const { y } = (await page.getByRole('region', { name: 'Cause' }).boundingBox())!;
      assert.ok(y < viewport.height, `the cause is above the fold, at ${y} of ${viewport.height}`);
      await assertAccessible(page);
      await assertFits(page);
      await page.getByRole('tab', { name: 'Activity' }).click();
      for (const summary of await page.locator('#steps summary').all()) await summary.click();
      await page.locator('#steps').scrollIntoViewIfNeeded();
      await assertAccessible(page);
      await assertFits(page);
      await page.goto(path('?citation=1'));
      await page.getByRole('dialog').locator('mark').first().waitFor();
      await assertAccessible(page);
      await assertFits(page);
      await end();
    }
  });

  it('asks the same again, and leads back to the one before', async () => {
    const { page, end } = await web.visit(path());
    await page.getByRole('button', { name: 'Rerun' }).click();
    await page.waitForURL((url) => url.pathname.startsWith('/investigation/') && url.pathname !== path());
    await page.getByRole('link', { name: 'Rerun of an earlier investigation' }).click();
    await page.waitForURL((url) => url.pathname === path());
    await end();
  });

  it('explains why one failed, and keeps what it had found', async () => {
    const { page, end } = await web.visit('/', { viewport: PHONE });
    await page.route(`**/api/investigations/${id}`, async (route) => {
      const failed = {
        status: 'failed',
        query: `${'W'.repeat(300)}\n\u202emore`,
        alert_summary: 'The investigation failed',
        explanation: 'The database was away for an hour.',
        report: null,
        citations: [],
        hypotheses: [],
      };
      await route.fulfill({ json: { ...detail, ...failed } });
    });
    await page.goto(path());
    await page.getByRole('heading', { name: 'Failed', exact: true }).waitFor();
    await page.getByText('The database was away for an hour.').waitFor();
    await page.getByRole('tab', { name: 'Activity' }).click();
    await page.getByText('Step 1', { exact: true }).waitFor();
    await page.getByRole('tab', { name: 'Report' }).click();
    assert.equal(await page.getByRole('button', { name: 'Rerun' }).count(), 2);
    await page.getByText(/^Asked: W/).waitFor();
    await assertFits(page);
    await assertAccessible(page);
    await end();
  });

  it('says when there is none, and when the viewer may not see it', async () => {
    const unknown = await web.visit('/investigation/00000000-0000-4000-8000-000000000000', { expected: [/404/] });
    await unknown.page.getByRole('heading', { name: 'Investigation not found' }).waitFor();
    await unknown.page.goto('/investigation/nonsense');
    await unknown.page.getByRole('heading', { name: 'Investigation not found' }).waitFor();
    unknown.problems.splice(0, unknown.problems.length, ...unknown.problems.filter((text) => !/422/.test(text)));
    await unknown.end();

    const { api_key: key } = await web.call<{ api_key: string }>('POST', '/api/api-keys', {
      name: 'chats only',
      scopes: ['chats:read'],
    });
    const other = await web.visit(path(), { as: key, expected: [/403/] });
    await other.page.getByText('You do not have access to investigations').waitFor();
    await other.end();
  });
});
