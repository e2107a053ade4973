import { existsSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { openOrm } from '../src/db/orm.ts';
import { entities } from '../src/rooms.ts';
import { createEventLog } from '../src/platform/event-log/index.ts';
import { createLogger } from '../src/platform/logger.ts';
import { closeBrowser, sharedBrowser } from '../test/support/web/browser.ts';
import type { Benchmark, BenchOptions, BenchReport, BenchTable } from './benchmark.ts';
import { compared, type BenchResult } from './result.ts';
import { withStack, type Stack } from './support/stack.ts';
import { median, significant } from './support/statistics.ts';
import { chatAnswerScene } from './web/chat-answer.ts';
import { firstViewScene } from './web/first-view.ts';
import { visitorWith, type Figure, type Sample, type Scene, type Size } from './web/scene.ts';
import { serviceGraphScene, storeSatellite } from './web/service-graph.ts';
import { storeCiting, toolResultScene } from './web/tool-result.ts';

const ROUNDS = 5;
const SIZES: readonly Size[] = ['small', 'large'];

/**
 * The largest things that the web app shows, in Chromium without a graphics card, each against a small one of its kind
 * in alternating rounds: medians of 5. Each round has a browser profile of its own, with an empty cache.
 */
export const web: Benchmark = {
  name: 'web',
  about: 'the largest things the web app shows, against small ones, in Chromium',
  run: (options) => withStack({ ...options, worker, env: noModel }, (stack) => measureAll(options, stack)),
};

/** It sweeps nothing up: no workflow runs what is shown. */
const worker = { program: 'bench/support/worker.ts', args: [] };
/** Never called. */
const noModel = { ANTHROPIC_BASE_URL: 'http://127.0.0.1:9', ANTHROPIC_API_KEY: 'bench' };

async function measureAll(options: BenchOptions, stack: Stack): Promise<BenchReport> {
  if (!existsSync(join(import.meta.dirname, '..', 'web', 'dist', 'index.html')))
    throw new Error('The web app is not built: npm run build:web');
  const { databaseUrl, apiUrl, apiKey } = stack;
  const { id: teamId } = await stack.call<{ id: string }>('GET', '/api/team');
  const orm = await openOrm({ databaseUrl, entities, poolSize: 4 });
  const log = createEventLog({ databaseUrl, log: createLogger({ name: 'bench', level: 'warn' }) });
  const database = new Client(databaseUrl);
  await database.connect();
  try {
    const visitor = await visitorWith(await sharedBrowser(), apiUrl, apiKey);
    const investigations = await ofBoth((size) => storeCiting(orm, teamId, size));
    const satellites = await ofBoth((size) => storeSatellite(orm, teamId, size));
    const scenes = [
      toolResultScene(visitor, investigations),
      serviceGraphScene(visitor, satellites),
      chatAnswerScene(visitor, { database, log, teamId }),
      firstViewScene(visitor, investigations.small.id),
    ];
    const reports: BenchReport[] = [];
    for (const scene of scenes) reports.push(await measure(options, scene));
    return {
      results: reports.flatMap(({ results }) => results),
      tables: reports.flatMap(({ tables = [] }) => tables),
    };
  } finally {
    await closeBrowser();
    await database.end();
    await log.close();
    await orm.close(true);
  }
}

async function ofBoth<T>(make: (size: Size) => Promise<T>): Promise<Record<Size, T>> {
  return { small: await make('small'), large: await make('large') };
}

async function measure({ say, signal }: BenchOptions, scene: Scene): Promise<BenchReport> {
  const samples: Record<Size, Sample[]> = { small: [], large: [] };
  for (let round = 1; round <= ROUNDS; round++) {
    say(`${scene.about}, round ${round} of ${ROUNDS}`);
    // The first to run inherits the state of the machine, so they alternate.
    for (const size of round % 2 === 0 ? SIZES : SIZES.toReversed()) {
      signal.throwIfAborted();
      samples[size].push(await scene.measure(size));
    }
  }
  const figures = scene.figures.filter(({ isDetail }) => isDetail !== true);
  return { results: figures.map((figure) => result(scene, figure, samples)), tables: [table(scene, samples)] };
}

const valuesOf = (samples: readonly Sample[], { key }: Figure): number[] =>
  samples.map((sample) => sample[key] ?? Number.NaN);

function result({ names }: Scene, figure: Figure, { small, large }: Record<Size, Sample[]>): BenchResult {
  const { name, unit, most } = figure;
  const value = median(valuesOf(large, figure));
  return compared(`web, ${names.large}: ${name}`, value, unit, names.small, median(valuesOf(small, figure)), {
    ...(most !== undefined && { target: `<= ${most} ${unit}`, met: value <= most }),
  });
}

function table({ names, figures }: Scene, samples: Record<Size, Sample[]>): BenchTable {
  const rows = figures.flatMap((figure) =>
    SIZES.map((size) => [
      figure.name,
      names[size],
      ...valuesOf(samples[size], figure).map((each) => significant(each)),
    ]),
  );
  const rounds = Array.from({ length: ROUNDS }, (_, round) => `round ${round + 1}`);
  const [load = 0] = loadavg();
  const title = `${names.large}, each round; load average ${load.toFixed(1)} at the end`;
  return { title, columns: ['figure', 'of', ...rounds], rows };
}
