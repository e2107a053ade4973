import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { env, execPath } from 'node:process';
import fc from 'fast-check';
import { InvalidChart, renderSvg, type ChartSpec } from '../../../src/features/charts/index.ts';
import { safeSvg } from '../../../src/features/charts/safe-svg.ts';
import { drawn, parseSvg, stored } from './support.ts';
import { fewRuns } from '../../support/few-runs.ts';

const { signal } = new AbortController();
const door = new URL('../../../src/features/charts/index.ts', import.meta.url).href;

/** The output of a module that is run in a process of its own. */
function run(module: string, ...flags: string[]): string {
  return execFileSync(execPath, [...flags, '--input-type=module', '--eval', module], { encoding: 'utf8' });
}

const latency = JSON.stringify({
  metric: 'latency_seconds',
  series: ['web', 'checkout'].map((service, of) => ({
    service,
    points: Array.from({ length: 30 }, (_, minute) => [
      new Date(1_772_366_400_000 + minute * 60_000).toISOString(),
      (minute % 7) + of,
    ]),
  })),
});

describe('renderSvg', () => {
  it('draws a line for each series, axes with units and times in UTC, and a legend', async () => {
    const { elements, texts } = parseSvg(await renderSvg(await drawn(latency), { signal }));
    assert.ok(elements.has('path') && elements.has('text'));
    for (const text of [
      'latency_seconds (s) by service',
      'latency_seconds (s)',
      'Time on 2026-03-01 (UTC)',
      'web',
      'checkout',
      '12:15',
    ]) {
      assert.ok(texts.includes(text), `${text} is not in ${texts.join(', ')}`);
    }
  });

  it('draws the same in any time zone', async () => {
    const chart = await drawn(latency);
    const before = env.TZ;
    const drawnIn = async (zone: string): Promise<string> => {
      env.TZ = zone;
      return renderSvg(chart, { signal });
    };
    try {
      assert.equal(await drawnIn('America/New_York'), await drawnIn('Asia/Kolkata'));
    } finally {
      if (before === undefined) delete env.TZ;
      else env.TZ = before;
    }
  });

  it('draws every kind of mark, with events over it', async () => {
    const events = stored(
      '[{"at":"2026-03-01T12:05:00Z","summary":"deploy <b>"},{"at":"2026-03-01T12:28:00Z","summary":"rollback"}]',
      'recent_changes',
      2,
    );
    for (const request of [
      {},
      { mark: 'area' },
      { mark: 'point' },
      { log: true },
      { aggregate: 'count' },
      { mark: 'bar', series: 'service' },
      { aggregate: 'sum', mark: 'area', series: [] },
    ]) {
      const chart = await drawn(latency, { ...request, events: { evidence: 2 } }, [events]);
      const { texts } = parseSvg(await renderSvg(chart, { signal }));
      assert.ok(texts.includes('deploy <b>') && texts.includes('rollback'), JSON.stringify(request));
    }
    for (const request of [{ x: 'service', aggregate: 'mean' }, { x: 'service' }, { mark: 'event' }]) {
      parseSvg(await renderSvg(await drawn(latency, request), { signal }));
    }
  });

  it('draws for a dark ground: light texts and rules, and the same shapes', async () => {
    const events = stored('[{"at":"2026-03-01T12:05:00Z","summary":"deploy"}]', 'recent_changes', 2);
    const chart = await drawn(latency, { events: { evidence: 2 } }, [events]);
    const [light, dark] = [await renderSvg(chart, { signal }), await renderSvg(chart, { signal, ground: 'dark' })];
    const shapes = (svg: string): string[] => [...svg.matchAll(/ d="([^"]+)"/gu)].map(([, path = '']) => path);
    assert.deepEqual(shapes(dark), shapes(light));
    assert.deepEqual(parseSvg(dark).texts, parseSvg(light).texts);
    const colours = (svg: string): string[] => [...new Set(svg.match(/#[\da-f]{3,6}\b|\b(?:black|white)\b/giu))];
    assert.ok(colours(light).includes('white') && colours(light).includes('#555'), colours(light).join());
    for (const colour of ['white', 'black', '#000', '#333', '#555', '#888', '#ddd'])
      assert.ok(!colours(dark).includes(colour), `${colour} is in ${colours(dark).join()}`);
  });

  it('refuses a specification that is not a chart, and draws nothing once aborted', async () => {
    const chart = await drawn(latency);
    const reaching = { ...chart, data: { url: 'file:///etc/passwd' } } as unknown as ChartSpec;
    await assert.rejects(renderSvg(reaching, { signal }), InvalidChart);
    await assert.rejects(renderSvg(chart, { signal: AbortSignal.abort(new Error('gone')) }), /gone/);
  });

  it('makes no code of text: it works where that is forbidden', async () => {
    const chart = await drawn(latency);
    const module = `import { renderSvg } from ${JSON.stringify(door)};
      const svg = await renderSvg(${JSON.stringify(chart)}, { signal: new AbortController().signal });
      console.log(svg.slice(0, 4));`;
    assert.equal(run(module, '--disallow-code-generation-from-strings').trim(), '<svg');
  });

  it('is loaded with its compiler by whoever draws, not by whoever imports the room', async () => {
    const chart = await drawn(latency);
    const module = `import { registerHooks } from 'node:module';
      const seen = [];
      registerHooks({ resolve(specifier, context, next) { seen.push(specifier); return next(specifier, context); } });
      const loaded = () => ['vega', 'vega-lite', 'vega-interpreter'].filter((name) => seen.includes(name));
      const { validateChart } = await import(${JSON.stringify(door)});
      const before = loaded();
      await validateChart(${JSON.stringify(chart)});
      console.log(JSON.stringify({ before, after: loaded() }));`;
    assert.deepEqual(JSON.parse(run(module)), { before: [], after: ['vega', 'vega-lite', 'vega-interpreter'] });
  });
});

describe('an SVG of hostile data', () => {
  const hostile = [
    '<script>alert(1)</script>',
    ']]>',
    '<![CDATA[',
    '<!-- -->',
    '&amp; & &#0; &unknown;',
    '"onload="alert(1)',
    "' onmouseover='x",
    'javascript:alert(1)',
    '</text></svg><svg onload=alert(1)>',
    '\u0000\u0001\u0008\u000b\u001f\ufffe\uffff\ud800',
    '\u202eevil\u202c',
    'x'.repeat(100_000),
    '漢字'.repeat(500),
    '${alert(1)} {{x}} datum["x"]',
    '__proto__',
    'constructor',
    'line\nbreak\r\nand\ttab',
  ];
  const allowed = new Set(['svg', 'g', 'path', 'rect', 'line', 'circle', 'text', 'tspan', 'defs', 'clipPath', 'title']);

  async function check(name: string, title: string): Promise<void> {
    const content = JSON.stringify({
      metric: name,
      series: [0, 1].map((index) => ({
        [name.slice(0, 150)]: `${name}${index}`,
        unit: name,
        points: [
          [1_772_366_400, 1 + index],
          [1_772_366_460, 2],
        ],
      })),
      list: [0, 1].map((index) => ({ name: `${index}${name}`, n: index })),
      events: [0, 1].map((index) => ({ at: 1_772_366_400 + index * 60, message: `${index}${name}` })),
    });
    const given = title.trim() === '' ? {} : { title: title.slice(0, 200) };
    for (const request of [
      { table: 'series.points', events: { table: 'events' } },
      { table: 'list' },
      { table: 'events' },
    ]) {
      const svg = await renderSvg(await drawn(content, { ...given, ...request }), { signal });
      const { elements, attributes, texts } = parseSvg(svg);
      assert.deepEqual(
        [...elements].filter((element) => !allowed.has(element)),
        [],
      );
      assert.deepEqual(
        [...attributes].filter((attribute) => /^on|href|^style$|^src/i.test(attribute)),
        [],
      );
      assert.ok(texts.every((text) => text.length <= 200));
    }
  }

  for (const text of hostile) {
    it(`is well-formed and inert with ${JSON.stringify(text.slice(0, 30))}`, () => check(text, text));
  }

  it('is well-formed and inert with any text', async () => {
    const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 80 });
    await fc.assert(fc.asyncProperty(text, text, check), fewRuns(40));
  });

  it('shows the text as it is', async () => {
    const content = '[{"name":"<script>alert(1)</script> & ]]>","n":1},{"name":"b","n":2}]';
    const { texts } = parseSvg(await renderSvg(await drawn(content), { signal }));
    assert.ok(texts.includes('<script>alert(1)</script> & ]]>'), texts.join());
  });

  it('is refused when it has anything but shapes and escaped text', () => {
    const svg = (inner: string): string =>
      `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">${inner}</svg>`;
    assert.equal(safeSvg(svg('<text x="1">a &lt; b</text>')), svg('<text x="1">a &lt; b</text>'));
    assert.equal(safeSvg(svg('<text>\u0007</text>')), svg('<text>\ufffd</text>'));
    for (const inner of [
      '<script>1</script>',
      '<foreignObject/>',
      '<image x="1"/>',
      '<a xlink:href="https://example.com"><text>x</text></a>',
      '<rect onclick="alert(1)"/>',
      '<rect style="fill:red"/>',
      '<rect fill="url(https://example.com/x)"/>',
      '<use href="#x"/>',
      '<style>*{}</style>',
      '<!-- x -->',
      '<![CDATA[x]]>',
      '<text>&nbsp;</text>',
      '<text>]]></text>',
      '<text x="a<b">x</text>',
      '<?xml-stylesheet href="x"?>',
      '<g xmlns="http://www.w3.org/1999/xhtml"/>',
    ]) {
      assert.throws(() => safeSvg(svg(inner)), /An SVG may not|not escaped/, inner);
    }
  });
});
