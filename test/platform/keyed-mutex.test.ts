import assert from 'node:assert/strict';
import { createKeyedMutex } from '../../src/platform/keyed-mutex.ts';

describe('a keyed mutex', () => {
  const never = new Promise<never>(() => undefined);

  it('runs tasks of one key in order, and others beside them', async () => {
    const inTurn = createKeyedMutex({ timeoutMs: 60_000 });
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

  it('continues after a failed task', async () => {
    const inTurn = createKeyedMutex({ timeoutMs: 60_000 });
    const failed = inTurn('a', () => Promise.reject(new Error('no luck')));
    const next = inTurn('a', () => Promise.resolve('done'));
    await assert.rejects(failed, /no luck/);
    assert.equal(await next, 'done');
  });

  it('times out on a task that hangs', async () => {
    const inTurn = createKeyedMutex({ timeoutMs: 20 });
    void inTurn('a', () => never);
    assert.equal(await inTurn('a', () => Promise.resolve('done')), 'done');
  });

  it('times out the task before, not the queue', async () => {
    const inTurn = createKeyedMutex({ timeoutMs: 20 });
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

  it('stops waiting when the signal fires', async () => {
    const inTurn = createKeyedMutex({ timeoutMs: 60_000 });
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
