import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, it } from 'mocha';
import { waitUntil } from '../support/wait-until.ts';
import { pausableTimeout } from '../../src/platform/pausable-timeout.ts';

describe('a pausable timeout', () => {
  const untilFired = (signal: AbortSignal) =>
    waitUntil(() => signal.aborted || undefined, { what: 'the timeout', intervalMs: 5 });

  it('fires when its time is over', async () => {
    using timeout = pausableTimeout(10);
    await untilFired(timeout.signal);
    assert.equal(timeout.signal.reason.name, 'TimeoutError');
  });

  it('stands still until the last of overlapping pauses is over', async () => {
    using timeout = pausableTimeout(20);
    const [one, two] = [timeout.pause(), timeout.pause()];
    one[Symbol.dispose]();
    one[Symbol.dispose]();
    await sleep(40);
    assert.equal(timeout.signal.aborted, false);
    two[Symbol.dispose]();
    await untilFired(timeout.signal);
  });

  it('never fires once it is disposed', async () => {
    const timeout = pausableTimeout(1);
    timeout[Symbol.dispose]();
    await sleep(10);
    assert.equal(timeout.signal.aborted, false);
  });
});
