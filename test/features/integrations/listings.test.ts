import assert from 'node:assert/strict';
import { createListings } from '../../../src/features/integrations/tool-servers/listings.ts';

const HOUR_MS = 60 * 60_000;

describe("listings of vendors' programs", () => {
  const setUp = () => {
    const started: PromiseWithResolvers<string[] | null>[] = [];
    let now = 0;
    let waits = 0;
    const ask = createListings<string, string[]>(
      () => {
        const next = Promise.withResolvers<string[] | null>();
        started.push(next);
        return next.promise;
      },
      {
        now: () => now,
        wait: async () => void waits++,
      },
    );
    return { ask: () => ask('azure'), started, at: (ms: number) => (now = ms), waits: () => waits };
  };

  it('let nobody wait twice for a program that hangs, and have its tools once it has answered', async () => {
    const { ask, started, at, waits } = setUp();
    assert.equal(await ask(), null);
    at(HOUR_MS);
    assert.equal(await ask(), null);
    assert.deepEqual([started.length, waits()], [1, 1], 'it is started once, and waited for once');
    started[0]!.resolve(['query']);
    await started[0]!.promise;
    assert.deepEqual(await ask(), ['query']);
  });

  it('are made again after a while, without a wait', async () => {
    const { ask, started, at, waits } = setUp();
    await ask();
    started[0]!.resolve(null);
    await started[0]!.promise;
    at(HOUR_MS / 2);
    assert.equal(await ask(), null);
    assert.equal(started.length, 2, 'it may have been installed since');
    started[1]!.resolve(['query']);
    await started[1]!.promise;
    at(HOUR_MS);
    assert.deepEqual(await ask(), ['query']);
    assert.equal(started.length, 2);
    at(2 * HOUR_MS);
    assert.deepEqual([await ask(), started.length, waits()], [['query'], 3, 1], 'what was known is good meanwhile');
    started[2]!.resolve(null);
    await started[2]!.promise;
    assert.equal(await ask(), null);
  });
});
