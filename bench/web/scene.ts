/** Building blocks of web benchmarks: pages with much and with little content, measured alternately. */
import type { Browser, Page } from 'playwright-core';
import type { Frames } from '../support/page-frames.ts';
import { quantile } from '../support/statistics.ts';

export type Size = 'small' | 'large';

/** Results of one round, by figure. */
export type Sample = Readonly<Record<string, number>>;

export interface Figure {
  /** Its key in the samples. */
  key: string;
  name: string;
  unit: string;
  /** Most it may be, on a machine without a graphics card; absent where it is information. */
  most?: number;
  /** It is among the details only. */
  isDetail?: true;
}

export interface Scene {
  about: string;
  /** The measured page and its baseline. */
  names: Record<Size, string>;
  figures: readonly Figure[];
  measure(size: Size): Promise<Sample>;
}

/** A browser that somebody is signed in with. */
export interface Visitor {
  browser: Browser;
  /** Of the API. */
  url: string;
  state: Awaited<ReturnType<Awaited<ReturnType<Browser['newContext']>>['storageState']>>;
}

/** Does something on a page of a new profile: with a session, and with nothing in its cache. */
export async function onPage<T>({ browser, url, state }: Visitor, work: (page: Page) => Promise<T>): Promise<T> {
  const viewport = { width: 1280, height: 900 };
  const context = await browser.newContext({ baseURL: url, viewport, storageState: state });
  try {
    return await work(await context.newPage());
  } finally {
    await context.close();
  }
}

/** Signs in with an API key. */
export async function visitorWith(browser: Browser, url: string, apiKey: string): Promise<Visitor> {
  const context = await browser.newContext({ baseURL: url });
  try {
    const answer = await context.request.post('/api/session', { data: { api_key: apiKey }, headers: { origin: url } });
    if (!answer.ok()) throw new Error(`signing in was answered with ${answer.status()}: ${await answer.text()}`);
    return { browser, url, state: await context.storageState() };
  } finally {
    await context.close();
  }
}

/** Milliseconds since the page was asked for. */
export const sinceNavigation = (page: Page): Promise<number> => page.evaluate<number>('performance.now()');

/** Until what was changed is on the screen. */
export const drawn = (page: Page): Promise<unknown> =>
  page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');

/** JavaScript heap in megabytes, after a collection. */
export async function heapMegabytes(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize / 1e6;
}

/** Frame figures, under names that begin with `of`. */
export const framesSample = (of: string, { intervals, longTasks }: Frames): Sample => ({
  [`${of}P95`]: quantile(intervals, 0.95),
  [`${of}Worst`]: Math.max(...intervals),
  [`${of}LongestTask`]: Math.max(0, ...longTasks),
});

/** A frame that somebody notices who scrolls or drags. */
const MAX_FRAME_MS = 50;

export const frameFigures = (of: string, name: string): Figure[] => [
  { key: `${of}P95`, name: `${name}: p95 between frames`, unit: 'ms', most: MAX_FRAME_MS },
  { key: `${of}Worst`, name: `${name}: longest between frames`, unit: 'ms' },
  { key: `${of}LongestTask`, name: `${name}: longest task, 0 if none took 50`, unit: 'ms', isDetail: true },
];
