import type { Page } from 'playwright-core';
import type { Orm } from '../../src/db/orm.ts';
import { createGraphStore } from '../../src/features/satellites/graph/index.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { addSatellite } from '../../test/features/satellites/graph/support.ts';
import { makeCallGraph, nameOf } from '../support/call-graph.ts';
import { senderOf } from '../support/graph-sender.ts';
import { notedFrames, noteFrames, type Frames } from '../support/page-frames.ts';
import {
  drawn,
  frameFigures,
  framesSample,
  heapMegabytes,
  onPage,
  sinceNavigation,
  type Scene,
  type Size,
  type Visitor,
} from './scene.ts';

const SERVICES: Record<Size, number> = { small: 200, large: 2_000 };
const CALLS_EACH = 3;
const MOVES = 40;
const WHEEL_TURNS = 15;

/** Stores a satellite whose dependency graph is as large. @returns its id */
export async function storeSatellite(orm: Orm, teamId: string, size: Size): Promise<string> {
  const satellite = await addSatellite(orm, { teamId, name: `${size}-graph` });
  const nothing = JSON.stringify({ connectors: [], servers: [], tools: 0, omittedTools: 0 });
  // As it is of one that has neither connectors nor tools.
  await orm.em.fork().execute('update satellites set summary = ? where id = ?', [nothing, satellite.id]);
  const store = createGraphStore({ orm, clock: systemClock, log: createLogger({ name: 'bench', level: 'warn' }) });
  await senderOf(store, satellite).snapshot(makeCallGraph(SERVICES[size], SERVICES[size] * CALLS_EACH));
  return satellite.id;
}

/** A graph of 2,000 services: the part that is shown at first, all of it, and a service that is looked for. */
export function serviceGraphScene(visitor: Visitor, satellites: Record<Size, string>): Scene {
  return {
    about: 'a graph of services',
    names: { large: 'a graph of 2,000 services and 6,000 calls', small: 'one of 200 and 600' },
    figures: [
      { key: 'open', name: 'services in view', unit: 'ms', most: 3_000 },
      ...frameFigures('part', 'panned and zoomed, the part shown at first'),
      { key: 'layout', name: 'all of it laid out and drawn', unit: 'ms' },
      ...frameFigures('all', 'panned and zoomed, all of it'),
      { key: 'select', name: 'a service looked for and marked', unit: 'ms', most: 1_000 },
      { key: 'heap', name: 'JavaScript heap', unit: 'MB' },
    ],
    measure: (size) =>
      onPage(visitor, async (page) => {
        await page.goto(`/satellites/${satellites[size]}`, { waitUntil: 'commit' });
        const boxes = page.locator('.react-flow__node');
        await boxes.first().waitFor();
        const open = await sinceNavigation(page);
        const part = await panAndZoom(page, '.react-flow');

        const began = performance.now();
        await page.getByRole('button', { name: /^Show all/ }).click();
        const canvas = page.getByRole('application').locator('canvas');
        await canvas.waitFor();
        await drawn(page);
        const layout = performance.now() - began;
        const all = await panAndZoom(page, 'canvas');

        const service = nameOf(SERVICES[size] - 1);
        const field = page.getByRole('searchbox', { name: 'Find a service' });
        const asked = performance.now();
        await field.fill(service);
        await field.press('Enter');
        await page.getByRole('heading', { name: service }).waitFor();
        await drawn(page);
        const select = performance.now() - asked;
        const frames = { ...framesSample('part', part), ...framesSample('all', all) };
        return { open, layout, select, ...frames, heap: await heapMegabytes(page) };
      }),
  };
}

/** Drags the drawing there and back, then goes nearer and away again. */
async function panAndZoom(page: Page, drawing: string): Promise<Frames> {
  const box = await page.locator(drawing).first().boundingBox();
  if (box === null) throw new Error('There is no drawing of the graph.');
  const middle = { x: box.x + box.width / 2, y: box.y + box.height - 20 };
  await noteFrames(page);
  await page.mouse.move(middle.x, middle.y);
  await page.mouse.down();
  for (let move = 1; move <= MOVES; move++) {
    const away = 200 * Math.sin((2 * Math.PI * move) / MOVES);
    await page.mouse.move(middle.x + away, middle.y - Math.abs(away));
    await page.waitForTimeout(16);
  }
  await page.mouse.up();
  await page.keyboard.down('Control');
  for (const by of [-60, 60]) {
    for (let turn = 0; turn < WHEEL_TURNS; turn++) {
      await page.mouse.wheel(0, by);
      await page.waitForTimeout(16);
    }
  }
  await page.keyboard.up('Control');
  await drawn(page);
  return await notedFrames(page);
}
