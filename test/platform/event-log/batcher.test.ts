import assert from 'node:assert/strict';
import { Batcher } from '../../../src/platform/event-log/batcher.ts';

describe('event log: batcher', () => {
  it('shares a call between what arrives while one is under way, in order and within its bounds', async () => {
    const calls: number[][] = [];
    const batcher = new Batcher({
      run: async (items: number[]) => {
        calls.push(items);
        await new Promise(setImmediate);
        return items.map((item) => item * 2);
      },
      lanes: 1,
      maxItems: 4,
      maxWeight: 10,
    });
    const weights = [1, 1, 1, 1, 1, 1, 8, 8, 20, 1];
    const results = await Promise.all(weights.map((weight, item) => batcher.add(item, weight)));
    assert.deepEqual(results, [0, 2, 4, 6, 8, 10, 12, 14, 16, 18]);
    assert.deepEqual(calls, [[0], [1, 2, 3, 4], [5, 6], [7], [8], [9]]);
  });

  it('fails only the batch that failed, and drains', async () => {
    const batcher = new Batcher({
      run: async (items: string[]) => {
        if (items.includes('bad')) throw new Error('refused');
        return items;
      },
      lanes: 1,
      maxItems: 2,
      maxWeight: 0,
    });
    const settled = Promise.allSettled(['a', 'bad', 'b', 'c', 'd'].map((item) => batcher.add(item)));
    await batcher.drain();
    const statuses = (await settled).map(({ status }) => status);
    assert.deepEqual(statuses, ['fulfilled', 'rejected', 'rejected', 'fulfilled', 'fulfilled']);
  });
});
