import assert from 'node:assert/strict';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectorKinds, type Connector } from '@casebook/connectors';
import { silent } from '../support/in-process.ts';

const INCIDENTS = join(import.meta.dirname, '../../../demo/incidents');

describe('satellite: recorded incidents', () => {
  let directory: string;
  let connector: Connector;
  // oxlint-disable-next-line typescript/no-explicit-any -- answers are plain JSON of many shapes
  const ask = async (name: string, parameters: Record<string, unknown> = {}): Promise<any> => {
    const operation = connector.operations.find((operation) => operation.name === name)!;
    const parsed = operation.parameters.parse(parameters);
    return await operation.run(parsed, { signal: AbortSignal.timeout(240_000), maxBytes: 1e7 });
  };

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'incidents-'));
    await cp(join(INCIDENTS, 'checkout-errors'), join(directory, 'checkout-errors'), { recursive: true });
    await mkdir(join(directory, 'small'));
    const window = { from: '2026-03-10T15:00:00Z', to: 1773158400 };
    await writeFile(join(directory, 'small/incident.json'), JSON.stringify({ title: 'Small', window, alerts: [] }));
    await writeFile(
      join(directory, 'small/metrics.csv'),
      'service,"a, b",c\nmetric,hits,load\nstatistic,,p95\n20,30,NaN\n10,10,1\n30,5,2\n30,6,3\n',
    );
    await writeFile(join(directory, 'small/metrics.json'), '{"hits":{"type":"counter","unit":"requests"}}');
    await mkdir(join(directory, 'broken'));
    await writeFile(join(directory, 'broken/incident.json'), '{"title":1}');
    await symlink('/etc', join(directory, 'etc'));
    await symlink('/etc/passwd', join(directory, 'small/logs.jsonl'));
    const { recorded } = connectorKinds;
    connector = recorded.create(recorded.config.parse({ directory }), { id: 'r', title: 'Recordings', log: silent });
  });
  after(() => rm(directory, { recursive: true }));

  it('lists the incidents; one that is broken hides no other', async () => {
    const listed = await ask('incidents');
    assert.deepEqual(
      listed.map(({ incident, title }: { incident: string; title?: string }) => [incident, title !== undefined]),
      [
        ['broken', false],
        ['checkout-errors', true],
        ['small', true],
      ],
    );
    assert.match(listed[0].problem, /incident\.json: title/);
    assert.deepEqual(listed[2].window, { from: 1773154800, to: 1773158400 });
    assert.ok(listed[1].alerts[0].at > 1.7e9);
  });

  it('answers about services, metrics, logs, changes and calls of the demo', async () => {
    const incident = 'checkout-errors';
    const services = await ask('services', { incident });
    assert.ok(
      services.some(({ name, metrics }: { name: string; metrics: number }) => name === 'checkout' && metrics > 0),
    );
    const metrics = await ask('metrics', { incident, text: 'error checkout' });
    assert.ok(
      metrics.length > 0 && metrics.every(({ services }: { services: string[] }) => services.includes('checkout')),
    );
    const [series] = await ask('query_metric', {
      incident,
      metric: metrics[0].metric,
      service: 'checkout',
      max_points: 10,
    });
    assert.ok(series.timestamps.length > 0 && series.timestamps.length <= 10);
    assert.equal(series.values.length, series.timestamps.length);
    const logs = await ask('search_logs', { incident, level: 'error', limit: 5 });
    assert.equal(logs.lines.length, 5);
    assert.equal(logs.truncated, true);
    assert.ok(logs.lines.every(({ level }: { level: string }) => level === 'error'));
    const from = logs.lines[4].at;
    const later = await ask('search_logs', { incident, from, to: from + 0.001, service: logs.lines[4].service });
    assert.ok(later.lines.length >= 1 && later.lines.every(({ at }: { at: number }) => at === from));
    assert.ok((await ask('changes', { incident }))[0].kind);
    const edges = await ask('dependencies', { incident });
    assert.ok(edges.some(({ caller }: { caller: string }) => caller === 'checkout'));
    const live = await connector.edges!(300, AbortSignal.timeout(240_000));
    assert.equal(live.length, edges.length);
    assert.ok(live.every(({ source }) => source === 'recorded'));
  });

  it('gives counters as rates, missing samples as null, and the last of rows with one time', async () => {
    const series = (metric: string) => ask('query_metric', { incident: 'small', metric });
    assert.deepEqual(await series('hits'), [
      {
        service: 'a, b',
        metric: 'hits',
        statistic: 'rate',
        unit: 'requests/s',
        timestamps: [10, 20, 30],
        values: [null, 2, 0.6],
      },
    ]);
    assert.deepEqual(await series('load'), [
      {
        service: 'c',
        metric: 'load',
        statistic: 'p95',
        unit: undefined,
        timestamps: [10, 20, 30],
        values: [1, null, 3],
      },
    ]);
    await assert.rejects(series('none'), { code: 'not_found' });
  });

  it('reads nothing outside of its directory', async () => {
    for (const incident of ['etc', '..', '../..', '/etc', 'small/../..', ''])
      await assert.rejects(ask('services', { incident }), {
        code: 'not_found',
        message: /there are: broken, checkout-errors, small/,
      });
    await assert.rejects(ask('search_logs', { incident: 'small' }), {
      code: 'failed',
      message: /symbolic links are not read/,
    });
  });

  it('fails its check when the directory is gone', async () => {
    await connector.check(AbortSignal.timeout(240_000));
    const { recorded } = connectorKinds;
    const gone = recorded.create({ directory: join(directory, 'none') }, { id: 'g', title: 'Gone', log: silent });
    await assert.rejects(gone.check(AbortSignal.timeout(240_000)), /ENOENT/);
  });
});
