import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { createAlertGate } from '../../../../src/features/monitoring-agents/triggers/gate.ts';
import { DependencyDown } from '../../../../src/http/errors.ts';

describe('the gate before alerts', () => {
  /** What has begun, by its owner, and how to end it. */
  const works = () => {
    const begun: string[] = [];
    const ends: (() => void)[] = [];
    const take = (owner: string) => async (): Promise<string> => {
      const { promise, resolve } = Promise.withResolvers<void>();
      begun.push(owner);
      ends.push(resolve);
      await promise;
      return owner;
    };
    return { begun, ends, take };
  };

  it('lets one of an owner through at a time, and four of all', async () => {
    const gate = createAlertGate();
    const { begun, ends, take } = works();
    const owners = ['a', 'a', 'a', 'b', 'c', 'd', 'e', 'f'];
    const all = Promise.all(owners.map((owner) => gate(owner, take(owner))));
    await setImmediate();
    assert.deepEqual(begun, ['a', 'b', 'c', 'd']);
    for (let next = 0; next < owners.length; next++) {
      ends[next]!();
      await setImmediate();
    }
    assert.deepEqual(await all, owners);
    assert.deepEqual(begun.toSorted(), owners);
    assert.deepEqual(begun.slice(4, 6), ['e', 'f'], 'an owner that has had its turn does not come before the others');
  });

  it('refuses those for whom there is no room, of an owner and in all, and has room again afterwards', async () => {
    const gate = createAlertGate({ ofOwner: 2, inAll: 3 });
    const { ends, take } = works();
    const first = gate('a', take('a'));
    const second = gate('a', take('a'));
    const isBusy = (error: unknown): boolean =>
      error instanceof DependencyDown && error.code === 'busy' && Number(error.headers['Retry-After']) > 0;
    await assert.rejects(gate('a', take('a')), isBusy);
    const other = gate('b', take('b'));
    await assert.rejects(gate('c', take('c')), isBusy);
    await setImmediate();
    for (const end of ends) end();
    assert.deepEqual([await first, await other], ['a', 'b']);
    await setImmediate();
    for (const end of ends) end();
    await second;
    assert.equal(await gate('c', async () => 'c'), 'c');
  });

  it('does nothing for those who have gone while they waited, and goes on after works that fail', async () => {
    const gate = createAlertGate();
    const { begun, ends, take } = works();
    const busy = ['a', 'b', 'c', 'd'].map((owner) => gate(owner, take(owner)));
    const gone = new AbortController();
    const waiting = ['a', 'e'].map((owner) => assert.rejects(gate(owner, take(owner), gone.signal), /gone/));
    await setImmediate();
    gone.abort(new Error('gone'));
    for (const end of ends) end();
    await Promise.all([...busy, ...waiting]);
    assert.deepEqual(begun, ['a', 'b', 'c', 'd']);
    await assert.rejects(
      gate('a', () => Promise.reject(new Error('no luck'))),
      /no luck/,
    );
    assert.equal(await gate('a', async () => 'through'), 'through');
  });
});
