/** Services in the web app: the list, the graph, and the page of one, over the recorded incidents of the demo. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { assertPresentable, PHONE, sharedWeb, untilInView, type Web } from '../support/web/index.ts';

describe('services in the web app', () => {
  let web: Web;
  let apiKey: string;
  before(async () => {
    web = await sharedWeb();
    ({ apiKey } = await web.newTeam());
    const alert = { type: 'alert', title: 'Catalog is slow', fingerprint: randomUUID(), service: 'catalog' };
    await web.call('POST', '/api/monitor', alert, apiKey);
  });

  it('are listed with their open findings first, and searched; the address keeps the search', async () => {
    const { page, end } = await web.visit('/', { as: apiKey });
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('v');
    await page.waitForURL('**/services');
    const rows = page.getByRole('list', { name: 'Services' }).getByRole('listitem');
    await rows.first().getByText('1 open finding').waitFor();
    assert.match((await rows.first().textContent()) ?? '', /^catalog.*team discovery/);
    await page.getByRole('region', { name: 'Services and their calls' }).getByText('checkout').first().waitFor();
    await assertPresentable(page, 'services');
    await page.getByLabel('Search services').fill('team orders');
    await page.waitForURL('**/services?q=team+orders');
    await rows.filter({ hasText: 'catalog' }).waitFor({ state: 'hidden' });
    await page.reload();
    await rows.filter({ hasText: 'checkout' }).waitFor();
    await page.getByLabel('Search services').fill('no such service');
    await page.getByText('No matching services').waitFor();
    await end();
  });

  it('lead from the graph, by mouse, to the page of one: findings, changes, neighbours, owner', async () => {
    const { page, end } = await web.visit('/services', { as: apiKey });
    const graph = page.getByRole('region', { name: 'Services and their calls' });
    const node = graph.getByRole('button', { name: /^catalog/ });
    // Finding one brings it into view, and leads nowhere.
    await graph.getByLabel('Find a service').fill('redis');
    await page.keyboard.press('Enter');
    await untilInView(graph.getByRole('button', { name: /redis/ }).first());
    assert.equal(new URL(page.url()).pathname, '/services');
    // It lies outside the view in which the graph opens, and the focus brings it in.
    await node.focus();
    await untilInView(node);
    await node.click();
    await page.waitForURL('**/service?name=catalog');
    await page.getByRole('heading', { level: 1, name: 'catalog' }).waitFor();
    await page.getByRole('link', { name: 'Catalog is slow' }).waitFor();
    await page.getByText('Products, prices and search (Kotlin); team discovery').waitFor();
    await page.getByRole('link', { name: 'postgres-catalog', exact: true }).waitFor();
    const changes = page.locator('section', { has: page.getByRole('heading', { name: 'Changes', exact: true }) });
    await changes.getByRole('listitem').first().waitFor();
    await page.locator('section', { has: page.getByRole('heading', { name: 'Investigations' }) }).waitFor();
    await assertPresentable(page, 'service');
    await page.getByRole('link', { name: 'postgres-catalog', exact: true }).click();
    await page.waitForURL('**/service?name=postgres-catalog');
    await page.getByRole('heading', { level: 1, name: 'postgres-catalog' }).waitFor();
    await end();
  });

  it('work by touch on a phone', async () => {
    const { page, end } = await web.visit('/services', { as: apiKey, viewport: PHONE, touch: true });
    await page.getByRole('link', { name: 'catalog', exact: true }).tap();
    await page.getByRole('heading', { level: 1, name: 'catalog' }).waitFor();
    await assertPresentable(page, 'service-phone');
    await end();
  });

  it('that no source knows have a page that says so, whatever they are called', async () => {
    const name = `<img src=x onerror="document.title='owned'">/%2f?\u202E 123`;
    const { page, end } = await web.visit(`/service?${new URLSearchParams({ name })}`, { as: apiKey });
    await page.getByRole('heading', { level: 1, name: 'onerror' }).waitFor();
    await page.getByText('No connected source provides its owner.').waitFor();
    await page.getByText('No changes known.').waitFor();
    assert.notEqual(await page.title(), 'owned');
    await page.goto('/service');
    await page.getByRole('heading', { name: 'Service not found' }).waitFor();
    await end();
  });
});
