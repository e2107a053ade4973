import assert from 'node:assert/strict';
import { createAtMost } from '../../src/platform/at-most.ts';

describe('works at one time', () => {
  /** Works that begin when they may, and end when they are told to. */
  const begin = (most: number) => {
    const atMost = createAtMost(most);
    const begun: string[] = [];
    const ends = new Map<string, PromiseWithResolvers<void>>();
    const start = async (name: string): Promise<string> => {
      const end = Promise.withResolvers<void>();
      ends.set(name, end);
      return atMost(async () => {
        begun.push(name);
        await end.promise;
        return name;
      });
    };
    return { begun, start, ends };
  };

  it('are so many, in the order in which they came', async () => {
    const { begun, start, ends } = begin(2);
    const works = ['a', 'b', 'c', 'd'].map((name) => start(name));
    assert.deepEqual(begun, ['a', 'b']);
    ends.get('b')!.resolve();
    assert.equal(await works[1], 'b');
    assert.deepEqual(begun, ['a', 'b', 'c']);
    for (const { resolve } of ends.values()) resolve();
    assert.deepEqual(await Promise.all(works), ['a', 'b', 'c', 'd']);
    assert.deepEqual(begun, ['a', 'b', 'c', 'd']);
  });

  it('give their place on when they fail', async () => {
    const { begun, start, ends } = begin(1);
    const [first, second] = [start('a'), start('b')];
    ends.get('a')!.reject(new Error('no'));
    await assert.rejects(first, /no/);
    ends.get('b')!.resolve();
    assert.equal(await second, 'b');
    const third = start('c');
    assert.deepEqual(begun, ['a', 'b', 'c']);
    ends.get('c')!.resolve();
    await third;
  });

  it('do not get past those that wait, when a place becomes free', async () => {
    const { begun, start, ends } = begin(1);
    const [first, second] = [start('a'), start('b')];
    const late = first.then(() => start('c'));
    ends.get('a')!.resolve();
    ends.get('b')!.resolve();
    await second;
    ends.get('c')?.resolve();
    await late;
    assert.deepEqual(begun, ['a', 'b', 'c']);
  });
});
