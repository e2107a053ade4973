import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { createFairSlots, type FairSlotsOptions } from '../../src/platform/fair-slots.ts';

describe('fair slots', () => {
  /** Tasks that end when they are told to. */
  function tasks(options: Partial<FairSlotsOptions> = {}) {
    const busy = () => new Error('busy');
    const slots = createFairSlots({ slots: 2, slotsPerKey: 1, maxWaitingPerKey: 10, busy, ...options });
    const begun: string[] = [];
    const ends = new Map<string, PromiseWithResolvers<void>>();
    const start = (name: string, signal?: AbortSignal): Promise<string> => {
      const end = Promise.withResolvers<void>();
      ends.set(name, end);
      const task = async () => {
        begun.push(name);
        await end.promise;
        return name;
      };
      return slots(name[0]!, task, signal);
    };
    const finish = async (...names: string[]): Promise<void> => {
      for (const name of names) ends.get(name)!.resolve();
      await setImmediate();
    };
    return { begun, start, ends, finish };
  }

  it('go to keys in turn, and in order within a key', async () => {
    const { begun, start, finish } = tasks({ slotsPerKey: 2 });
    const all = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'].map((name) => start(name));
    await finish();
    assert.deepEqual(begun, ['a1', 'a2']);
    await finish('a1', 'a2');
    assert.deepEqual(begun.slice(2).toSorted(), ['a3', 'b1']);
    await finish('a3', 'b1');
    assert.deepEqual(begun.slice(4).toSorted(), ['a4', 'c1']);
    await finish('a4', 'c1');
    assert.equal(begun.at(-1), 'b2');
    await finish('b2');
    assert.deepEqual(await Promise.all(all), ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1']);
  });

  it('keep one for others where a key may not have all of them', async () => {
    const { begun, start, finish } = tasks();
    const all = ['a1', 'a2', 'a3', 'b1'].map((name) => start(name));
    await finish();
    assert.deepEqual(begun, ['a1', 'b1']);
    await finish('b1');
    assert.deepEqual(begun, ['a1', 'b1']);
    await finish('a1');
    assert.deepEqual(begun, ['a1', 'b1', 'a2']);
    await finish('a2');
    await finish('a3');
    await Promise.all(all);
  });

  it('are refused when too many wait, of a key and in all, and given again afterwards', async () => {
    const { start, finish } = tasks({ maxWaitingPerKey: 1, maxWaiting: 2 });
    const taken = ['a1', 'a2', 'b1', 'b2'].map((name) => start(name));
    await assert.rejects(start('a3'), /busy/);
    await assert.rejects(start('c1'), /busy/);
    await finish('a1', 'b1');
    const later = start('c2');
    await finish('a2', 'b2');
    await finish('c2');
    assert.deepEqual(await Promise.all(taken), ['a1', 'a2', 'b1', 'b2']);
    assert.equal(await later, 'c2');
  });

  it('are given back by tasks that fail, and never taken by those that left before their turn', async () => {
    const { begun, start, ends, finish } = tasks({ slots: 1 });
    const first = start('a1');
    const leaving = new AbortController();
    const left = assert.rejects(start('a2', leaving.signal), /gone/);
    const last = start('b1');
    await finish();
    leaving.abort(new Error('gone'));
    await left;
    await assert.rejects(start('c1', leaving.signal), /gone/);
    ends.get('a1')!.reject(new Error('no'));
    await assert.rejects(first, /no/);
    await finish('b1');
    assert.equal(await last, 'b1');
    assert.deepEqual(begun, ['a1', 'b1']);
  });
});
