import assert from 'node:assert/strict';
import { createTurns } from '../../src/platform/turns.ts';

describe('turns', () => {
  const never = new Promise<never>(() => undefined);

  it('let works of one name wait for each other, in their order, and no others', async () => {
    const inTurn = createTurns({ patienceMs: 60_000 });
    const begun: string[] = [];
    const first = Promise.withResolvers<string>();
    const work = (name: string, done: Promise<string>) => () => {
      begun.push(name);
      return done;
    };
    const a = inTurn('a', work('a1', first.promise));
    const a2 = inTurn('a', work('a2', Promise.resolve('second')));
    const a3 = inTurn('a', work('a3', Promise.resolve('third')));
    assert.equal(await inTurn('b', work('b1', Promise.resolve('other'))), 'other');
    assert.deepEqual(begun, ['a1', 'b1']);
    first.resolve('first');
    assert.deepEqual(await Promise.all([a, a2, a3]), ['first', 'second', 'third']);
    assert.deepEqual(begun, ['a1', 'b1', 'a2', 'a3']);
  });

  it('come also after a work that failed', async () => {
    const inTurn = createTurns({ patienceMs: 60_000 });
    const failed = inTurn('a', () => Promise.reject(new Error('no luck')));
    const next = inTurn('a', () => Promise.resolve('done'));
    await assert.rejects(failed, /no luck/);
    assert.equal(await next, 'done');
  });

  it('come in the end behind a work that hangs', async () => {
    const inTurn = createTurns({ patienceMs: 20 });
    void inTurn('a', () => never);
    assert.equal(await inTurn('a', () => Promise.resolve('done')), 'done');
  });

  it('come one after the other also then: patience is with the one before, not with the queue', async () => {
    const inTurn = createTurns({ patienceMs: 20 });
    void inTurn('a', () => never);
    let isNext = false;
    const ahead = inTurn('a', async () => {
      await new Promise(setImmediate);
      return isNext;
    });
    const next = inTurn('a', async () => {
      isNext = true;
    });
    assert.equal(await ahead, false);
    await next;
  });

  it('are not waited for any longer than their signal allows', async () => {
    const inTurn = createTurns({ patienceMs: 60_000 });
    const first = Promise.withResolvers<void>();
    void inTurn('a', () => first.promise);
    const giving = new AbortController();
    let begun = false;
    const waiting = inTurn(
      'a',
      async () => {
        begun = true;
      },
      giving.signal,
    );
    giving.abort(new Error('given up'));
    let isNext = false;
    const next = inTurn('a', async () => {
      isNext = true;
    });
    await assert.rejects(waiting, /given up/);
    await new Promise(setImmediate);
    assert.equal(isNext, false, 'the first has not ended');
    first.resolve();
    await next;
    assert.equal(begun, false);
  });
});
