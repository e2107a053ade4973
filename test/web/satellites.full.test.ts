import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import type { Health } from '@casebook/wire';
import { assertPresentable, copiedBy, sharedWeb, untilFocused, type Web } from '../support/web/index.ts';
import { connectWireSatellite, type WireSatellite } from '../support/wire-satellite.ts';

const HOSTILE = '<img src=x onerror="document.title=\'owned\'">\u202E';
const LONG = 'nospaces'.repeat(12);

const inventory = {
  version: '1.2.3',
  labels: { region: 'eu-west', note: HOSTILE + LONG },
  connectors: [
    { id: 'metrics', kind: 'prometheus' as const, title: 'Prometheus of the shop', operations: [] },
    { id: 'logs', kind: 'loki' as const, title: HOSTILE + LONG, operations: [] },
  ],
  tools: ['read_ticket', 'close_ticket', LONG].map((name) => ({
    server: 'tickets',
    name,
    description: `${HOSTILE} ${LONG.repeat(5)}`,
    inputSchema: { type: 'object', properties: { [LONG]: { type: 'string' } } },
    readOnly: name === 'read_ticket',
  })),
};

const cluster = {
  name: 'prod-eu',
  connector: 'metrics',
  version: 'v1.33.1',
  nodes: { total: 5, ready: 4 },
  namespaces: 12,
  workloads: { total: 40, available: 39 },
  pods: { total: 120, running: 118, pending: 1, failed: 1, restarts: 7 },
  problems: [
    { kind: 'Pod', namespace: 'shop', name: 'checkout-7d9', reason: 'CrashLoopBackOff', message: HOSTILE + LONG },
  ],
  observedAgoMs: 1_000,
};

const edge = (caller: string, callee: string) => ({
  caller,
  callee,
  callsPerSecond: 12.5,
  errorRatio: 0.02,
  p95Seconds: 0.3,
  sources: ['service-graph' as const],
  seenAgoMs: 0,
  stale: false,
});

describe('the pages of satellites', () => {
  let web: Web;
  let apiKey: string;
  let token: string;
  const open: WireSatellite[] = [];
  before(async () => {
    web = await sharedWeb();
    ({ apiKey } = await web.newTeam());
    ({ token } = await web.call<{ token: string }>('POST', '/api/satellite-tokens', { name: 'first' }, apiKey));
  });
  after(() => {
    for (const satellite of open) satellite.cut();
  });
  const keepBeating = (satellite: WireSatellite, health: Health[] = []): void => {
    const beat = (): void => satellite.send({ type: 'heartbeat', sentAt: Date.now(), health });
    beat();
    const beating = setInterval(beat, 3_000);
    void satellite.closed.then(() => clearInterval(beating));
  };
  /** Connects one that keeps saying how it is. */
  const connect = async (name: string, health: Health[] = []): Promise<WireSatellite> => {
    const satellite = await connectWireSatellite({ url: web.url, token, name, inventory });
    open.push(satellite);
    keepBeating(satellite, health);
    satellite.send({ type: 'clusters', clusters: [cluster] });
    const edges = [edge('web', 'checkout'), edge('checkout', 'payments'), edge('checkout', HOSTILE + LONG)];
    satellite.send({ type: 'graph', epoch: randomUUID(), seq: 0, kind: 'snapshot', last: true, edges, gone: [] });
    return satellite;
  };
  const row = (page: Page, name: string) =>
    page.getByRole('list', { name: 'Satellites' }).getByRole('listitem').filter({ hasText: name });

  it('makes a token by keys alone, shows it once, and lets a satellite in with it that appears by itself', async () => {
    const { page, end } = await web.visit('/satellites', { as: apiKey });
    await page.getByText('No satellites yet').waitFor();
    await page.getByLabel('Token name').fill(`${HOSTILE} eu`.replace('\u202E', ''));
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Start a satellite with this token' });
    await dialog.waitFor();
    await assertPresentable(page, 'satellites-token');
    const command = await copiedBy(dialog.getByRole('button', { name: 'Copy command' }));
    const made = /CASEBOOK_SATELLITE_TOKEN=(\S+)/.exec(command)?.[1];
    assert.ok(made !== undefined && command.includes(`CASEBOOK_URL=${web.url}`), command);
    // Beside the dialog: a slip of the finger must not lose what is not shown again.
    await page.mouse.click(5, 5);
    await dialog.getByText(made).waitFor();
    await dialog.getByRole('button', { name: 'Close' }).press('Enter');
    await dialog.waitFor({ state: 'hidden' });
    assert.ok(!(await page.content()).includes(made));

    const satellite = await connectWireSatellite({ url: web.url, token: made, name: 'arrives' });
    open.push(satellite);
    keepBeating(satellite);
    await row(page, 'arrives').getByText('Online').waitFor();
    const tokens = page.getByRole('region', { name: 'Enrolment tokens' });
    await tokens.getByRole('button', { name: /^Revoke.*eu$/ }).press('Enter');
    await assertPresentable(page, 'satellites-revoke');
    await page.getByRole('button', { name: 'Revoke token' }).press('Enter');
    await tokens.getByText('Revoked').waitFor();
    await row(page, 'arrives').getByText('Offline').waitFor();
    assert.equal(await page.title(), 'Satellites · Casebook');
    await end();
  });

  it('shows what a satellite reaches: its connectors, tools and clusters, with hostile words as text', async () => {
    const looked = { of: 'connector' as const, checkedAgoMs: 500 };
    await connect('reaches', [
      { id: 'metrics', status: 'ok', ...looked },
      { id: 'logs', status: 'failing', message: `refused by ${HOSTILE}${LONG}`, ...looked },
    ]);
    const { page, end } = await web.visit('/satellites', { as: apiKey });
    await row(page, 'reaches').getByText('Degraded').waitFor();
    await assertPresentable(page, 'satellites');
    await row(page, 'reaches').getByRole('link').press('Enter');
    await page.getByRole('tab', { name: 'Connectors' }).press('Enter');
    await page.getByRole('cell').getByText('Failing').waitFor();
    await assertPresentable(page, 'satellite-connectors');
    await page.getByRole('tab', { name: 'Tools (3)' }).click();
    await page.getByText('Can make changes').first().waitFor();
    await page.getByText('Arguments of read_ticket').click();
    await assertPresentable(page, 'satellite-tools');
    await page.getByRole('searchbox').fill('close');
    await page.getByText('1 of 3 tools').waitFor();
    await page.getByRole('tab', { name: 'Clusters' }).click();
    await page.getByText('CrashLoopBackOff').waitFor();
    await assertPresentable(page, 'satellite-clusters');
    await page.reload();
    await page.getByText('CrashLoopBackOff').waitFor();
    assert.equal(await page.title(), 'reaches · Casebook');
    await end();
  });

  it('draws its services, and says what suffers when one fails', async () => {
    const { id } = await connect('draws');
    const { page, end } = await web.visit(`/satellites/${id}`, { as: apiKey });
    await page.getByRole('heading', { name: '4 services, 3 calls' }).waitFor();
    await page.getByText('Select a service').waitFor();
    // By mouse in the drawing, then by the table.
    await page.locator('.react-flow__node', { hasText: 'checkout' }).getByRole('button').click();
    await page.getByText('1 service is affected when it fails').waitFor();
    await page.getByText('Show as table').click();
    await page.getByRole('row').getByRole('button', { name: 'payments' }).click();
    await page.getByText('2 services are affected when it fails').waitFor();
    await page.getByText('Through checkout').waitFor();
    await assertPresentable(page, 'satellite-services');
    await page.reload();
    await page.getByText('2 services are affected when it fails').waitFor();
    await end();
  });

  it('follows the state of a satellite, and removes it after asking', async () => {
    const satellite = await connect('removed');
    const { page, end } = await web.visit(`/satellites/${satellite.id}?tab=connectors`, {
      as: apiKey,
      expected: [/404/],
    });
    const heading = page.getByRole('heading', { level: 1 });
    await heading.getByText('Online').waitFor();
    satellite.cut();
    await heading.getByText('Offline').waitFor();
    const remove = page.getByRole('button', { name: 'Remove', exact: true });
    await remove.press('Enter');
    await page.getByRole('alertdialog', { name: 'Remove removed?' }).waitFor();
    // What is safe has the focus.
    await page.waitForFunction(() => document.activeElement?.textContent === 'Cancel');
    await page.keyboard.press('Enter');
    await untilFocused(remove);
    await remove.press('Enter');
    await page.getByRole('button', { name: 'Remove satellite' }).press('Enter');
    await page.waitForURL('**/satellites');
    await row(page, 'removed').waitFor({ state: 'hidden' });
    await page.goto(`/satellites/${satellite.id}`);
    await page.getByRole('heading', { name: 'Satellite not found' }).waitFor();
    await end();
  });
});
