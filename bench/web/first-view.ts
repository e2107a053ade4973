import type { Page } from 'playwright-core';
import { onPage, sinceNavigation, type Sample, type Scene, type Visitor } from './scene.ts';

/** As the developer tools of Chromium have them under "Fast 3G", and a phone's processor. */
const FAST_3G = { offline: false, latency: 562.5, downloadThroughput: 188_743, uploadThroughput: 86_400 };
const SLOWER = 4;

/** The page of an investigation with an empty cache, against a page of the same server that has nothing in it. */
export function firstViewScene(visitor: Visitor, investigationId: string): Scene {
  const cause = (page: Page) => page.getByRole('heading', { level: 2, name: 'Cause', exact: true }).waitFor();
  return {
    about: 'the first view',
    names: { large: 'the first view of an investigation', small: '/robots.txt' },
    figures: [
      { key: 'fast', name: 'until its cause is there', unit: 'ms', most: 3_000 },
      { key: 'slow', name: 'the same on Fast 3G with a processor four times slower', unit: 'ms' },
      { key: 'script', name: 'JavaScript that was transferred', unit: 'kB', isDetail: true },
    ],
    async measure(size) {
      const [path, isThere] =
        size === 'large' ? [`/investigation/${investigationId}`, cause] : ['/robots.txt', async () => undefined];
      const open = async (page: Page): Promise<number> => {
        await page.goto(path, { waitUntil: 'load' });
        await isThere(page);
        return await sinceNavigation(page);
      };
      const fast = await onPage(visitor, async (page): Promise<Sample> => {
        const transferred = await scriptBytes(page);
        const ms = await open(page);
        return { fast: ms, script: transferred() / 1_000 };
      });
      const slow = await onPage(visitor, async (page) => {
        const session = await page.context().newCDPSession(page);
        await session.send('Network.enable');
        await session.send('Network.emulateNetworkConditions', FAST_3G);
        await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
        return await open(page);
      });
      return { ...fast, slow };
    },
  };
}

/** Counts the bytes of scripts as they come over the wire, with their headers. */
async function scriptBytes(page: Page): Promise<() => number> {
  const session = await page.context().newCDPSession(page);
  const scripts = new Set<string>();
  let bytes = 0;
  session.on('Network.responseReceived', ({ requestId, type }) => {
    if (type === 'Script') scripts.add(requestId);
  });
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (scripts.has(requestId)) bytes += encodedDataLength;
  });
  await session.send('Network.enable');
  return () => bytes;
}
