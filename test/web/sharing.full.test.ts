import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { waitUntil } from '../support/wait-until.ts';
import { assertPresentable, copiedBy, sharedWeb, type Web } from '../support/web/index.ts';

const incident: { title: string; alerts: { name: string; at: string; summary: string }[] } = JSON.parse(
  readFileSync('demo/incidents/checkout-errors/incident.json', 'utf8'),
);
const [alert] = incident.alerts;

describe('sharing a report', () => {
  let web: Web;
  let id: string;
  let title: string;
  before(async () => {
    web = await sharedWeb();
    ({ investigation_id: id } = await web.call<{ investigation_id: string }>('POST', '/api/v1/investigate', {
      query: `${incident.title}.\n\nAlert ${alert?.name} fired at ${alert?.at}: ${alert?.summary}. What is the root cause?`,
    }));
    title = await waitUntil(
      async () => {
        const path = `/api/investigations/${id}`;
        const read = await web.call<{ status: string; alert_summary: string }>('GET', path);
        return read.status === 'completed' ? read.alert_summary : undefined;
      },
      { what: 'the end of the investigation' },
    );
  });

  it('opens for anyone with the link, until it is revoked', async () => {
    const { page, end } = await web.visit(`/investigation/${id}`);
    await page.getByRole('button', { name: 'Share' }).click();
    await page.getByRole('menuitem', { name: 'Create a read-only link' }).click();
    const dialog = page.getByRole('dialog', { name: 'Read-only links' });
    await dialog.getByLabel('Label').fill('<b>The vendor</b>');
    await dialog.getByLabel('Expires').selectOption('1');
    await dialog.getByRole('button', { name: 'Create link' }).click();
    const url = await copiedBy(dialog.getByRole('button', { name: 'Copy link' }));
    assert.match(url, /\/shared#cb_share_[\w-]{43}$/);
    await dialog.getByText('Never opened').waitFor();
    await assertPresentable(page, 'share-dialog');

    const reader = await web.visit(url.slice(new URL(url).origin.length), { as: null, expected: [/404/] });
    await reader.page.getByRole('heading', { level: 1, name: title }).waitFor();
    const called: string[] = [];
    reader.page.on('request', (request) => called.push(new URL(request.url()).pathname));
    await reader.page.reload();
    await reader.page.getByRole('heading', { level: 1, name: title }).waitFor();
    await reader.page.getByText(/^Read-only report shared from Casebook · expires /).waitFor();
    for (const name of ['What is going on', 'What to do next', 'Why', 'Timeline', 'Coverage', 'Cited evidence'])
      await reader.page.getByRole('heading', { level: 2, name }).waitFor();
    const citation = reader.page.getByRole('region', { name: 'Cause' }).getByRole('button').first();
    await citation.press('Enter');
    await reader.page.waitForFunction(() => document.activeElement?.id.startsWith('citation-'));
    assert.deepEqual([...new Set(called.filter((path) => path.startsWith('/api')))], ['/api/shared']);
    assert.equal(await reader.page.getByText('The vendor').count(), 0);
    await assertPresentable(reader.page, 'shared-report');

    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Share' }).click();
    await page.getByRole('menuitem', { name: 'Create a read-only link' }).click();
    await dialog.getByText('Opened 2 times').waitFor();
    await dialog.getByRole('button', { name: 'Revoke <b>The vendor</b>' }).click();
    await page.getByRole('button', { name: 'Revoke link' }).click();
    await dialog.getByText('No active links.').waitFor();
    await reader.page.reload();
    await reader.page.getByRole('heading', { name: 'This link does not work' }).waitFor();
    await assertPresentable(reader.page, 'shared-revoked');
    await reader.end();
    await end();
  });

  it('leads to the report, a citation or a moment of the timeline', async () => {
    const { page, end } = await web.visit(`/investigation/${id}`);
    await page.getByRole('button', { name: 'Share' }).click();
    assert.equal(
      await copiedBy(page.getByRole('menuitem', { name: 'Copy link to this report' })),
      `${web.url}/investigation/${id}`,
    );
    const moment = await copiedBy(page.getByRole('button', { name: 'Copy link to moment 1' }));
    await page.getByRole('region', { name: 'Cause' }).getByRole('button').first().click();
    const citation = await copiedBy(page.getByRole('dialog').getByRole('button', { name: 'Copy link' }));
    await page.goto(citation);
    await page.getByRole('dialog', { name: /^Citation \[\d+\]$/ }).waitFor();
    await page.goto(moment);
    const entry = page.locator('li#moment-1[aria-current=true]');
    await entry.waitFor();
    await page.waitForFunction(() => {
      const { top = -1, bottom = Infinity } = document.querySelector('#moment-1')?.getBoundingClientRect() ?? {};
      return top >= 0 && bottom <= innerHeight;
    });
    await end();
  });

  it('leaves as a Markdown postmortem, and prints without the frame, in light colours', async () => {
    const { page, end } = await web.visit(`/investigation/${id}`, { theme: 'dark' });
    await page.getByRole('button', { name: 'Share' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'Download Markdown postmortem' }).click(),
    ]);
    const text = await readFile(await download.path(), 'utf8');
    const headings = ['Summary', 'Impact', 'Root cause', 'What to do next', 'Evidence'].map((one) => `## ${one}`);
    assert.deepEqual(
      headings.map((heading) => text.indexOf(heading)).toSorted((a, b) => a - b),
      headings.map((heading) => text.indexOf(heading)),
    );
    assert.ok(headings.every((heading) => text.includes(heading)));

    await page.emulateMedia({ media: 'print' });
    await page.waitForFunction(() => document.documentElement.dataset['theme'] === 'light');
    for (const part of ['Search and commands', 'Share', 'Rerun'])
      assert.equal(await page.getByRole('button', { name: part }).count(), 0, part);
    assert.equal(await page.getByRole('tablist').count(), 0);
    assert.equal(await page.getByRole('navigation').count(), 0);
    await page.getByRole('heading', { level: 2, name: 'Cited evidence' }).waitFor();
    await end();
  });
});
