import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { MetricSeries, ServiceEdge, TimeWindow } from '../../src/features/diagnosis/index.ts';
import { DatasetError, type DiagnosisCase } from './case.ts';
import { listFolders, readCsv, toSample, toUnixSeconds } from './csv.ts';
import { columnSeries, joinSeries } from './series.ts';

/** What a system records when nothing is wrong. */
export interface HealthyRecording {
  system: string;
  series: MetricSeries[];
  edges: ServiceEdge[];
}

/** Called for a case or system that cannot be read; the others are still read. */
export type OnUnreadable = (error: DatasetError) => void;

const refuse: OnUnreadable = (error) => {
  throw error;
};

/**
 * Reads the PetShop layout (arXiv 2311.04806): `DIR/TRAFFIC/graph.csv`, `DIR/TRAFFIC/noissue/metrics.csv` and
 * `DIR/TRAFFIC/SPLIT/issue_N/{metrics.csv,target.json}` for any traffic and split names. Only the `target` object of
 * target.json reaches the ranking input; `root_cause`, which may be absent, becomes the truth.
 *
 * A file that is missing or malformed is a DatasetError: thrown, or given to `unreadable` and the rest read. Throws
 * DatasetError when the folder holds no case.
 */
export function loadPetShopCases(directory: string, unreadable: OnUnreadable = refuse): DiagnosisCase[] {
  const cases: DiagnosisCase[] = [];
  let found = 0;
  for (const system of listSystems(directory)) {
    const root = join(directory, system);
    const folders = listFolders(root)
      .filter((split) => split !== 'noissue')
      .flatMap((split) => listFolders(join(root, split)).map((issue) => `${split}/${issue}`))
      .filter((path) => existsSync(join(root, path, 'target.json')));
    found += folders.length;
    const healthy = attempt(() => readHealthy(directory, system), unreadable);
    if (healthy === undefined) continue;
    for (const path of folders) {
      const one = attempt(() => loadCase(healthy, path, join(root, path)), unreadable);
      if (one !== undefined) cases.push(one);
    }
  }
  if (found === 0)
    throw new DatasetError(`${directory} holds no PetShop case (TRAFFIC/graph.csv, TRAFFIC/SPLIT/ISSUE/target.json)`);
  return cases;
}

/** The healthy recordings of all systems. Throws DatasetError when one is missing or malformed. */
export function loadPetShopHealth(directory: string): HealthyRecording[] {
  return listSystems(directory).map((system) => readHealthy(directory, system));
}

function listSystems(directory: string): string[] {
  return listFolders(directory).filter((name) => existsSync(join(directory, name, 'graph.csv')));
}

function readHealthy(directory: string, system: string): HealthyRecording {
  const root = join(directory, system);
  return {
    system,
    series: readMetrics(join(root, 'noissue', 'metrics.csv')),
    edges: readGraph(join(root, 'graph.csv')),
  };
}

function attempt<T>(read: () => T, unreadable: OnUnreadable): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof DatasetError)) throw error;
    unreadable(error);
    return undefined;
  }
}

function loadCase({ system, series, edges }: HealthyRecording, path: string, folder: string): DiagnosisCase {
  const { target, root_cause: rootCause } = readTarget(join(folder, 'target.json'));
  const truth = rootCause?.node;
  const faulty = readMetrics(join(folder, 'metrics.csv'));
  return {
    dataset: 'petshop',
    system,
    name: `${system}/${path}`,
    input: {
      series: joinSeries(series, faulty),
      edges,
      alert: { service: target.node, ...(target.metric && { metric: target.metric }), at: target.timestamp },
      baseline: windowOf(series),
      incident: windowOf(faulty),
    },
    ...(truth ? { truth } : {}),
  };
}

/** Rows of the adjacency matrix call columns. */
function readGraph(path: string): ServiceEdge[] {
  const [header, ...rows] = readCsv(path);
  if (header === undefined || header.length < 2) throw new DatasetError(`${path} has no header row`);
  const edges: ServiceEdge[] = [];
  for (const row of rows) {
    const caller = row[0]?.trim();
    if (!caller) throw new DatasetError(`${path} has a row without a name`);
    for (let column = 1; column < header.length; column++) {
      if (toSample(row[column]) > 0) edges.push({ caller, callee: header[column]!.trim() });
    }
  }
  return edges;
}

/** Header rows named in the first column (`statistic` may be missing), then one row per time, in any order. */
function readMetrics(path: string): MetricSeries[] {
  const rows = readCsv(path);
  const labelled = new Map<string, string[]>();
  for (const row of rows.slice(0, 4)) labelled.set(row[0]?.trim().toLowerCase() ?? '', row);
  const services = labelled.get('microservice');
  const metrics = labelled.get('metric');
  if (services === undefined || metrics === undefined) {
    throw new DatasetError(
      `${path} should begin with the rows "microservice", "metric", "statistic", "unix_timestamp"`,
    );
  }
  const columns = services.slice(1).map((service, index) => {
    const statistic = labelled.get('statistic')?.[index + 1]?.trim();
    return {
      service: service.trim(),
      metric: metrics[index + 1]?.trim() ?? '',
      ...(statistic ? { statistic } : {}),
      cell: index + 1,
    };
  });
  const samples = rows
    .map((row) => ({ time: toUnixSeconds(row[0]), row }))
    .filter(({ time }) => !Number.isNaN(time))
    .sort((a, b) => a.time - b.time);
  if (samples.length === 0) throw new DatasetError(`${path} has no samples`);
  return columnSeries(
    columns.filter(({ service }) => service !== ''),
    samples,
  );
}

const targetFile = z.object({
  target: z.object({
    node: z.string().min(1),
    metric: z.string().nullish(),
    timestamp: z
      .union([z.number(), z.string()])
      .transform((time) => toUnixSeconds(String(time)))
      .refine((time) => !Number.isNaN(time), 'is not a time'),
  }),
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

function windowOf(series: MetricSeries[]): TimeWindow {
  const timestamps = series[0]?.timestamps ?? [];
  return { from: timestamps[0] ?? 0, to: (timestamps[timestamps.length - 1] ?? 0) + 1 };
}
