import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { DatasetError } from '../../../bench/diagnosis/case.ts';
import { loadPetShopCases } from '../../../bench/diagnosis/petshop.ts';
import { accuracyOf } from '../../../bench/diagnosis/score.ts';
import { loadSockShopCases } from '../../../bench/diagnosis/sockshop.ts';
import { noise } from './incident.ts';

const entry = join(import.meta.dirname, '../../../bench/diagnosis/index.ts');
const printedLine = z.object({
  ranking: z.array(z.object({ service: z.string(), score: z.number() })),
  case: z.string(),
  truth: z.string().optional(),
  rank: z.number().nullish(),
});
let directory: string;

function write(path: string, lines: readonly string[]): void {
  const file = join(directory, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${lines.join('\n')}\n`);
}

const nodes = ['Site', 'Search_client', 'Search'];

/** Healthy in August, faulty the April before, as the real recording; Search is slow in the third of five samples. */
function writePetShop(split: string, issue: string, target: object): void {
  const random = noise(7);
  const header = [
    ['microservice', ...nodes, ...nodes],
    ['metric', ...nodes.map(() => 'latency'), ...nodes.map(() => 'requests')],
    ['statistic', ...nodes.map(() => 'Average'), ...nodes.map(() => 'Sum')],
    ['unix_timestamp', ...nodes.map(() => ''), ...nodes.map(() => '')],
  ].map((row) => row.join(','));
  const row = (time: number, slow: number): string => {
    const latency = (level: number): string => (level * (1 + 0.05 * random()) + slow).toFixed(6);
    return [time, latency(0.1), '', latency(0.01), 500, '', 400].join(',');
  };
  const healthy = Array.from({ length: 50 }, (_, i) => row(1_692_608_400 + i * 300, 0));
  const faulty = Array.from({ length: 5 }, (_, i) => row(1_681_855_200 + i * 300, i === 2 ? 0.05 : 0));
  write('low_traffic/noissue/metrics.csv', [...header, ...healthy]);
  write('low_traffic/graph.csv', [
    `,${nodes.join(',')}`,
    'Site,0.0,0.0,1.0',
    'Search_client,0.0,0.0,1.0',
    'Search,0.0,0.0,0.0',
  ]);
  write(`low_traffic/${split}/${issue}/metrics.csv`, [...header, ...faulty]);
  write(`low_traffic/${split}/${issue}/target.json`, [JSON.stringify(target)]);
}

const target = { node: 'Site', metric: 'latency', agg: 'Average', timestamp: 1_681_855_800 };

function writeSockShop(folder: string, header: string, culprit: number): void {
  const random = noise(3);
  const columns = header.split(',').length;
  const rows = (from: number, change: number): string[] =>
    Array.from({ length: 300 }, (_, i) => {
      const cells = Array.from({ length: columns - 1 }, (__, column) =>
        (1 + 0.2 * random() + (column === culprit ? change : 0)).toFixed(4),
      );
      return [from + i, ...cells].join(',');
    });
  write(`${folder}/normal.csv`, [header, ...rows(1_600_000_000, 0)]);
  write(`${folder}/anomalous.csv`, [header, ...rows(1_600_000_300, 2)]);
}

const sockShopHeader = 'time,front-end_cpu,front-end_lat_50,carts-db_mem,carts-db_cpu,orders_load';

function run(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [entry, ...args], { encoding: 'utf8' });
}

describe('diagnosis data sets', () => {
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'diagnosis-'));
  });
  afterEach(() => {
    rmSync(directory, { recursive: true });
  });

  it('reads PetShop with rows as callers, empty cells as missing, and the recordings as separate windows', () => {
    writePetShop('any_split', 'issue_0', { target, root_cause: { node: 'Search', metric: null } });
    const [one] = loadPetShopCases(directory);
    assert.equal(one?.name, 'low_traffic/any_split/issue_0');
    assert.equal(one.truth, 'Search');
    assert.deepEqual(one.input.edges, [
      { caller: 'Site', callee: 'Search' },
      { caller: 'Search_client', callee: 'Search' },
    ]);
    assert.deepEqual(one.input.alert, { service: 'Site', metric: 'latency', at: 1_681_855_800 });
    const search = one.input.series.find(({ service, metric }) => service === 'Search' && metric === 'latency');
    assert.equal(search?.timestamps[0], 1_681_855_200);
    assert.equal(search.values.length, 55);
    assert.ok(one.input.series.find(({ service }) => service === 'Search_client')?.values.every(Number.isNaN));
    assert.deepEqual(one.input.incident, { from: 1_681_855_200, to: 1_681_856_401 });
    assert.equal(one.input.baseline?.from, 1_692_608_400);
  });

  it('ranks PetShop without a root cause in the file, and lets none into the ranking', () => {
    writePetShop('a', 'issue_0', { target });
    const [unknown] = loadPetShopCases(directory);
    assert.equal(unknown?.truth, undefined);
    writePetShop('a', 'issue_0', {
      target,
      root_cause: { node: 'Site', metric: 'latency' },
      metadata: { hint: 'Site' },
    });
    const [misled] = loadPetShopCases(directory);
    assert.deepEqual(misled?.input, unknown?.input);
    const { status, stdout } = run('--petshop', directory, '--json');
    assert.equal(status, 0);
    const line = printedLine.parse(JSON.parse(stdout));
    assert.equal(line.ranking[0]?.service, 'Search');
    assert.deepEqual(new Set(line.ranking.map(({ service }) => service)), new Set(nodes));
    assert.equal(line.truth, 'Site');
    assert.equal(line.rank, line.ranking.findIndex(({ service }) => service === 'Site') + 1);
  });

  it('reads Sock Shop columns of services and metrics with hyphens and numbers', () => {
    writeSockShop('carts-db-mem/1', sockShopHeader, 2);
    const [one] = loadSockShopCases(directory);
    assert.equal(one?.truth, 'carts-db');
    assert.deepEqual(
      one.input.series.map(({ service, metric }) => [service, metric]),
      [
        ['front-end', 'cpu'],
        ['front-end', 'lat_50'],
        ['carts-db', 'mem'],
        ['carts-db', 'cpu'],
        ['orders', 'load'],
      ],
    );
    assert.deepEqual(one.input.incident, { from: 1_600_000_300, to: 1_600_000_600 });
  });

  it('puts rows of Sock Shop without a time column in order', () => {
    write('carts-cpu/1/normal.csv', ['carts_cpu,x', '1,', '2,', ',']);
    write('carts-cpu/1/anomalous.csv', ['carts_cpu,user_cpu', '5,1', '6,1']);
    const [one] = loadSockShopCases(directory);
    const carts = one?.input.series[0];
    assert.deepEqual(carts?.timestamps, [0, 1, 2, 3, 4]);
    assert.deepEqual(carts.values, [1, 2, Number.NaN, 5, 6]);
    assert.deepEqual(one?.input.series[1]?.values, [1, 1]);
    assert.deepEqual(one?.input.series[1]?.timestamps, [3, 4]);
  });

  it('prints a table with the baseline beside the ranker', () => {
    writeSockShop('carts-db-mem/1', sockShopHeader, 2);
    writeSockShop('front-end-cpu/1', sockShopHeader, 0);
    const { status, stdout } = run('--sockshop', directory);
    assert.equal(status, 0);
    assert.match(stdout, /sockshop +casebook +2 +1\.00 +1\.00 +1\.00/);
    assert.match(stdout, /sockshop +max-z +2 /);
  });

  it('refuses what it cannot read in one line', () => {
    writePetShop('a', 'issue_0', { target });
    write('low_traffic/a/issue_0/target.json', ['{"target": 5']);
    const broken: Array<[string[], RegExp]> = [
      [[], /usage/],
      [['--petshop', join(directory, 'nowhere')], /nowhere is not a folder/],
      [['--petshop', directory], /target\.json is not readable JSON/],
      [['--sockshop', directory], /holds no Sock Shop case/],
      [['--unknown'], /--unknown/],
    ];
    for (const [args, message] of broken) {
      const { status, stdout, stderr } = run(...args);
      assert.equal(status, 1);
      assert.equal(stdout, '');
      assert.match(stderr, message);
      assert.doesNotMatch(stderr, /\n\s+at /);
    }
  });

  it('reads what else can be read when one case cannot, and says so', () => {
    writePetShop('test1', 'issue_0', { target, root_cause: { node: 'Search' } });
    writePetShop('test2', 'issue_1', { target: { metric: 'latency' } });
    writePetShop('test2', 'issue_2', { target });
    const metrics = readFileSync(join(directory, 'low_traffic/test2/issue_2/metrics.csv'), 'utf8').split('\n');
    write('low_traffic/test2/issue_2/metrics.csv', metrics.slice(0, 4));
    cpSync(join(directory, 'low_traffic'), join(directory, 'temporal_traffic1'), { recursive: true });
    write('temporal_traffic1/noissue/metrics.csv', ['nothing']);
    const { status, stdout, stderr } = run('--petshop', directory, '--json');
    assert.equal(status, 1);
    assert.deepEqual(
      stdout
        .trim()
        .split('\n')
        .map((line) => printedLine.parse(JSON.parse(line)).case),
      ['low_traffic/test1/issue_0'],
    );
    assert.match(stderr, /issue_1\/target\.json/);
    assert.match(stderr, /issue_2\/metrics\.csv has no samples/);
    assert.match(stderr, /temporal_traffic1\/noissue\/metrics\.csv should begin with/);
    assert.equal(
      stderr
        .trim()
        .split('\n')
        .filter((line) => line.startsWith('bench:diagnosis:')).length,
      3,
    );
  });

  it('reads line ends, times, gaps, orders and doubled columns of other tools', () => {
    writePetShop('a', 'issue_0', { target, root_cause: { node: 'Search' } });
    const [plain] = loadPetShopCases(directory);
    const path = 'low_traffic/a/issue_0/metrics.csv';
    const lines = readFileSync(join(directory, path), 'utf8').trim().split('\n');
    const [service, metric, statistic, time, ...rows] = lines.map((line) => line.split(','));
    const other = rows.toReversed().map(([at, ...cells], i) => {
      const written = i % 2 === 0 ? new Date(Number(at) * 1000).toISOString() : `${at}.0`;
      return [written, ...cells.map((cell) => (cell === '' ? 'nan' : cell)), 'inf', cells[2]];
    });
    const header = [
      [...service!, 'New', 'Search'],
      [...metric!, 'errors', 'latency'],
      [...statistic!, 'Sum', 'Average'],
      [...time!, '', ''],
    ];
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), [...header, ...other].map((row) => `${row.join(',')}\r\n`).join(''));
    const [one] = loadPetShopCases(directory);
    const known = one?.input.series.filter((series) => series.service !== 'New');
    assert.deepEqual(known, plain?.input.series);
    assert.deepEqual(one?.input.incident, plain?.input.incident);
  });

  it('ranks although the target or the truth is in no other file, and from a single sample', () => {
    const unknown = { ...target, node: 'Elsewhere', agg: 'p99' };
    writePetShop('a', 'issue_0', { target: unknown, root_cause: { node: 'Nowhere', metric: 'latency' } });
    writePetShop('a', 'issue_1', { target, root_cause: { node: null } });
    const path = 'low_traffic/a/issue_1/metrics.csv';
    const lines = readFileSync(join(directory, path), 'utf8').split('\n');
    write(path, [...lines.slice(0, 4), lines[6]!]);
    writePetShop('a', 'issue_2', { target, root_cause: { node: 'Search_client' } });
    const { status, stdout, stderr } = run('--petshop', directory, '--json');
    assert.equal(stderr, '');
    assert.equal(status, 0);
    const printed = stdout
      .trim()
      .split('\n')
      .map((line) => printedLine.parse(JSON.parse(line)));
    assert.deepEqual(
      printed.map(({ truth }) => truth),
      ['Nowhere', undefined, 'Search_client'],
    );
    // A truth that is in no file is a miss; a transport node is last, but in the ranking.
    assert.deepEqual(
      printed.map(({ rank }) => rank),
      [null, undefined, 3],
    );
    for (const { ranking } of printed) {
      assert.equal(ranking[0]?.service, 'Search');
      assert.equal(ranking.length, nodes.length);
    }
    assert.match(run('--petshop', directory).stdout, /low_traffic +casebook +2 +0\.00 +0\.50/);
  });

  it('refuses a metrics file without its header rows', () => {
    writePetShop('a', 'issue_0', { target });
    write('low_traffic/noissue/metrics.csv', ['time,a', '1,2']);
    assert.throws(() => loadPetShopCases(directory), DatasetError);
  });
});

describe('accuracyOf', () => {
  it('averages top-1 to top-5 over the cases with a known truth', () => {
    const accuracy = accuracyOf([1, 3, 6, undefined, Number.POSITIVE_INFINITY]);
    assert.deepEqual(accuracy, { cases: 4, top1: 0.25, top3: 0.5, averageAt5: 0.4 });
  });
});
