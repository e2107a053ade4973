import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createRecordedIncidentSource,
  SourceError,
  type TelemetrySource,
} from '../../../src/features/sources/index.ts';

const call = () => ({ signal: new AbortController().signal });

const incident = {
  title: 'A small incident',
  window: { from: '2026-01-01T00:00:00Z', to: '2026-01-01T01:00:00+00:00' },
  baseline: { from: 1_700_000_000, to: 1_700_003_600 },
  alerts: [{ name: 'Slow', service: 'web', metric: 'latency', at: '2026-01-01T00:30:00Z', summary: 'web is slow' }],
};
const start = Date.parse('2026-01-01T00:00:00Z') / 1000;
const window = { from: start, to: start + 3600 };

describe('recorded incident source', () => {
  let folder: string;
  let source: TelemetrySource;
  const write = (files: Record<string, string>) =>
    Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(folder, name), text)));

  beforeEach(async () => {
    folder = join(await mkdtemp(join(tmpdir(), 'casebook-incidents-')), 'small');
    await mkdir(folder);
    await write({
      'incident.json': JSON.stringify(incident),
      'metrics.csv': [
        'service,web,web,"db, main"',
        'metric,latency,hits,latency',
        'statistic,p95,,p95',
        `${start + 60},0.3,160,0.02`,
        `${start},0.1,100,0.01`,
        '2026-01-01T00:02:00Z,NaN,20,',
        `${start + 180},0.4,80,0.04`,
      ].join('\n'),
      'metrics.json': JSON.stringify({
        latency: { unit: 's', help: 'Time to answer' },
        hits: { type: 'counter', unit: 'requests' },
      }),
      'edges.csv': 'callee,caller,calls_per_second\n"db, main",web,12.5\nqueue,web,\n',
      'logs.jsonl': [
        { at: start + 30, service: 'web', level: 'ERROR', message: 'Timeout calling db' },
        { at: start + 10, service: 'web', message: 'level=warn pool nearly full' },
        { at: '2026-01-01T00:00:20Z', service: 'db, main', level: 'info', message: 'checkpoint' },
      ]
        .map((line) => `${JSON.stringify(line)}\n`)
        .join(''),
      'changes.json': JSON.stringify([
        { id: '2', at: start + 50, service: 'web', kind: 'deploy', summary: 'web 2' },
        { id: '1', at: start + 5, kind: 'campaign', summary: 'newsletter', author: 'marketing' },
      ]),
      'services.json': JSON.stringify([{ name: 'web', description: 'storefront' }]),
    });
    source = createRecordedIncidentSource(folder);
  });

  afterEach(() => rm(join(folder, '..'), { recursive: true, force: true }));

  it('describes the incident; the baseline may lie elsewhere', async () => {
    const description = await source.describe(call());
    assert.equal(description.id, 'incident:small');
    assert.equal(description.title, 'A small incident');
    assert.deepEqual(description.window, window);
    assert.deepEqual(description.baseline, { from: 1_700_000_000, to: 1_700_003_600 });
    assert.equal(description.alerts[0]?.at, start + 1800);
    assert.deepEqual([...source.capabilities].sort(), [
      'alerts',
      'changes',
      'dependencies',
      'logs',
      'metrics',
      'services',
    ]);
  });

  it('lists the services of metrics, edges and descriptions', async () => {
    assert.deepEqual(await source.services!(call()), [
      { name: 'db, main', metrics: 1 },
      { name: 'queue', metrics: 0 },
      { name: 'web', metrics: 2, description: 'storefront' },
    ]);
  });

  it('finds metrics by every word of name, help, unit or service', async () => {
    const names = async (text?: string, service?: string) =>
      (await source.searchMetrics!({ text, service, limit: 10 }, call())).map(({ metric }) => metric);
    assert.deepEqual(await names(), ['latency', 'hits']);
    assert.deepEqual(await names('ANSWER time'), ['latency']);
    assert.deepEqual(await names('requests web'), ['hits']);
    assert.deepEqual(await names('hits', 'db, main'), []);
    const [latency] = await source.searchMetrics!({ text: 'latency', limit: 10 }, call());
    assert.deepEqual(latency, {
      metric: 'latency',
      services: ['web', 'db, main'],
      serviceCount: 2,
      statistics: ['p95'],
      unit: 's',
      type: 'gauge',
      help: 'Time to answer',
    });
  });

  it('returns series in time order, missing values as NaN, within a half-open window', async () => {
    const [web, db] = await source.queryMetric!({ ...window, metric: 'latency', maxPoints: 100 }, call());
    assert.deepEqual(web, {
      service: 'web',
      metric: 'latency',
      statistic: 'p95',
      unit: 's',
      timestamps: [start, start + 60, start + 120, start + 180],
      values: [0.1, 0.3, Number.NaN, 0.4],
    });
    assert.equal(db?.service, 'db, main');
    const part = { from: start + 60, to: start + 180 };
    const [cut] = await source.queryMetric!({ ...part, metric: 'latency', service: 'web', maxPoints: 9 }, call());
    assert.deepEqual(cut?.timestamps, [start + 60, start + 120]);
    assert.deepEqual(await source.queryMetric!({ from: 0, to: 10, metric: 'latency', maxPoints: 9 }, call()), []);
  });

  it('turns counters into rates, across a restart', async () => {
    const [hits] = await source.queryMetric!({ ...window, metric: 'hits', maxPoints: 100 }, call());
    assert.equal(hits?.statistic, 'rate');
    assert.equal(hits?.unit, 'requests/s');
    assert.deepEqual(hits?.values, [Number.NaN, 1, 20 / 60, 1]);
  });

  it('keeps to the points it may return, by averages', async () => {
    const query = { ...window, metric: 'latency', service: 'web', maxPoints: 2 };
    const [web] = await source.queryMetric!(query, call());
    assert.deepEqual(web?.timestamps, [start + 60, start + 180]);
    assert.deepEqual(web?.values, [0.2, 0.4]);
  });

  it('says what it lacks', async () => {
    const query = { ...window, maxPoints: 10 };
    await assert.rejects(
      source.queryMetric!({ ...query, metric: 'nope' }, call()),
      /^SourceError: incident:small: there is no metric "nope"; search for the existing names/,
    );
    await assert.rejects(
      source.queryMetric!({ ...query, metric: 'latency', labels: { pod: 'a' } }, call()),
      /labels service and statistic, not "pod"/,
    );
    assert.deepEqual(await source.queryMetric!({ ...query, metric: 'latency', statistic: 'p50' }, call()), []);
    assert.equal(
      (await source.queryMetric!({ ...query, metric: 'latency', labels: { service: 'web' } }, call())).length,
      1,
    );
  });

  it('surveys all series, or those of some services', async () => {
    assert.equal((await source.surveyMetrics!({ ...window, maxPoints: 10 }, call())).length, 3);
    const some = await source.surveyMetrics!({ ...window, services: ['db, main'], maxPoints: 10 }, call());
    assert.deepEqual(
      some.map(({ service }) => service),
      ['db, main'],
    );
  });

  it('joins the series of several files, as for a baseline months away', async () => {
    await write({
      'metrics.baseline.csv': `service,web\nmetric,latency\nstatistic,p95\n1700000000,0.09\n${start},0.5\n`,
    });
    const all = await source.surveyMetrics!({ from: 0, to: start + 3600, maxPoints: 100 }, call());
    const web = all.filter(({ service, metric }) => service === 'web' && metric === 'latency');
    assert.equal(web.length, 1);
    assert.deepEqual(web[0]?.timestamps.slice(0, 3), [1_700_000_000, start, start + 60]);
    assert.deepEqual(web[0]?.values.slice(0, 2), [0.09, 0.1]);
  });

  it('notices that a file has changed', async () => {
    const values = async () =>
      (
        await source.queryMetric!({ ...window, metric: 'latency', service: 'web', maxPoints: 100 }, call())
      )[0]?.values.at(-1);
    assert.equal(await values(), 0.4);
    await appendFile(join(folder, 'metrics.csv'), `\n${start + 240},0.9,90,0.05\n`);
    assert.equal(await values(), 0.9);
  });

  it('searches logs by service, text, level and time; the newest of too many', async () => {
    const search = async (query: object) => source.searchLogs!({ ...window, limit: 10, ...query }, call());
    assert.deepEqual(
      (await search({})).lines.map(({ at }) => at - start),
      [10, 20, 30],
    );
    assert.equal((await search({ text: 'TIMEOUT' })).lines.length, 1);
    assert.equal((await search({ level: 'error' })).lines[0]?.message, 'Timeout calling db');
    assert.equal((await search({ level: 'warn' })).lines.length, 1);
    assert.equal((await search({ service: 'db, main' })).lines.length, 1);
    assert.deepEqual(
      (await search({ from: start + 20, to: start + 30 })).lines.map(({ at }) => at - start),
      [20],
    );
    const newest = await search({ limit: 1 });
    assert.deepEqual([newest.lines[0]?.at, newest.truncated], [start + 30, true]);
    assert.equal((await search({ limit: 3 })).truncated, false);
  });

  it('skips and counts log lines that it cannot read', async () => {
    const huge = JSON.stringify({ at: start + 1, service: 'web', message: 'x'.repeat(3_000_000) });
    const bad = [
      '{"at":',
      '[]',
      '{"at":"yesterday","service":"web","message":"m"}',
      '{"service":"web"}',
      huge,
      '',
      '\0\0',
    ];
    const good = JSON.stringify({ at: start + 2, service: 'web', message: 'ünïcode ✓' });
    await write({ 'logs.jsonl': [...bad, good].join('\r\n') });
    const page = await source.searchLogs!({ ...window, limit: 10 }, call());
    assert.deepEqual(
      page.lines.map(({ message }) => message),
      ['ünïcode ✓'],
    );
    assert.equal(page.unreadable, 6);
  });

  it('returns the changes of a window in time order, with edges and their rates', async () => {
    const ids = async (query: object) => (await source.changes!({ ...window, ...query }, call())).map(({ id }) => id);
    assert.deepEqual(await ids({}), ['1', '2']);
    assert.deepEqual(await ids({ service: 'web' }), ['2']);
    assert.deepEqual(await ids({ to: start + 50 }), ['1']);
    assert.deepEqual(await source.dependencies!(window, call()), [
      { caller: 'web', callee: 'db, main', callsPerSecond: 12.5 },
      { caller: 'web', callee: 'queue' },
    ]);
  });

  describe('given malformed files', () => {
    const survey = () => source.surveyMetrics!({ ...window, maxPoints: 10 }, call());
    const cases: [string, Record<string, string>, () => Promise<unknown>, RegExp][] = [
      [
        'a cell that is no number',
        { 'metrics.csv': 'service,a\nmetric,m\n1,x7\n' },
        survey,
        /metrics\.csv: row 3, column 2: "x7" is not a number/,
      ],
      [
        'a time that is none',
        { 'metrics.csv': 'service,a\nmetric,m\nnoon,1\n' },
        survey,
        /row 3: "noon" is not a time/,
      ],
      [
        'a row too short',
        { 'metrics.csv': 'service,a,b\nmetric,m,n\n1,2\n' },
        survey,
        /metrics\.csv: Invalid Record Length.* line 3/,
      ],
      ['no header', { 'metrics.csv': '1,2,3\n' }, survey, /rows "service" and "metric" must come before/],
      ['a nameless column', { 'metrics.csv': 'service,a,\nmetric,m,n\n1,2,3\n' }, survey, /column 3 names no service/],
      ['an open quote', { 'metrics.csv': 'service,"a\nmetric,m\n1,2\n' }, survey, /metrics\.csv: Quote Not Closed/],
      [
        'an endless cell',
        { 'metrics.csv': `service,${'a'.repeat(5_000_000)}\nmetric,m\n` },
        survey,
        /metrics\.csv: Max Record Size/,
      ],
      [
        'bad metric types',
        { 'metrics.json': '{"latency":{"type":"speed"}}' },
        survey,
        /metrics\.json: latency\.type: Invalid option/,
      ],
      [
        'edges without names',
        { 'edges.csv': 'from,to\na,b\n' },
        () => source.dependencies!(window, call()),
        /must name the columns "caller" and "callee"/,
      ],
      [
        'an edge to nowhere',
        { 'edges.csv': 'caller,callee\na,\n' },
        () => source.dependencies!(window, call()),
        /row 2 lacks a caller or callee/,
      ],
      [
        'changes that are not JSON',
        { 'changes.json': '{' },
        () => source.changes!(window, call()),
        /changes\.json: not JSON/,
      ],
      [
        'an incident of the wrong shape',
        { 'incident.json': '{"title":"x","window":{"from":"today","to":1},"alerts":[]}' },
        () => source.describe(call()),
        /incident:small: incident\.json: window\.from: must be an ISO 8601 time/,
      ],
      [
        'a window that ends before it begins',
        { 'incident.json': JSON.stringify({ ...incident, window: { from: 2, to: 1 } }) },
        () => source.describe(call()),
        /window: "from" must be before "to"/,
      ],
    ];
    for (const [name, files, ask, message] of cases) {
      it(`names what is wrong with ${name}`, async () => {
        await write(files);
        await assert.rejects(ask(), (error: Error) => {
          assert.ok(error instanceof SourceError, String(error));
          assert.match(error.message, message);
          return true;
        });
      });
    }

    it('reads a metrics file without rows as no samples', async () => {
      await write({ 'metrics.csv': 'service,a\nmetric,m\n' });
      assert.deepEqual(await survey(), []);
    });

    it('answers from the other files when one is bad', async () => {
      await write({ 'metrics.csv': 'nonsense' });
      assert.equal((await source.searchLogs!({ ...window, limit: 5 }, call())).lines.length, 3);
      assert.equal((await source.changes!(window, call())).length, 2);
    });
  });

  it('reads nothing outside its folder', async () => {
    const outside = join(folder, '..', 'truth.json');
    await writeFile(outside, JSON.stringify([{ id: 'secret', at: start, kind: 'truth', summary: 'secret' }]));
    await rm(join(folder, 'changes.json'));
    await symlink(outside, join(folder, 'changes.json'));
    await assert.rejects(source.changes!(window, call()), /changes\.json: symbolic links are not read/);
    const { openIncidentFile } = await import('../../../packages/connectors/recorded/files.ts');
    for (const name of ['../truth.json', '/etc/passwd', '..', '', 'a\0b', '..\\truth.json']) {
      await assert.rejects(openIncidentFile(folder, name), /is not the name of a file/, name);
    }
    await symlink(folder, join(folder, '..', 'linked'));
    await assert.rejects(openIncidentFile(join(folder, '..', 'linked'), 'incident.json'), /is not a folder/);
  });

  it('refuses a named pipe instead of waiting for it', async () => {
    await rm(join(folder, 'logs.jsonl'));
    execFileSync('mkfifo', [join(folder, 'logs.jsonl')]);
    await assert.rejects(source.searchLogs!({ ...window, limit: 5 }, call()), /logs\.jsonl: not a regular file/);
  });

  it('stops when the signal fires', async () => {
    const lines = `${JSON.stringify({ at: start, service: 'web', message: 'x'.repeat(200) })}\n`.repeat(100_000);
    await write({ 'logs.jsonl': lines });
    const reason = new Error('cancelled by the test');
    const controller = new AbortController();
    const search = source.searchLogs!({ ...window, limit: 5 }, { signal: controller.signal });
    const metrics = source.surveyMetrics!({ ...window, maxPoints: 5 }, { signal: controller.signal });
    controller.abort(reason);
    await assert.rejects(search, reason);
    await assert.rejects(metrics, reason);
    await assert.rejects(source.describe({ signal: controller.signal }), reason);
  });
});
