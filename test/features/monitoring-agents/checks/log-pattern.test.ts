import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { LogLine, TelemetrySource } from '../../../../src/features/sources/port.ts';
import { wildcard } from '../../../../src/features/monitoring-agents/checks/wildcard.ts';
import { memorySource } from '../../../support/telemetry-source.ts';
import { check, NOW, subjectsOf } from './support.ts';

const line = (at: number, message: string, more: Partial<LogLine> = {}): LogLine => ({
  at: NOW + at,
  service: 'payment',
  level: 'error',
  message,
  ...more,
});
const logs = { type: 'log_pattern', source: 'memory' };
const count = (at_least: number, more: object = {}) => ({ ...logs, condition: { type: 'count', at_least }, ...more });

/** Gives the newest lines, as real sources do, and no more than `cap` at once. */
function capped(lines: LogLine[], cap: number): TelemetrySource & { asked: number } {
  const source = {
    ...memorySource({ lines }),
    asked: 0,
    searchLogs: async ({ from, to, limit, text }: { from: number; to: number; limit: number; text?: string }) => {
      source.asked++;
      const all = lines.filter(({ at, message }) => at >= from && at < to && message.includes(text ?? ''));
      const most = Math.min(limit, cap);
      return { lines: all.slice(-most), truncated: all.length > most };
    },
  };
  return source;
}

describe('checks: log_pattern', () => {
  describe('wildcard', () => {
    it('matches in any case, parts in order, and gives the longest part', () => {
      const pattern = wildcard('TIMEOUT * payment-gateway*ms');
      assert.equal(pattern.literal, ' payment-gateway');
      assert.ok(pattern.matches('x timeout after\n3 s at Payment-Gateway (250 MS)'));
      assert.ok(!pattern.matches('payment-gateway timeout 250 ms'));
      assert.ok(wildcard('*').matches('') && wildcard(undefined).matches('x'));
      assert.equal(wildcard('**').literal, undefined);
    });

    it('agrees with a regular expression', () => {
      const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'A', '*', '.'), maxLength: 8 });
      const text = fc.string({ unit: fc.constantFrom('a', 'b', 'B', '.'), maxLength: 30 });
      fc.assert(
        fc.property(letters, text, (pattern, subject) => {
          const expression = pattern
            .split('*')
            .map((part) => part.replaceAll('.', String.raw`\.`))
            .join('[^]*');
          assert.equal(wildcard(pattern).matches(subject), new RegExp(expression, 'i').test(subject));
        }),
        { numRuns: 2_000 },
      );
    });
  });

  it('counts the lines of the window that match', async () => {
    const lines = [
      line(-400, 'timeout calling acquirer'),
      line(-200, 'Timeout calling acquirer after 250 ms'),
      line(-100, 'timeout calling the ACQUIRER'),
      line(-50, 'all is well', { level: 'info' }),
    ];
    const given = { sources: [memorySource({ lines })] };
    const found = await check(count(2, { pattern: 'timeout*acquirer', service: 'payment' }), given);
    assert.equal(found.status, 'finding');
    assert.match(
      found.summary,
      /^2 lines with "timeout\*acquirer" in 5 min, limit 2; the last at 2026-03-01T11:58:20Z: timeout/,
    );
    assert.deepEqual([found.observations[0]!.subject, found.observations[0]!.value], ['payment', 2]);
    assert.match(JSON.stringify(found.evidence), /Timeout calling acquirer after 250 ms/);
    assert.equal((await check(count(3, { pattern: 'timeout*acquirer' }), given)).status, 'ok');
    assert.equal((await check(count(1, { level: 'warn' }), given)).status, 'ok');
  });

  it('counts on where a source gives only some of the lines at once', async () => {
    const lines = Array.from({ length: 5_000 }, (_, i) =>
      line(-299 + i * 0.05, `${i % 2 === 0 ? 'even' : 'odd'} line`),
    );
    const source = capped(lines, 700);
    const result = await check(count(2_400, { pattern: 'even*' }), { sources: [source] });
    assert.equal(result.status, 'finding', result.summary);
    const exact = await check(count(2_501, { pattern: 'e*n line' }), { sources: [source] });
    assert.deepEqual([exact.status, exact.observations[0]!.value], ['ok', 2_500]);
  });

  it('does not say that it is fewer when the source gives no more', async () => {
    const flood = Array.from({ length: 3_000 }, () => line(-10, 'at one moment'));
    const result = await check(count(2_000), { sources: [capped(flood, 500)] });
    assert.equal(result.status, 'failed');
    assert.match(result.summary, /^at least 500 lines match, but the source returns no more/);
    const enough = await check(count(300), { sources: [capped(flood, 500)] });
    assert.match(enough.summary, /^at least 500 lines/);
    assert.equal(enough.status, 'finding');
  });

  it('no line is good news only where there are lines', async () => {
    const given = { sources: [memorySource({ lines: [line(-1_000, 'up')], series: [] })] };
    const quiet = await check(count(1, { pattern: 'x' }), given);
    assert.deepEqual([quiet.status, quiet.summary.slice(0, 7)], ['ok', '0 lines']);
    const misspelt = await check(count(1, { service: 'payments' }), given);
    assert.deepEqual(
      [misspelt.status, misspelt.summary.slice(0, 49)],
      ['failed', 'no log lines of payments in the last 1 h; service'],
    );
    const empty = await check(count(1), { sources: [memorySource({ lines: [] })] });
    assert.equal(empty.status, 'failed');
  });

  const fresh = { ...logs, condition: { type: 'new_pattern' } };
  const usual = Array.from({ length: 400 }, (_, i) =>
    line(-3_900 + i * 9.7, `order ${i} placed for user${i}`, { level: 'info' }),
  );
  const novel = Array.from({ length: 4 }, (_, i) => line(-200 + i, `connection pool exhausted: ${i} clients waiting`));

  it('finds kinds of lines that the history does not have, and says the same subject again', async () => {
    const given = { sources: [memorySource({ lines: [...usual, ...novel] })] };
    const result = await check(fresh, given);
    assert.equal(result.status, 'finding');
    const [found, ...known] = result.observations;
    assert.match(
      found!.text,
      /^new since .*, absent in the previous 1 h: 4 lines of payment: connection pool exhausted: <\*> clients waiting$/,
    );
    assert.deepEqual(
      known.map(({ isFinding }) => isFinding),
      [false],
    );
    const later = await check(fresh, { ...given, now: NOW + 30 });
    assert.equal(later.observations[0]!.subject, found!.subject);
    assert.equal((await check({ ...fresh, condition: { type: 'new_pattern', at_least: 5 } }, given)).status, 'ok');
  });

  it('an error after an hour without any is new', async () => {
    const result = await check(
      { ...fresh, level: 'error' },
      { sources: [memorySource({ lines: [...usual, ...novel] })] },
    );
    assert.equal(result.status, 'finding');
  });

  it('asks whether a kind is new where not all of the history could be read', async () => {
    const seen = novel.map((one) => ({ ...one, at: one.at - 3_000 }));
    const flood = Array.from({ length: 30_000 }, (_, i) => line(-500 + i / 200, `cache hit ${i}`, { level: 'info' }));
    const lines = [...usual, ...seen, ...flood, ...novel].sort((a, b) => a.at - b.at);
    const source = capped(lines, 900);
    const result = await check(fresh, { sources: [source] });
    assert.equal(result.status, 'ok', result.summary);
    const without = capped(
      lines.filter((one) => !seen.includes(one)),
      900,
    );
    assert.equal((await check(fresh, { sources: [without] })).status, 'finding');
  });

  it('is learning while there is no history', async () => {
    const result = await check(fresh, { sources: [memorySource({ lines: novel })] });
    assert.equal(result.status, 'ok');
    assert.match(result.summary, /^learning: no log lines from before 2026-03-01T11:25:00Z yet/);
    assert.deepEqual(subjectsOf(result.observations), []);
    assert.equal((await check(fresh, { sources: [memorySource({ lines: [] })] })).status, 'failed');
  });
});
