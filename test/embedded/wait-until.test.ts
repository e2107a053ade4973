import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { waitUntil } from '../../src/embedded/wait-until.ts';

/** Nothing in this process happens for so long, as on a machine that stands still. */
const standStill = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

describe('waiting for a condition', () => {
  it('ends with what the attempt returns, however often it threw before', async () => {
    let attempts = 0;
    const attempt = (): number => {
      attempts += 1;
      if (attempts < 3) throw new Error('not yet');
      return attempts;
    };
    assert.equal(await waitUntil(attempt, { what: 'it', timeoutMs: 60_000, intervalMs: 1 }), 3);
  });

  it('gives up after its time, with the last error', async () => {
    const attempt = (): never => {
      throw new Error('still away');
    };
    await assert.rejects(waitUntil(attempt, { what: 'it', timeoutMs: 50, intervalMs: 10 }), {
      message: 'it: timed out after 0 s (still away)',
    });
  });

  it('does not count the time in which the process stood still', async () => {
    const waiting = waitUntil(() => isThere || undefined, { what: 'it', timeoutMs: 600, intervalMs: 10 });
    let isThere = false;
    await delay(20);
    standStill(1_000);
    await delay(20);
    isThere = true;
    await waiting;
  });

  it('stops waiting when it is aborted', async () => {
    const signal = AbortSignal.timeout(10);
    await assert.rejects(
      waitUntil(() => undefined, { what: 'it', timeoutMs: 60_000, signal }),
      { name: 'TimeoutError' },
    );
  });
});
