import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { MetricSeries, ServiceEdge, TimeWindow } from '../../src/features/diagnosis/index.ts';
import { DatasetError, type DiagnosisCase } from './case.ts';
import { listFolders, readCsv, toSample } from './csv.ts';

const HEADER_ROWS = ['microservice', 'metric', 'statistic', 'unix_timestamp'];

/**
 * Reads the PetShop layout (arXiv 2311.04806): `DIR/TRAFFIC/graph.csv`, `DIR/TRAFFIC/noissue/metrics.csv` and
 * `DIR/TRAFFIC/SPLIT/issue_N/{metrics.csv,target.json}` for any traffic and split names. Only the `target` object of
 * target.json reaches the ranking input; `root_cause`, which may be absent, becomes the truth.
 * Throws DatasetError when a file is missing or malformed.
 */
export function loadPetShopCases(directory: string): DiagnosisCase[] {
  const cases: DiagnosisCase[] = [];
  const scenarios = listFolders(directory).filter((name) => existsSync(join(directory, name, 'graph.csv')));
  for (const scenario of scenarios) {
    const root = join(directory, scenario);
    const edges = readGraph(join(root, 'graph.csv'));
    const healthy = readMetrics(join(root, 'noissue', 'metrics.csv'));
    for (const split of listFolders(root)) {
      if (split === 'noissue') continue;
      for (const issue of listFolders(join(root, split))) {
        const folder = join(root, split, issue);
        if (!existsSync(join(folder, 'target.json'))) continue;
        cases.push(loadCase({ scenario, split, issue, folder }, edges, healthy));
      }
    }
  }
  if (cases.length === 0)
    throw new DatasetError(`${directory} holds no PetShop case (TRAFFIC/graph.csv, TRAFFIC/SPLIT/ISSUE/target.json)`);
  return cases;
}

interface CaseFolder {
  scenario: string;
  split: string;
  issue: string;
  folder: string;
}

function loadCase(where: CaseFolder, edges: ServiceEdge[], healthy: MetricSeries[]): DiagnosisCase {
  const { scenario, split, issue, folder } = where;
  const { target, root_cause: rootCause } = readTarget(join(folder, 'target.json'));
  const truth = rootCause?.node;
  const faulty = readMetrics(join(folder, 'metrics.csv'));
  return {
    dataset: 'petshop',
    system: scenario,
    name: `${scenario}/${split}/${issue}`,
    input: {
      series: joinSeries(healthy, faulty),
      edges,
      alert: { service: target.node, metric: target.metric, at: target.timestamp },
      baseline: windowOf(healthy),
      incident: windowOf(faulty),
    },
    ...(truth === undefined ? {} : { truth }),
  };
}

/** Rows of the adjacency matrix call columns. */
function readGraph(path: string): ServiceEdge[] {
  const [header, ...rows] = readCsv(path);
  if (header === undefined || header.length < 2) throw new DatasetError(`${path} has no header row`);
  const edges: ServiceEdge[] = [];
  for (const row of rows) {
    const caller = row[0];
    if (!caller) throw new DatasetError(`${path} has a row without a name`);
    for (let column = 1; column < header.length; column++) {
      if (toSample(row[column]) > 0) edges.push({ caller, callee: header[column]! });
    }
  }
  return edges;
}

/** Four header rows (microservice, metric, statistic, unix_timestamp), then one row per time. */
function readMetrics(path: string): MetricSeries[] {
  const rows = readCsv(path);
  HEADER_ROWS.forEach((name, index) => {
    if (rows[index]?.[0]?.trim() !== name) {
      throw new DatasetError(`${path} row ${index + 1} should begin with "${name}"`);
    }
  });
  const samples = rows
    .slice(HEADER_ROWS.length)
    .map((row) => ({ time: toSample(row[0]), row }))
    .filter(({ time }) => !Number.isNaN(time))
    .sort((a, b) => a.time - b.time);
  if (samples.length === 0) throw new DatasetError(`${path} has no samples`);
  const timestamps = samples.map(({ time }) => time);
  return rows[0]!.slice(1).map((service, index) => {
    const statistic = rows[2]![index + 1];
    return {
      service,
      metric: rows[1]![index + 1] ?? '',
      ...(statistic ? { statistic } : {}),
      timestamps,
      values: samples.map(({ row }) => toSample(row[index + 1])),
    };
  });
}

const targetFile = z.object({
  target: z.object({ node: z.string(), metric: z.string().optional(), timestamp: z.coerce.number() }),
  root_cause: z
    .object({ node: z.string().optional().catch(undefined) })
    .nullish()
    .catch(undefined),
});

function readTarget(path: string): z.infer<typeof targetFile> {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new DatasetError(`${path} is not readable JSON: ${String(error)}`);
  }
  const parsed = targetFile.safeParse(content);
  if (!parsed.success) throw new DatasetError(`${path}: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}

/** Both recordings as one series each, ascending in time, whichever was made first. */
function joinSeries(healthy: MetricSeries[], faulty: MetricSeries[]): MetricSeries[] {
  const keyOf = (one: MetricSeries): string => JSON.stringify([one.service, one.metric, one.statistic]);
  const joined = new Map(healthy.map((one) => [keyOf(one), one]));
  for (const one of faulty) {
    const other = joined.get(keyOf(one));
    joined.set(keyOf(one), other === undefined ? one : concatenate(other, one));
  }
  return [...joined.values()];
}

function concatenate(a: MetricSeries, b: MetricSeries): MetricSeries {
  const [first, second] = (a.timestamps[0] ?? 0) <= (b.timestamps[0] ?? 0) ? [a, b] : [b, a];
  return {
    ...a,
    timestamps: [...first.timestamps, ...second.timestamps],
    values: [...first.values, ...second.values],
  };
}

function windowOf(series: MetricSeries[]): TimeWindow {
  const timestamps = series[0]?.timestamps ?? [];
  return { from: timestamps[0] ?? 0, to: (timestamps[timestamps.length - 1] ?? 0) + 1 };
}
