import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { waitUntil } from '../support/wait-until.ts';
import { ask, byQuestion, type Lines } from '../features/chats/script.ts';
import { startHeldPrometheus } from '../support/held-prometheus.ts';
import { startNetwork } from '../support/network.ts';
import { startSatelliteProcess } from '../support/satellite-process.ts';
import { OUT_OF_SCRIPT, type Script, type ScriptedStep } from '../support/scripted-model/index.ts';
import {
  assertAccessible,
  assertFits,
  assertPresentable,
  copiedBy,
  PHONE,
  startWeb,
  untilFocused,
  type Web,
} from '../support/web/index.ts';

const fetchData = {
  name: 'query_metric',
  input: { source: 'incident:checkout-errors', service: 'checkout', metric: 'error_ratio' },
};
const look: ScriptedStep = { text: 'I look around.', toolUses: [{ name: 'list_sources', input: {} }] };
const ANSWER = 'It is the pool of connections of `payment` [1], “exhausted” since noon 🙂.\n\n- one\n- two\n';
/** Looks around, then is held in the middle of its answer at the gate of its name. */
const held = (gate: string): ScriptedStep[] => [
  look,
  { thinking: 'Let me think.', text: ANSWER, deltaCharacters: 4, hold: { gate, at: 'middle' } },
];
const HALF = 'It is the pool';
const LONG = Array.from({ length: 60 }, (_, index) => `## Part ${index + 1}\n\nWhat there is to say.\n\n`).join('');
const HOSTILE = [
  '<img src=x onerror="window.hacked=1">',
  '<script>window.hacked=1</script>',
  '[here](javascript:window.hacked=1)',
  '![pixel](https://evil.example/pixel.png)',
  '<svg onload="window.hacked=1"></svg> [1]',
].join('\n\n');

const lines: Record<string, Lines> = {
  answered: [
    { thinking: 'First a look.', text: 'I look.', toolUses: [{ name: 'list_sources', input: {} }, fetchData] },
    { text: 'Errors rise at 16:41 [2]. These are the sources [1].' },
  ],
  reload: held('reload'),
  stop: held('stop'),
  cut: held('cut'),
  elsewhere: held('elsewhere'),
  long: [{ text: LONG, deltaCharacters: 200, delayMsBetweenDeltas: 20 }],
  fails: [look, { error: { status: 400, type: 'invalid_request_error', message: 'No such thing here.' } }],
  starts: [
    { toolUses: [{ name: 'start_investigation', input: { query: '<b>Checkout</b> is slow since noon' } }] },
    { text: 'It is being investigated [1].' },
  ],
  hostile: [look, { text: HOSTILE }],
  acts: [{ toolUses: [{ name: 'shop_ops_restart', input: { what: 'checkout' } }] }, { text: 'It is restarted.' }],
  proposes: [
    { toolUses: [{ name: 'create_file', input: { path: 'proposed.md', content: '<b>by a chat</b>\n' } }] },
    { text: 'This is what I propose.' },
  ],
  short: [{ text: 'Because of it.' }],
};
const answers = byQuestion(lines, { chat_title: [{ text: 'Checkout is slow' }] });

/** Besides the questions by their names: charts of whatever is asked for. */
const script: Script = (context) => {
  const asked = JSON.stringify(context.request.messages);
  const id = /The chart is to show the tool result with tool_id ([0-9a-f-]{36})/.exec(asked)?.[1];
  if (id === undefined || asked.includes('<task'))
    return typeof answers === 'function' ? answers(context) : OUT_OF_SCRIPT;
  return asked.includes('"draw_chart"')
    ? { text: 'They rise at 16:41.' }
    : { toolUses: [{ name: 'draw_chart', input: { tool_id: id, title: 'Errors of checkout' } }] };
};

interface Detail {
  title: string;
  investigation_id: string | null;
  messages: { role: string; turn: { status: string; text: string; purpose: string } | null }[];
}

describe('the chat page', () => {
  let web: Web;
  before(async () => {
    web = await startWeb({ script });
  });
  after(() => web?.stop());

  const say = async (page: Page, text: string): Promise<void> => {
    await page.getByRole('textbox', { name: 'Message' }).fill(text);
    await page.keyboard.press('Enter');
  };
  const chatIdOf = async (page: Page): Promise<string> => {
    await page.waitForURL(/\/chat\/[0-9a-f-]{36}/);
    return /\/chat\/([0-9a-f-]{36})/.exec(page.url())?.[1] ?? '';
  };
  const detail = (chatId: string): Promise<Detail> => web.call('GET', `/api/chat/${chatId}`);
  const isComplete = (page: Page, answer = 1): Promise<void> =>
    page
      .getByRole('button', { name: 'Copy as Markdown' })
      .nth(answer - 1)
      .waitFor();
  const copied = (page: Page): Promise<string> =>
    copiedBy(page.getByRole('button', { name: 'Copy as Markdown' }).last());
  const begun = async (question: string): Promise<string> => {
    const { chat_id: id } = await web.call<{ chat_id: string }>('POST', '/api/v1/chat', {
      messages: [{ role: 'user', content: question }],
    });
    return id;
  };

  it('shows what a chat proposes to change as a diff before it is taken', async () => {
    const messages = [{ role: 'user', content: ask('proposes', 'Change the files.') }];
    const { chat_id: chatId } = await web.call<{ chat_id: string }>('POST', '/api/chat-editor', {
      messages,
      mode: 'propose',
    });
    const { page, end } = await web.visit(`/chat/${chatId}`);
    const changes = page.getByRole('region', { name: 'File changes' });
    await changes.getByText('Proposed', { exact: true }).waitFor();
    await changes.getByRole('region', { name: 'Diff' }).getByText('+<b>by a chat</b>').waitFor();
    await assertPresentable(page, 'chat-proposal');
    await changes.getByRole('button', { name: 'Apply changes' }).focus();
    await page.keyboard.press('Enter');
    await changes.getByText('Committed', { exact: true }).waitFor();
    assert.equal(await changes.getByRole('button', { name: 'Apply changes' }).count(), 0);
    const file = await web.call<{ content: string }>('GET', '/api/workspace/file?path=proposed.md');
    assert.equal(file.content, '<b>by a chat</b>\n');
    await page.reload();
    await changes.getByText('Committed', { exact: true }).waitFor();
    await end();
  });

  it('answers by keyboard alone, under an address of its own, and shows what the answer rests on', async () => {
    const { page, end } = await web.visit('/chat');
    const field = page.getByRole('textbox', { name: 'Message' });
    await untilFocused(field);
    await page.keyboard.type('One line');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type(ask('answered'));
    await assertAccessible(page);
    await page.keyboard.press('Enter');
    const chatId = await chatIdOf(page);
    await isComplete(page);
    await untilFocused(field);
    assert.equal(await field.inputValue(), '');
    const { messages } = await detail(chatId);
    assert.equal(await copied(page), messages.at(-1)?.turn?.text);
    assert.match((await page.getByRole('article', { name: 'You asked' }).textContent()) ?? '', /^You askedOne line\n/);
    await assertAccessible(page);

    await page.getByRole('button', { name: 'Citation 2: Query error_ratio of checkout' }).press('Enter');
    const panel = page.getByRole('dialog', { name: 'Query error_ratio of checkout' });
    await panel.getByRole('searchbox', { name: 'Search the result' }).waitFor();
    assert.match(page.url(), /call=/);
    await page.reload();
    await panel.getByRole('searchbox', { name: 'Search the result' }).waitFor();
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'hidden' });
    assert.doesNotMatch(page.url(), /call=/);
    await page.getByRole('button', { name: /^Done: Query error_ratio of checkout/ }).click();
    await page.getByRole('region', { name: 'Input' }).getByText('"incident:checkout-errors"').waitFor();
    await end();
  });

  it('resumes an answer after a reload, and shows it in a second tab, byte for byte and once', async () => {
    const { page, context, end } = await web.visit('/chat');
    await say(page, ask('reload'));
    const chatId = await chatIdOf(page);
    await page.getByText(HALF).waitFor();
    await page.reload();
    await page.getByText(HALF).waitFor();
    const second = await context.newPage();
    await second.goto(`/chat/${chatId}`);
    await second.getByText(HALF).waitFor();
    await second.getByRole('button', { name: 'Stop' }).waitFor();
    const list = await context.newPage();
    await list.goto('/chats');
    const row = list.getByRole('listitem').filter({ has: list.locator(`a[href="/chat/${chatId}"]`) });
    await row.getByText('Running').waitFor();
    web.cluster.model.release('reload');
    for (const each of [page, second]) {
      await isComplete(each);
      await each.bringToFront();
      assert.equal(await copied(each), `I look around.\n\n${ANSWER}`);
      assert.equal((await each.getByRole('log').innerText()).split(HALF).length, 2);
    }
    await list.bringToFront();
    await row.getByText('Running').waitFor({ state: 'detached' });
    await end();
  });

  it('shows a turn that is begun elsewhere while the page is open', async () => {
    const chatId = await begun(ask('short'));
    const { page, end } = await web.visit(`/chat/${chatId}`);
    await page.getByText('Because of it.').waitFor();
    const said = web.call('POST', '/api/v1/chat', {
      chat_id: chatId,
      messages: [{ role: 'user', content: ask('elsewhere') }],
    });
    await page.getByText(HALF).waitFor();
    await page.getByRole('button', { name: 'Stop' }).waitFor();
    web.cluster.model.release('elsewhere');
    await said;
    await isComplete(page, 2);
    await end();
  });

  it('asks before a tool acts, and shows what it would do to who may decide', async () => {
    const system = await startHeldPrometheus();
    const { id: teamId } = await web.call<{ id: string }>('GET', '/api/team');
    const { token } = await web.call<{ token: string }>('POST', '/api/satellite-tokens', { name: 'shop' });
    const acting = join(import.meta.dirname, '..', 'chaos', 'support', 'acting-mcp-server.ts');
    const server = { name: 'ops', transport: 'stdio', command: process.execPath, args: [acting, system.url] };
    const settings = { mcp_servers: [server] };
    const satellite = await startSatelliteProcess({ url: web.url, token, name: 'shop', settings });
    try {
      const offered = async () =>
        JSON.stringify(await web.call('GET', `/satellite/tools/list?team_id=${teamId}`)).includes('"restart"') ||
        undefined;
      await waitUntil(offered, { what: 'the tools of the satellite' });
      const { page, end } = await web.visit('/chat');
      await say(page, ask('acts'));
      const card = page.getByRole('region', { name: 'Allow this action?' });
      await card.getByText('"what": "checkout"').waitFor();
      await page.getByText('Casebook is waiting for approval.').waitFor({ state: 'attached' });
      await assertPresentable(page, 'chat-approval');
      // Whoever comes later finds it on the home page.
      await page.goto('/');
      const waiting = page.locator('section', { has: page.getByRole('heading', { name: 'Waiting for approval' }) });
      await waiting.getByRole('link').click();
      await card.getByRole('button', { name: 'Approve' }).focus();
      await page.keyboard.press('Enter');
      await isComplete(page);
      await card.waitFor({ state: 'detached' });
      assert.equal(system.queries.filter(({ expr }) => expr === 'checkout').length, 1);
      await end();
    } finally {
      await satellite.stop();
      await system.stop();
    }
  });

  it('stops a turn where it runs, and keeps what was said', async () => {
    const { page, end } = await web.visit('/chat');
    await say(page, ask('stop'));
    const chatId = await chatIdOf(page);
    await page.getByText(HALF).waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('Stopped. The text so far is kept.').waitFor();
    const { messages } = await detail(chatId);
    assert.equal(messages.at(-1)?.turn?.status, 'cancelled');
    await page.getByText('I look around.').waitFor();
    web.cluster.model.release('stop');
    await end();
  });

  it('takes an answer up again when the connection breaks in mid-sentence', async () => {
    const network = await startNetwork(web.url);
    const { page, end } = await web.visit(`${network.url}chat`, { expected: [/Failed to load resource|ERR_/] });
    await say(page, ask('cut'));
    await chatIdOf(page);
    await page.getByText(HALF).waitFor();
    // What the page says of a lost connection is gone with the next one, which is refused until it was seen.
    await page.route('**/api/chat/*/stream*', (route) => route.abort());
    network.cut();
    await page.getByText('Connection lost.').waitFor();
    await page.unroute('**/api/chat/*/stream*');
    web.cluster.model.release('cut');
    await isComplete(page);
    assert.equal(await copied(page), `I look around.\n\n${ANSWER}`);
    assert.equal((await page.getByRole('log').innerText()).split(HALF).length, 2);
    await end();
    await network.stop();
  });

  it('says why a message could not be said, and keeps it', async () => {
    const chatId = await begun(ask('short'));
    const { page, end } = await web.visit(`/chat/${chatId}`, { expected: [/404/] });
    await page.getByText('Because of it.').waitFor();
    await web.call('DELETE', `/api/chat/${chatId}`);
    await say(page, 'And now?');
    await page.getByRole('alert').getByText('Chat not found.').waitFor();
    assert.equal(await page.getByRole('textbox', { name: 'Message' }).inputValue(), 'And now?');
    await end();
  });

  it('says why an answer failed', async () => {
    const { page, end } = await web.visit('/chat');
    await say(page, ask('fails'));
    await page.getByText('The answer failed. The model API answered with an error: No such thing here.').waitFor();
    await page.getByRole('button', { name: /List the telemetry sources/ }).waitFor();
    await end();
  });

  it('keeps a draft through a reload, fills in what the address says, and sends neither', async () => {
    const { page, end } = await web.visit('/chat?text=Why%20is%20it%20slow%3F');
    const field = page.getByRole('textbox', { name: 'Message' });
    await field.waitFor();
    assert.equal(await field.inputValue(), 'Why is it slow?');
    await field.fill('Something else');
    await page.reload();
    await field.waitFor();
    assert.equal(await field.inputValue(), 'Something else');
    assert.equal(await page.getByRole('article').count(), 0);
    assert.match(page.url(), /\/chat\?/);
    await end();
  });

  it('is about an investigation where the address says so', async () => {
    const { investigation_id: about } = await web.call<{ investigation_id: string }>('POST', '/api/v1/investigate', {
      query: 'Checkout is slow',
    });
    const { page, end } = await web.visit(`/chat?about=${about}`);
    await page.getByRole('link', { name: /^About the investigation: \S/ }).waitFor();
    await say(page, ask('short'));
    const chatId = await chatIdOf(page);
    await isComplete(page);
    assert.equal((await detail(chatId)).investigation_id, about);
    const link = page.getByRole('link', { name: 'Open investigation' });
    assert.equal(await link.getAttribute('href'), `/investigation/${about}`);
    await end();
  });

  it('draws a chart of a tool result in the chat', async () => {
    const chatId = await begun(ask('answered'));
    const { page, end } = await web.visit(`/chat/${chatId}`);
    await page.getByRole('button', { name: /^Done: Query error_ratio of checkout/ }).click();
    await page.getByRole('button', { name: 'Draw a chart' }).first().click();
    const chart = page.getByRole('img', { name: 'Errors of checkout' });
    await chart.scrollIntoViewIfNeeded();
    await isComplete(page, 2);
    await page.waitForFunction(() => [...document.images].some(({ naturalWidth }) => naturalWidth > 100));
    assert.equal((await detail(chatId)).messages.at(-1)?.turn?.purpose, 'chart');
    await end();
  });

  it('leads to an investigation that it has started, whose name is text', async () => {
    const { page, end } = await web.visit('/chat');
    await say(page, ask('starts'));
    const link = page.getByRole('link', { name: 'Open investigation' });
    await link.waitFor();
    assert.match((await link.getAttribute('href')) ?? '', /^\/investigation\/[0-9a-f-]{36}$/);
    await page.getByText('Investigate: <b>Checkout</b> is slow since noon').waitFor();
    await isComplete(page);
    await end();
  });

  it('runs and fetches nothing that a model writes', async () => {
    const { page, context, end } = await web.visit('/chat');
    const elsewhere: string[] = [];
    context.on('request', (request) => {
      if (new URL(request.url()).origin !== web.url) elsewhere.push(request.url());
    });
    await say(page, ask('hostile'));
    await isComplete(page);
    await page.getByText('<script>window.hacked=1</script>').waitFor();
    assert.equal(await page.getByRole('link', { name: 'here' }).count(), 0);
    assert.equal(await page.evaluate(() => 'hacked' in window), false);
    assert.deepEqual(elsewhere, []);
    await end();
  });

  it('stays at the end of an answer that grows, and where its reader has gone up', async () => {
    const { page, end } = await web.visit('/chat', { viewport: PHONE, theme: 'dark' });
    await say(page, ask('long'));
    await page.getByText('Part 20', { exact: true }).waitFor();
    const toEnd = (): Promise<number> =>
      page.evaluate(() => document.documentElement.scrollHeight - window.scrollY - window.innerHeight);
    await page.mouse.wheel(0, -800);
    const jump = page.getByRole('button', { name: 'Jump to latest' });
    await jump.waitFor();
    const place = await page.evaluate(() => window.scrollY);
    await page.getByText('Part 45', { exact: true }).waitFor({ state: 'attached' });
    // The turn of the wheel may not have come to its end when the button is there; down it never goes.
    assert.ok((await page.evaluate(() => window.scrollY)) <= place);
    await jump.click();
    await isComplete(page);
    await page.getByText('Part 60', { exact: true }).waitFor();
    await page.waitForFunction(() => document.documentElement.scrollHeight - window.scrollY - window.innerHeight < 10);
    assert.ok((await toEnd()) < 10);
    await assertFits(page);
    await assertAccessible(page);
    await end();
  });

  it('is renamed and deleted', async () => {
    const chatId = await begun(ask('short'));
    const { page, end } = await web.visit(`/chat/${chatId}`);
    await page.getByRole('button', { name: 'Chat actions' }).click();
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    await page.getByRole('textbox', { name: 'Title' }).fill('The pool of payment');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'The pool of payment' }).waitFor();
    assert.equal(await page.title(), 'The pool of payment · Casebook');
    await page.getByRole('button', { name: 'Chat actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await page.waitForURL((url) => url.pathname === '/chats');
    await assert.rejects(detail(chatId), /404/);
    await end();
  });

  it('lets those who may only read read, and says why they cannot write', async () => {
    const chatId = await begun(ask('short'));
    const { api_key: reader } = await web.call<{ api_key: string }>('POST', '/api/api-keys', {
      name: 'reader',
      scopes: ['chats:read'],
    });
    const { page, end } = await web.visit(`/chat/${chatId}`, { as: reader });
    await page.getByText('Because of it.').waitFor();
    await page.getByText('You have read-only access to chats.').waitFor();
    assert.equal(await page.getByRole('textbox', { name: 'Message' }).isDisabled(), true);
    assert.equal(await page.getByRole('button', { name: 'Draw a chart' }).count(), 0);
    await assertAccessible(page);
    await end();
  });

  it('talks with a monitoring agent in its chat', async () => {
    const { chat_id: agent } = await web.call<{ chat_id: string }>('POST', '/api/monitoring-chat', {
      message: 'Watch the shop.',
      active: false,
      plan: {
        checks: [
          {
            id: 'health',
            title: 'Health',
            check: { type: 'service_health', source: 'incident:checkout-errors' },
            schedule: { every_seconds: 300 },
          },
        ],
      },
    });
    const { page, end } = await web.visit(`/chat/${agent}`);
    const link = page.getByRole('link', { name: 'Open agent' });
    assert.equal(await link.getAttribute('href'), `/monitoring/${agent}`);
    await say(page, ask('short'));
    await page.getByText('Because of it.').waitFor();
    await isComplete(page);
    assert.equal((await detail(agent)).messages.at(-1)?.turn?.purpose, 'monitor');
    await end();
  });
});
