/** Findings in the web app: what alerts and checks report, whatever it says, and who was told. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { waitUntil } from '../support/wait-until.ts';
import { assertAccessible, assertFits, assertPresentable, PHONE, sharedWeb, type Web } from '../support/web/index.ts';

interface Told {
  alerts: { finding_id: string }[];
}

interface Investigated {
  investigation: { id: string; status: string };
}

const HOSTILE = `<img src=x onerror="document.title='run'"> \u202Eabc `;

describe('findings in the web app', () => {
  let web: Web;
  before(async () => {
    web = await sharedWeb();
  });

  /** Tells of an alert as a monitoring tool does. @returns the finding */
  const alert = async (title: string, more: object = {}, agent?: string): Promise<string> => {
    const body = { type: 'alert', title, fingerprint: randomUUID(), ...more };
    const told = await web.call<Told>('POST', `/api/monitor${agent === undefined ? '' : `?chat_id=${agent}`}`, body);
    return told.alerts[0]!.finding_id;
  };
  const makeAgent = async (title: string): Promise<string> => {
    const plan = {
      checks: [
        {
          id: 'up',
          title: 'Up',
          check: {
            type: 'metric',
            source: 'incident:nowhere',
            metric: 'up',
            condition: { type: 'threshold', operator: '>', value: 1 },
          },
          schedule: { every_seconds: 3_600 },
        },
      ],
    };
    const made = await web.call<{ chat_id: string }>('POST', '/api/monitoring-chat', { message: title, title, plan });
    return made.chat_id;
  };

  /** Waits until the investigation of a finding has ended. */
  const ended = (id: string) =>
    waitUntil(
      async () => {
        const finding = await web.call<Investigated>('GET', `/api/findings/${id}`);
        return finding.investigation?.status === 'completed' ? finding : undefined;
      },
      { what: `the report on finding ${id}` },
    );

  it('lists them with filters that stay in the address, and shows new ones by itself', async () => {
    const agent = await makeAgent('Watches the till');
    await alert('Queue of orders grows', { severity: 'critical', service: 'orders' });
    await alert('Till is slow', { severity: 'info' }, agent);
    const { page, end } = await web.visit('/findings');
    await page.getByRole('link', { name: 'Queue of orders grows' }).waitFor();
    await page.getByRole('link', { name: 'Till is slow' }).waitFor();
    await assertAccessible(page);
    await page.getByLabel('Severity').selectOption('critical');
    await page.getByRole('link', { name: 'Till is slow' }).waitFor({ state: 'hidden' });
    await page.waitForURL(/severity=critical/);
    await alert('A second critical one', { severity: 'critical' });
    await page.getByRole('link', { name: 'A second critical one' }).waitFor();
    await page.reload();
    await page.getByRole('link', { name: 'Queue of orders grows' }).waitFor();
    assert.equal(await page.getByRole('link', { name: 'Till is slow' }).count(), 0);
    await page.getByLabel('Severity').selectOption('');
    await page.getByLabel('Agent').selectOption({ label: 'Watches the till' });
    await page.getByRole('link', { name: 'Till is slow' }).waitFor();
    await page.getByRole('link', { name: 'Queue of orders grows' }).waitFor({ state: 'hidden' });
    await page.getByLabel('Opened by').selectOption('check');
    await page.getByText('No findings', { exact: true }).waitFor();
    await page.getByLabel('Opened by').selectOption('alert');
    await page.getByRole('link', { name: 'Till is slow' }).waitFor();
    await page.getByLabel('Status').selectOption('closed');
    await page.getByText('No findings', { exact: true }).waitFor();
    await assertAccessible(page);
    await end();
  });

  it('shows one: what was observed, who was notified, the investigation it opened, and the agent', async () => {
    const agent = await makeAgent('Watches checkout');
    const id = await alert('Checkout fails', { summary: 'One in three.', labels: { team: 'shop' } }, agent);
    const { page, end } = await web.visit(`/finding/${id}`);
    await page.getByRole('heading', { level: 1, name: 'Checkout fails' }).waitFor();
    await page.getByText('One in three.').first().waitFor();
    await page.getByText('No channel configured').first().waitFor();
    await page.getByText('shop', { exact: true }).waitFor();
    await page.getByText('Message', { exact: true }).first().click();
    await assertAccessible(page);
    const thread = page.locator('section', { has: page.getByRole('heading', { name: 'Outcome' }) });
    await thread.getByRole('heading', { name: 'Investigation' }).waitFor();
    await thread.getByText('Opened').waitFor();
    await page.getByRole('link', { name: 'Watches checkout', exact: true }).press('Enter');
    await page.waitForURL(`**/monitoring/${agent}`);
    await page.getByRole('tab', { name: 'Findings' }).click();
    await page.getByRole('link', { name: 'Checkout fails' }).press('Enter');
    await page.waitForURL(`**/finding/${id}`);
    const { investigation } = await ended(id);
    const link = thread.locator(`a[href$="/investigation/${investigation.id}"]`);
    await link.waitFor();
    const { alert_summary: title } = await web.call<{ alert_summary: string }>(
      'GET',
      `/api/investigations/${investigation.id}`,
    );
    await link.getByText(title, { exact: true }).waitFor();
    assert.equal(await page.getByText('Find the root cause.').count(), 0, 'the prompt is shown');
    await assertPresentable(page, 'finding');
    await link.press('Enter');
    await page.waitForURL('**/investigation/*');
    const strip = page.getByRole('navigation', { name: 'From finding to verification' });
    const back = strip.getByRole('link', { name: 'Finding', exact: true });
    await back.waitFor();
    await strip.getByText('Not yet', { exact: true }).waitFor();
    await assertAccessible(page);
    await back.click();
    await page.waitForURL(`**/finding/${id}`);
    await link.waitFor();
    await end();
  });

  it('lets people take care of one, by keyboard, and shows who did what', async () => {
    const name = `Anna <b>${randomUUID()}`;
    await web.call('POST', '/api/team/members', { email: `${randomUUID()}@example.com`, name, role: 'member' });
    const id = await alert('Basket loses items', { severity: 'critical' });
    const { page, end } = await web.visit(`/finding/${id}`);
    const timeline = page.locator('section', { has: page.getByRole('heading', { name: 'Timeline' }) });
    await page.getByRole('button', { name: 'Acknowledge', exact: true }).press('Enter');
    await timeline.getByText('acknowledged it').waitFor();
    await page.getByRole('button', { name: 'Unacknowledge' }).waitFor();
    await page.getByLabel('Assignee').selectOption({ label: name });
    await timeline.getByText(`assigned it to ${name}`).waitFor();
    await page.getByLabel('Mute notifications for').selectOption({ label: '4 hours' });
    await page.getByRole('button', { name: 'Unmute' }).waitFor();
    await page.getByLabel('Comment').fill(HOSTILE);
    await page.getByRole('button', { name: 'Add comment' }).press('Enter');
    await timeline.getByText('<img src=x').waitFor();
    const isCleared = async () => (await page.getByLabel('Comment').inputValue()) === '' || undefined;
    await waitUntil(isCleared, { what: 'an empty comment' });
    await assertAccessible(page);
    await page.getByRole('button', { name: 'Close', exact: true }).press('Enter');
    await page.getByRole('button', { name: 'Close finding' }).press('Enter');
    await timeline.getByText('closed it').waitFor();
    await page.getByRole('button', { name: 'Acknowledge', exact: true }).waitFor({ state: 'hidden' });
    await page.reload();
    await timeline.getByText('commented').waitFor();
    await assertAccessible(page);
    await end();
    const phone = await web.visit('/findings?status=closed', { viewport: PHONE, theme: 'dark' });
    await phone.page.getByText('Acknowledged').first().waitFor();
    await assertFits(phone.page);
    await phone.end();
  });

  it('shows what an alert says as text, however long and whatever it is', async () => {
    const id = await alert(HOSTILE + 'W'.repeat(900), {
      summary: HOSTILE + 'x'.repeat(1_000),
      severity: 'critical',
      labels: {
        [`<b>${'n'.repeat(100)}</b>`]: HOSTILE + 'y'.repeat(400),
        script: '<script>document.title="run"</script>',
      },
      links: [{ label: 'Runbook', url: 'https://example.com/runbook' }],
    });
    for (const path of ['/findings', `/finding/${id}`]) {
      const { page, end } = await web.visit(path, { viewport: PHONE, theme: 'dark' });
      await page.getByRole('heading', { name: /<img/ }).first().waitFor();
      await assertFits(page);
      assert.equal(await page.locator('main img, main script, main b').count(), 0, path);
      const title = page.getByRole('heading', { name: /<img/ }).first();
      assert.ok((await title.boundingBox())!.height < 200, `the title takes the page at ${path}`);
      await assertAccessible(page);
      assert.notEqual(await page.title(), 'run');
      if (path !== '/findings') {
        const link = page.getByRole('link', { name: 'example.com: Runbook', exact: true });
        assert.equal(await link.getAttribute('href'), 'https://example.com/runbook');
        assert.match((await link.getAttribute('rel')) ?? '', /noopener noreferrer nofollow/);
      }
      await end();
    }
  });

  it('says so where there is no such finding', async () => {
    const { page, end } = await web.visit(`/finding/${randomUUID()}`, { expected: [/status of 404/] });
    await page.getByRole('heading', { level: 1, name: 'Finding not found' }).waitFor();
    await assertAccessible(page);
    await page.getByRole('link', { name: 'All findings' }).press('Enter');
    await page.waitForURL('**/findings');
    await end();
  });
});
