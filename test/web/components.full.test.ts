import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { Page } from 'playwright-core';
import { assertAccessible, assertFits } from '../support/web/index.ts';
import { openComponents, type Components } from './components/open-components.ts';

declare global {
  function show(name: string, props: object): void;
  function hide(): void;
  // oxlint-disable-next-line no-var -- the page declares it so
  var calls: unknown[][];
}

const EVIL = 'https://evil.example';
const CHART = '/api/charts/123e4567-e89b-42d3-a456-426614174000';
const BIDI = '\u202Egnorw\u202C';

const logLines = Array.from({ length: 10_000 }, (_, row) => `row ${row} ${'detail '.repeat(65)}end`).join('\n');
/** As `get_trace` returns it, with names that nobody should trust. */
const trace = {
  source: 'jaeger',
  trace_id: `abc${BIDI}`,
  duration_ms: 436,
  span_count: 40,
  spans: [
    { depth: 0, service: 'web', operation: 'GET /cart', offset_ms: 0, duration_ms: 436, self_ms: 5 },
    { depth: 1, service: 'web', operation: 'cart', offset_ms: 3, duration_ms: 431, network_ms: 401, hidden: 12 },
    { depth: 2, service: 'cart', operation: 'load', offset_ms: 204, duration_ms: 30, self_ms: 20, status: 'error' },
    {
      depth: 40,
      service: `<img src=${EVIL}/x onerror=alert(1)>${BIDI}`,
      operation: 'w'.repeat(5_000),
      offset_ms: -1e300,
      duration_ms: 'long',
    },
  ],
};

const RESULTS: Record<string, string> = {
  trace: JSON.stringify(trace),
  error: JSON.stringify({ error: 'there is no such trace' }),
  long: logLines,
  huge: 'alert(1)\n'.repeat(700_000),
  json: JSON.stringify({ rows: Array.from({ length: 400 }, (_, row) => ({ row, text: 'x'.repeat(120) })) }),
  hostile: `<script>alert(1)</script><img src=${EVIL}/x onerror=alert(1)>\n${BIDI} \u0000\u001b[2J\n${'w'.repeat(1_000_000)}\nlast line`,
};

describe('web: components on hostile and big content', () => {
  let components: Components;
  const asked: string[] = [];

  before(async () => {
    components = await openComponents((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
      asked.push(`${pathname}?${searchParams}`);
      if (pathname === CHART) {
        response.writeHead(200, { 'Content-Type': 'image/svg+xml' });
        response.end('<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"></svg>');
        return;
      }
      const id = pathname.split('/').at(-1) ?? '';
      const text = RESULTS[id] ?? '';
      const offset = Number(searchParams.get('offset'));
      const end = Math.min(offset + Number(searchParams.get('limit')), text.length);
      response.writeHead(200, { 'Content-Type': 'application/json' });
      response.end(
        JSON.stringify({
          id,
          conversation_id: id,
          evidence: 1,
          tool: 'search_logs',
          input: {},
          status: 'completed',
          is_error: false,
          sha256: createHash('sha256').update(text).digest('hex'),
          bytes: Buffer.byteLength(text),
          characters: text.length,
          offset,
          content: text.slice(offset, end),
          next_offset: end < text.length ? end : null,
        }),
      );
    });
  });
  after(async () => await components.close());

  /** Shows one component on a page of its own; afterwards nothing must have run, been fetched elsewhere or spilled. */
  const shown = async (
    name: string,
    props: object,
    use: (page: Page, theme: string) => Promise<void>,
  ): Promise<void> => {
    for (const options of [
      { colorScheme: 'light', viewport: { width: 1280, height: 900 } },
      { colorScheme: 'dark', viewport: { width: 360, height: 740 } },
    ] as const) {
      const { page, errors, elsewhere } = await components.newPage(options);
      page.on('dialog', (dialog) => {
        errors.push(`dialog: ${dialog.message()}`);
        void dialog.dismiss();
      });
      await page.evaluate(([name, props]) => globalThis.show(name, props), [name, props] as const);
      await use(page, options.colorScheme);
      assert.deepEqual(elsewhere, []);
      assert.equal(
        await page.locator('script:not([type=module]), iframe, object, embed, [onerror], [onclick]').count(),
        0,
      );
      await assertFits(page);
      await assertAccessible(page);
      await page.evaluate(() => globalThis.hide());
      assert.deepEqual(errors, []);
      await page.context().close();
    }
  };

  it('ToolTrace: a waterfall to look at, the same to read, and as a table', async () => {
    await shown('ToolTrace', { toolId: 'trace' }, async (page) => {
      const waterfall = page.getByRole('figure', { name: 'Trace waterfall' });
      await waterfall.getByText('436 ms, 40 spans (4 shown), 1 failed').waitFor();
      const rows = await waterfall.getByRole('listitem').allInnerTexts();
      assert.match(rows[0]!, /Level 1:\s+web GET \/cart\s+436 ms, 5 ms self time/);
      assert.match(rows[1]!, /12 child spans not shown\s+431 ms, 401 ms network/);
      assert.match(rows[2]!, /Level 3:\s+cart load Failed\s+30 ms, 20 ms self time/);
      assert.match(rows[3]!, /Level 41:\s+<img src=/);
      const bars = await waterfall.locator('li [aria-hidden] > div').evaluateAll((all) =>
        all.map((bar) => {
          const [inner, outer] = [bar.getBoundingClientRect(), bar.parentElement!.getBoundingClientRect()];
          return [(inner.left - outer.left) / outer.width, inner.width / outer.width].map((share) =>
            Math.round(share * 100),
          );
        }),
      );
      assert.deepEqual(bars.slice(0, 3), [
        [0, 100],
        [1, 99],
        [47, 7],
      ]);
      await page.getByText('Show as table').focus();
      await page.keyboard.press('Enter');
      const table = page.getByRole('region', { name: /^Spans of trace abc/ });
      await table.waitFor();
      assert.equal(await table.getByRole('row').count(), 5);
      assert.deepEqual(await table.getByRole('row').nth(3).getByRole('cell').allInnerTexts(), [
        'load',
        '204 ms',
        '30 ms',
        '20 ms',
        '',
        'Failed',
      ]);
    });
  });

  it('ToolTrace: draws nothing of what is no trace', async () => {
    for (const toolId of ['error', 'hostile']) {
      await shown('ToolTrace', { toolId }, async (page) => {
        await page.waitForLoadState('networkidle');
        assert.equal(await page.getByRole('figure').count(), 0);
      });
    }
  });

  it('Markdown: nothing runs, nothing is fetched, HTML is text, citations are buttons', async () => {
    const text = [
      '# Title [1]',
      `<script>alert(1)</script> <img src="${EVIL}/a.png" onerror="alert(1)"> <svg onload=alert(1)>`,
      `![pixel](${EVIL}/pixel.png) ![data](data:image/svg+xml,<svg/onload=alert(1)>) ![chart](${CHART})`,
      `[a](javascript:alert(1)) [b](JaVa&#x53;cript:alert(1)) [c](<java\tscript:alert(1)>) [d](data:text/html,x) [e](vbscript:x)`,
      `[good](${EVIL}/page) [own](/findings) <https://example.com> [2]: ${EVIL}`,
      '| a | b |\n|---|---|\n| [2] | `[2]` |',
      `\`\`\`html\n<script>alert(1)</script> ${'long'.repeat(200)}\n\`\`\``,
      'w'.repeat(10_000),
      `${BIDI} words`,
      '<div onclick="alert(1)">\nblock\n</div>',
      '>'.repeat(5_000),
      '- [ ] to do\n- [x] done',
    ].join('\n\n');
    await shown(
      'Markdown',
      {
        text,
        citations: [
          [1, 'Logs of catalog'],
          [2, `Query <b>latency</b> ${BIDI}`],
        ],
      },
      async (page, theme) => {
        assert.ok((await page.locator('.markdown').innerText()).includes('<script>alert(1)</script>'));
        assert.deepEqual(
          await page
            .locator('.markdown a')
            .evaluateAll((links) => links.map((link) => new URL((link as HTMLAnchorElement).href).protocol)),
          ['https:', 'https:', 'http:', 'https:'],
        );
        assert.deepEqual(
          await page
            .locator('.markdown a[target=_blank]')
            .evaluateAll((links) => [...new Set(links.map((link) => link.getAttribute('rel')))]),
          ['noopener noreferrer nofollow'],
        );
        assert.deepEqual(
          await page.locator('.markdown img').evaluateAll((images) => images.map((image) => image.getAttribute('src'))),
          [`${CHART}?format=svg&ground=${theme}`],
        );
        await page.getByRole('button', { name: 'Citation 1: Logs of catalog', exact: true }).waitFor();
        await page.getByRole('button', { name: 'Citation 2: Query <b>latency</b>' }).first().focus();
        await page.keyboard.press('Enter');
        assert.deepEqual(await page.evaluate(() => globalThis.calls), [['onCitation', 2]]);
        assert.equal(await page.getByRole('heading', { level: 2, name: 'Title' }).count(), 1);
      },
    );
  });

  it('Markdown: what was drawn stays while a text grows', async () => {
    const { page } = await components.newPage();
    const kept = await page.evaluate(() => {
      let text = 'first paragraph\n\n'.repeat(500);
      globalThis.show('Markdown', { text });
      const first = document.querySelector('.markdown p');
      const elements = [...document.querySelectorAll('.markdown p')];
      for (let step = 0; step < 20; step++) globalThis.show('Markdown', { text: (text += 'and more of it ') });
      const now = [...document.querySelectorAll('.markdown p')];
      return first === now[0] && elements.every((element, index) => element === now[index]);
    });
    assert.ok(kept);
    await page.context().close();
  });

  it('tool result: 10,000 rows, an excerpt far down, search, keys', async () => {
    await shown(
      'ToolResult',
      {
        toolId: 'long',
        excerpts: [
          { text: 'row 9000 detail', offset: null },
          { text: 'row 17 detail', offset: null },
        ],
      },
      async (page) => {
        const current = page.locator('mark[data-current]');
        await current.getByText('row 9000 detail').waitFor();
        assert.ok((await page.locator('[data-index]').count()) < 150, 'only what is seen is drawn');
        await page.getByRole('region', { name: 'Text of result 1' }).focus();
        await page.keyboard.press('n');
        await current.getByText('row 17 detail').waitFor();
        await page.keyboard.press('/');
        await page.keyboard.type('ROW 999');
        await page.getByText('1 of 11').waitFor();
        await page.keyboard.press('Shift+Enter');
        await page.getByText('11 of 11').waitFor();
        await current.getByText('row 999').waitFor();
        await page.keyboard.press('Escape');
        assert.equal(await page.getByRole('searchbox').inputValue(), '');
      },
    );
  });

  it('tool result: only as much is fetched as it takes to come to the first excerpt', async () => {
    const { page } = await components.newPage();
    asked.length = 0;
    await page.evaluate(([props]) => globalThis.show('ToolResult', props), [
      { toolId: 'huge', excerpts: [{ text: 'alert(1)', offset: 9 }] },
    ] as const);
    await page.locator('mark[data-current]').waitFor();
    const [first] = asked;
    assert.match(first ?? '', /offset=0/);
    assert.equal(asked.length, 1);
    await page.context().close();
  });

  it('tool result: hostile text is text, and all of it is what is copied out', async () => {
    await shown('ToolResult', { toolId: 'hostile', excerpts: [] }, async (page) => {
      await page.getByText('RLO', { exact: true }).waitFor();
      await page.getByText('ESC', { exact: true }).waitFor();
      const saved = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Download' }).click();
      const stream = await (await saved).createReadStream();
      assert.equal(Buffer.concat(await stream.toArray()).toString(), RESULTS['hostile']);
    });
  });

  it('tool result: JSON by its structure, excerpts across its lines', async () => {
    await shown(
      'ToolResult',
      { toolId: 'json', excerpts: [{ text: '"row":2,"text":"xx', offset: null }] },
      async (page) => {
        const current = page.locator('mark[data-current]');
        await current.first().waitFor();
        assert.deepEqual(await current.allInnerTexts(), ['"row":2,', '"text":"xx']);
        await page.getByRole('button', { name: 'Pretty-print' }).click();
        await page.waitForFunction(() => document.querySelectorAll('mark[data-current]').length === 1);
      },
    );
  });

  const seconds = (second: number): string => new Date(Date.UTC(2026, 10, 21, 13) + second * 1000).toISOString();
  const chart = {
    tool_id: 'x',
    tool: 'query_metric',
    title: `<img src=${EVIL}/x onerror=alert(1)> ${BIDI} ${'t'.repeat(5_000)}`,
    unit: 's',
    window: null,
    baseline: { from: seconds(0), to: seconds(300) },
    anomaly_window: { from: seconds(1_500), to: seconds(2_000) },
    truncated: true,
    series: Array.from({ length: 20 }, (_, index) => ({
      label: index === 0 ? 'n'.repeat(10_000) : `${BIDI} p${index}`,
      service: null,
      statistic: null,
      unit: 's',
      points: Array.from({ length: 2_000 }, (_, at) => [
        seconds(at),
        at % 500 === 499 ? null : index + (at > 1_500 ? 2 : 0),
      ]),
      anomaly:
        index === 1
          ? {
              score: 9,
              direction: 'up',
              onset: seconds(1_500),
              baseline_median: 1,
              baseline_spread: 0.1,
              incident_value: 3,
            }
          : null,
    })),
  };

  it('chart: 20 series of 2,000 points, by keyboard, as a table', async () => {
    await shown('TimeSeriesChart', { data: chart }, async (page) => {
      await page.locator('.uplot canvas').waitFor();
      assert.match(await page.locator('figcaption').innerText(), /p1 rose from 1 s to 3 s at/);
      const slider = page.getByRole('slider');
      await slider.focus();
      await page.keyboard.press('Home');
      await page.waitForFunction(() => document.querySelector('[role=slider]')?.getAttribute('aria-valuenow') === '0');
      await page.keyboard.press('ArrowRight');
      await page.waitForFunction(() => document.querySelector('[role=slider]')?.getAttribute('aria-valuenow') === '1');
      await page.getByText('Show as table').click();
      // The table is drawn when it is opened.
      await page.getByRole('columnheader').nth(20).waitFor();
      assert.equal(await page.getByRole('columnheader').count(), 21);
      const lines = page.locator('figure li button');
      await lines.nth(2).click();
      assert.equal(await lines.nth(2).getAttribute('aria-pressed'), 'false');
    });
  });

  it('chart: another theme draws it anew', async () => {
    const { page } = await components.newPage({ colorScheme: 'light' });
    await page.evaluate(([data]) => globalThis.show('TimeSeriesChart', { data }), [chart] as const);
    const canvas = page.locator('.uplot canvas');
    await canvas.waitFor();
    const before = await canvas.evaluate((element: HTMLCanvasElement) => element.toDataURL());
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.waitForFunction(
      (before) => document.querySelector<HTMLCanvasElement>('.uplot canvas')?.toDataURL() !== before,
      before,
    );
    assert.equal(await canvas.count(), 1);
    await page.context().close();
  });

  const hostileGraph = {
    label: 'Services',
    selected: 'N'.repeat(10_000),
    services: [
      { name: 'N'.repeat(10_000), role: 'suspect', note: '<script>alert(1)</script>' },
      { name: `${BIDI}<img src=${EVIL}/x onerror=alert(1)>`, role: 'alerting' },
      { name: '__proto__', role: 'affected' },
      { name: 'constructor', role: 'ruled_out' },
      { name: '' },
    ],
    calls: [
      {
        caller: `${BIDI}<img src=${EVIL}/x onerror=alert(1)>`,
        callee: 'N'.repeat(10_000),
        callsPerSecond: 1e12,
        errorRatio: 1,
        p95Seconds: 1e9,
        onFaultPath: true,
      },
      { caller: 'constructor', callee: '__proto__', stale: true },
      { caller: '__proto__', callee: 'constructor' },
      { caller: 'ghost', callee: '' },
    ],
  };

  it('graph: hostile names, roles in words, chosen by keyboard, as tables', async () => {
    await shown('ServiceGraph', hostileGraph, async (page) => {
      await page.getByText('Ruled out').first().waitFor();
      await page.locator('.react-flow__node button', { hasText: '__proto__' }).focus();
      await page.keyboard.press('Enter');
      assert.deepEqual(await page.evaluate(() => globalThis.calls.at(-1)), ['onSelect', '__proto__']);
      await page.getByText('Show as table').click();
      for (const [name, rows] of [
        ['Services', 6],
        ['Calls', 4],
      ] as const) {
        const table = page.getByRole('table', { name });
        // They are drawn when they are opened.
        await table.waitFor();
        assert.equal(await table.getByRole('row').count(), rows, name);
      }
    });
  });

  const shop = {
    label: 'Services',
    selected: 'checkout',
    services: [
      { name: 'web', role: 'alerting' },
      { name: 'checkout', role: 'affected' },
      { name: 'payments', role: 'cause' },
      { name: 'orders' },
    ],
    calls: [
      { caller: 'web', callee: 'checkout', callsPerSecond: 12, errorRatio: 0.3, p95Seconds: 0.24, onFaultPath: true },
      { caller: 'checkout', callee: 'payments', callsPerSecond: 6, errorRatio: 1, p95Seconds: 2, onFaultPath: true },
      { caller: 'checkout', callee: 'orders', callsPerSecond: 6, errorRatio: 0, p95Seconds: 0.03 },
    ],
  };

  it('graph: services are chosen by mouse and by touch, and a drag moves the drawing', async () => {
    for (const options of [
      { viewport: { width: 1280, height: 900 } },
      { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
    ]) {
      const { page, errors } = await components.newPage(options);
      await page.evaluate((props) => globalThis.show('ServiceGraph', props), shop);
      for (const name of ['payments', 'checkout']) {
        const node = page.locator('.react-flow__node', { hasText: name }).getByRole('button');
        await (options.hasTouch ? node.tap() : node.click());
        assert.deepEqual(await page.evaluate(() => globalThis.calls.at(-1)), ['onSelect', name]);
      }
      if (!options.hasTouch) {
        const node = page.locator('.react-flow__node', { hasText: 'web' });
        const before = (await node.boundingBox())!;
        await page.mouse.move(before.x + 20, before.y + 20);
        await page.mouse.down();
        await page.mouse.move(before.x + 60, before.y + 50, { steps: 5 });
        await page.mouse.up();
        assert.ok((await node.boundingBox())!.x > before.x + 20);
        assert.deepEqual(await page.evaluate(() => globalThis.calls.at(-1)), ['onSelect', 'checkout']);
      }
      assert.deepEqual(errors, []);
      await page.context().close();
    }
  });

  it('graph: opens readable, and figures stand on no service', async () => {
    await shown('ServiceGraph', shop, async (page) => {
      const label = page.locator('.react-flow__viewport-portal div');
      await label.first().waitFor();
      assert.deepEqual((await label.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ').trim()).toSorted(), [
        '12/s · p95 240 ms 30% errors',
        '6/s · p95 2 s 100% errors',
        '6/s · p95 30 ms 0% errors',
      ]);
      const boxesOf = (selector: string) =>
        page.locator(selector).evaluateAll((all) => all.map((element) => element.getBoundingClientRect().toJSON()));
      const nodes = await boxesOf('.react-flow__node');
      for (const a of await boxesOf('.react-flow__viewport-portal div')) {
        for (const b of nodes)
          assert.ok(a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top);
      }
      const height = await page
        .locator('.react-flow__node', { hasText: 'payments' })
        .evaluate((element) => element.getBoundingClientRect().height);
      assert.ok(height >= 0.85 * 52 - 1, `a box is ${height} pixels high`);
    });
  });

  it('graph: of 2,000 services those around the suspect first, then all of them; found by name', async () => {
    const name = (index: number): string => `team/service-${index}`;
    const big = {
      label: 'Services',
      services: Array.from({ length: 2_000 }, (_, index) => ({
        name: name(index),
        ...(index === 700 && { role: 'suspect' }),
      })),
      calls: Array.from({ length: 6_000 }, (_, index) => ({
        caller: name(Math.floor(index / 9)),
        callee: name((index * 7 + 1) % 2_000),
      })),
    };
    await shown('ServiceGraph', big, async (page) => {
      await page.locator('.react-flow__node', { hasText: 'service-700' }).waitFor();
      assert.ok((await page.locator('.react-flow__node').count()) <= 32);
      await page.getByRole('button', { name: 'Show all 2000' }).click();
      await page.getByRole('application').waitFor();
      await page.getByRole('searchbox').fill('service-1234');
      await page.keyboard.press('Enter');
      assert.deepEqual(await page.evaluate(() => globalThis.calls.at(-1)), ['onSelect', name(1_234)]);
      // What was found is in the middle, where a click chooses it.
      const box = await page.getByRole('application').boundingBox();
      assert.ok(box);
      await page.getByRole('application').click({ position: { x: box.width / 2, y: box.height / 2 } });
      assert.deepEqual(await page.evaluate(() => globalThis.calls.slice(-2)), [
        ['onSelect', name(1_234)],
        ['onSelect', name(1_234)],
      ]);
    });
  });
});
