import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Attempts, BACKOFF, backoffMs } from '../../../satellite/connection/backoff.ts';
import { endpointOf } from '../../../satellite/connection/endpoint.ts';

const unit = fc.double({ min: 0, max: 1, noNaN: true });
const attempt = fc.nat(10_000);

describe('satellite: back-off', () => {
  it('is never negative and never over the cap of its kind', () => {
    fc.assert(
      fc.property(fc.constantFrom('failed', 'restarting', 'refused'), attempt, unit, (ending, n, random) => {
        const ms = backoffMs(ending, n, random);
        assert.ok(ms >= 0 && ms <= (ending === 'refused' ? BACKOFF.refusedCapMs : BACKOFF.capMs));
      }),
    );
  });

  it('has ceilings that double and reach the cap: 60 s for failures, 5 min for refusals', () => {
    const ceilings = Array.from({ length: 12 }, (_, n) => backoffMs('failed', n, 1));
    assert.deepEqual(ceilings.slice(0, 8), [500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000]);
    assert.equal(ceilings.at(-1), 60_000);
    assert.deepEqual([backoffMs('refused', 0, 1), backoffMs('refused', 1, 1)], [4_000, 8_000]);
    assert.equal(backoffMs('refused', 20, 1), 300_000);
  });

  it('spreads failures over the whole range, and refusals over its upper half', () => {
    fc.assert(
      fc.property(attempt, unit, (n, random) => {
        assert.equal(backoffMs('failed', n, random), random * backoffMs('failed', n, 1));
        assert.ok(backoffMs('refused', n, random) >= backoffMs('refused', n, 1) / 2);
      }),
    );
  });

  it('begins anew only after a connection that stayed for a minute', () => {
    const attempts = new Attempts();
    const next = (ending: 'failed' | 'refused' | 'restarting', stayedMs: number): number =>
      attempts.next(ending, stayedMs);
    assert.deepEqual([next('failed', 0), next('failed', 59_000), next('failed', 0)], [0, 1, 2]);
    assert.equal(next('restarting', 5_000), 0, 'a restart is no failure');
    assert.equal(next('restarting', 0), 1, 'but one restart after the other is');
    assert.equal(next('failed', 0), 3);
    assert.equal(next('failed', 60_000), 0);
    assert.equal(next('refused', 0), 0);
  });
});

describe('satellite: endpoint', () => {
  for (const [base, url, exposed] of [
    ['https://casebook.example.com', 'wss://casebook.example.com/satellite/connect', false],
    ['http://casebook.example.com/', 'ws://casebook.example.com/satellite/connect', true],
    ['wss://example.com/base/', 'wss://example.com/base/satellite/connect', false],
    ['http://localhost:3000', 'ws://localhost:3000/satellite/connect', false],
    ['http://127.0.0.2', 'ws://127.0.0.2/satellite/connect', false],
    ['ws://[::1]:1/satellite/connect', 'ws://[::1]:1/satellite/connect', false],
    ['http://localhost.example.com', 'ws://localhost.example.com/satellite/connect', true],
    ['https://me:secret@example.com/?a=b', 'wss://example.com/satellite/connect', false],
  ] as const)
    it(base, () => assert.deepEqual(endpointOf(base), { url, exposed }));
});
