/**
 * Takes the README's screenshots of the web app from an installation that runs `npm run demo`:
 * npm run pictures -- [--url URL --key KEY] [--investigation ID] [--agent ID]
 * The default is the installation of `CASEBOOK_HOME`, the first investigation the demo made, and its monitoring agent.
 * A chat is created for its own picture. Needs Chromium, and pngquant to shrink the files.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { z } from 'zod';
import type { CasebookAddress } from '../demo/casebook-api.ts';
import { runningInstance } from '../src/embedded/instance.ts';
import { closeBrowser, sharedBrowser } from '../test/support/web/browser.ts';

const docs = join(import.meta.dirname, '..', 'docs');
const MAX_BYTES = 250_000;
const SIZE = { width: 1280, height: 900 };

const investigations = z.object({ items: z.array(z.object({ id: z.string(), status: z.string() })) });
const detail = z.object({
  citations: z.array(z.object({ n: z.number(), tool_call_id: z.string().nullable() })),
  steps: z.array(z.object({ tool_calls: z.array(z.object({ id: z.string(), has_series: z.boolean() })) })),
});
const agents = z.object({ chats: z.array(z.object({ chat_id: z.string(), title: z.string() })) });
const answered = z.object({ chat_id: z.string() });

interface Picture {
  name: string;
  path: string;
  theme?: 'light' | 'dark';
  /** Where more is to be seen than usual. */
  height?: number;
  /** Awaits what is to be seen, and brings it into view. */
  show(page: Page): Promise<void>;
}

const { values: given } = parseArgs({
  options: {
    url: { type: 'string' },
    key: { type: 'string' },
    investigation: { type: 'string' },
    agent: { type: 'string' },
  },
});

const casebook = address();
const pictures = await choose();
try {
  const browser = await sharedBrowser();
  for (const picture of pictures) await take(browser, picture);
} finally {
  await closeBrowser();
}

function address(): CasebookAddress {
  const { url, key } = given;
  if (url !== undefined && key !== undefined) return { apiUrl: url, apiKey: key };
  const home = resolve(process.env['CASEBOOK_HOME'] ?? '.casebook');
  const apiUrl = runningInstance(home)?.apiUrl;
  if (apiUrl === undefined) throw new Error(`Nothing runs on ${home}: start npm run demo, or give --url and --key.`);
  return { apiUrl, apiKey: key ?? readFileSync(join(home, 'bootstrap-api-key'), 'utf8').trim() };
}

/** Some endpoints take the key in the one header, some in the other. */
async function call(method: 'GET' | 'POST', path: string, body?: object): Promise<unknown> {
  const { apiUrl, apiKey } = casebook;
  const headers = { 'x-api-key': apiKey, authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const response = await fetch(apiUrl + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
  return await response.json();
}

async function choose(): Promise<Picture[]> {
  const id = given.investigation ?? (await firstInvestigation());
  const { citations, steps } = detail.parse(await call('GET', `/api/investigations/${id}`));
  const drawable = new Set(
    steps.flatMap((step) => step.tool_calls.flatMap((call) => (call.has_series ? call.id : []))),
  );
  const cited = citations.find(({ tool_call_id: call }) => call !== null && drawable.has(call));
  if (cited === undefined) throw new Error('The investigation cites no metric that can be drawn.');
  const chat = await makeChat();
  const agent = given.agent ?? (await demoAgent());
  const cause = (page: Page): Promise<void> => page.getByRole('heading', { name: 'Cause', exact: true }).waitFor();
  return [
    { name: 'investigation', path: `/investigation/${id}`, show: cause },
    { name: 'investigation-dark', path: `/investigation/${id}`, theme: 'dark', show: cause },
    { name: 'citation', path: `/investigation/${id}?citation=${cited.n}`, height: 1_380, show: showExcerpt },
    {
      name: 'monitoring',
      path: `/monitoring/${agent}`,
      height: 960,
      show: (page) => page.getByRole('heading', { name: 'Latest sessions' }).waitFor(),
    },
    { name: 'chat', path: `/chat/${chat}`, height: 1_620, show: showChart },
  ];
}

async function firstInvestigation(): Promise<string> {
  const { items } = investigations.parse(await call('GET', '/api/investigations?status=completed&count=100'));
  const first = items.at(-1);
  if (first === undefined) throw new Error('No investigation has been completed yet.');
  return first.id;
}

async function demoAgent(): Promise<string> {
  const { chats } = agents.parse(await call('GET', '/api/monitoring-chat/list'));
  const agent = chats.find(({ title }) => title.startsWith('Watch over'));
  if (agent === undefined) throw new Error('There is no monitoring agent of the demo.');
  return agent.chat_id;
}

/** Asks how the shop answers its customers, and to draw it. */
async function makeChat(): Promise<string> {
  const messages = [{ role: 'user', content: 'How is the p95 latency of storefront?' }];
  const { chat_id } = answered.parse(await call('POST', '/api/v1/chat', { messages }));
  await call('POST', '/api/chat-viz', { chat_id, prompt: 'Draw it.' });
  return chat_id;
}

/** The chart and the excerpt below it. */
async function showExcerpt(page: Page): Promise<void> {
  const table = page.getByRole('dialog').getByText('Show as table');
  await table.waitFor();
  await page.locator('mark').first().waitFor();
  // The wheel turns over the chart, so that the result, which scrolls within itself, stays at the excerpt.
  await table.hover();
  await page.mouse.wheel(0, 130);
  await page.waitForTimeout(500);
}

async function showChart(page: Page): Promise<void> {
  await page.locator('figure img').waitFor();
  // The picture is fetched by now; a script of ours may not be evaluated in the page, by its policy.
  await page.waitForLoadState('networkidle');
  await page.locator('figure').scrollIntoViewIfNeeded();
}

async function take(
  browser: Browser,
  { name, path, theme = 'light', height = SIZE.height, show }: Picture,
): Promise<void> {
  const { apiUrl, apiKey } = casebook;
  const context = await browser.newContext({
    baseURL: apiUrl,
    viewport: { ...SIZE, height },
    deviceScaleFactor: 2,
    colorScheme: theme,
    reducedMotion: 'reduce',
  });
  try {
    const session = { data: { api_key: apiKey }, headers: { origin: apiUrl } };
    const signedIn = await context.request.post('/api/session', session);
    if (!signedIn.ok()) throw new Error(`Signing in was answered with ${signedIn.status()}.`);
    const page = await context.newPage();
    await page.goto(path);
    await show(page);
    const loading = page.getByRole('status', { name: 'Loading' });
    while ((await loading.count()) > 0) await loading.first().waitFor({ state: 'detached' });
    const file = join(docs, `${name}.png`);
    // The ring around what has the focus belongs to who uses the page.
    await page.evaluate('document.activeElement?.blur()');
    await page.screenshot({ path: file, animations: 'disabled' });
    execFileSync('pngquant', ['--force', '--skip-if-larger', '--strip', '--speed', '1', '--output', file, '--', file]);
    const { size } = statSync(file);
    console.log(`docs/${name}.png: ${Math.round(size / 1_000)} kB`);
    if (size > MAX_BYTES) throw new Error(`docs/${name}.png is larger than ${MAX_BYTES} bytes.`);
  } finally {
    await context.close();
  }
}
