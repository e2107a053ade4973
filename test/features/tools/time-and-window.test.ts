import assert from 'node:assert/strict';
import { SourceError, type SourceDescription } from '../../../src/features/sources/port.ts';
import { toIso, toUnixSeconds } from '../../../src/features/tools/time.ts';
import { alertFor, resolveBaseline, resolveWindow } from '../../../src/features/tools/telemetry/window.ts';

const NOW = 1_772_366_400;
const HOUR = 3_600;
const described = (given: Partial<SourceDescription> = {}): SourceDescription => ({
  id: 'shop',
  kind: 'prometheus',
  title: 'Shop',
  capabilities: [],
  alerts: [],
  ...given,
});
const alert = (service: string, at: number) => ({ name: 'Slow', service, at, summary: '' });

describe('times of tool inputs', () => {
  it('reads ISO 8601 and unix seconds, in UTC unless an offset says otherwise', () => {
    for (const same of [
      NOW,
      String(NOW),
      '2026-03-01T12:00:00Z',
      '2026-03-01T12:00',
      '2026-03-01 12:00:00',
      '2026-03-01T13:00:00+01:00',
      '2026-03-01T14:00:00.000+0200',
    ]) {
      assert.equal(toUnixSeconds(same), NOW, String(same));
    }
    assert.equal(toUnixSeconds('2026-03-01'), NOW - 12 * HOUR);
    assert.equal(toUnixSeconds('1772366400.5'), NOW + 0.5);
    assert.equal(toIso(NOW), '2026-03-01T12:00:00Z');
  });

  it('says what is wrong with anything else', () => {
    for (const wrong of ['yesterday', '', '2026-13-01', '2026-03-01T25:00:00Z', 'March 1', -5, '12:00']) {
      assert.equal(typeof toUnixSeconds(wrong), 'object', String(wrong));
    }
    assert.match(JSON.stringify(toUnixSeconds(NOW * 1_000)), /milliseconds/u);
  });
});

describe('windows left open', () => {
  it('lie around the alert, within what the source covers', () => {
    const window = { from: NOW - 600, to: NOW + 900 };
    const description = described({ window, alerts: [alert('web', NOW)] });
    assert.deepEqual(resolveWindow({}, description, NOW + 9 * HOUR), window);
    const live = described({ alerts: [alert('web', NOW)] });
    assert.deepEqual(resolveWindow({}, live, NOW + 60), { from: NOW - 1_800, to: NOW + 60 });
  });

  it('cover all of the source, or the last hour, without an alert', () => {
    assert.deepEqual(resolveWindow({}, described({ window: { from: 5, to: 9 } }), NOW), { from: 5, to: 9 });
    assert.deepEqual(resolveWindow({}, described(), NOW), { from: NOW - HOUR, to: NOW });
  });

  it('take an hour from the one end that is given', () => {
    assert.deepEqual(resolveWindow({ from: 100 }, described(), NOW), { from: 100, to: 100 + HOUR });
    assert.deepEqual(resolveWindow({ to: NOW }, described(), NOW), { from: NOW - HOUR, to: NOW });
  });

  it('are refused when empty, telling what the source covers', () => {
    const description = described({ window: { from: 0, to: 10 } });
    assert.throws(
      () => resolveWindow({ from: 9, to: 9 }, description, NOW),
      (error) =>
        error instanceof SourceError && /covers 1970-01-01T00:00:00Z to 1970-01-01T00:00:10Z/u.test(error.message),
    );
    assert.throws(
      () => resolveBaseline({ baseline_from: 9, baseline_to: 3 }, { from: 10, to: 20 }, description),
      SourceError,
    );
  });

  it('prefer the alert of the service asked about', () => {
    const description = described({ alerts: [alert('web', 1), alert('db', 2)] });
    assert.equal(alertFor(description, 'db')?.at, 2);
    assert.equal(alertFor(description, 'mail')?.at, 1);
    assert.equal(alertFor(described()), undefined);
  });
});

describe('baselines left open', () => {
  const window = { from: NOW, to: NOW + HOUR };

  it("are the source's own where it states one, else the time before the window", () => {
    assert.deepEqual(resolveBaseline({}, window, described({ baseline: { from: 1, to: 2 } })), { from: 1, to: 2 });
    assert.deepEqual(resolveBaseline({}, window, described()), { from: NOW - HOUR, to: NOW });
    const short = described({ window: { from: NOW - 1_200, to: NOW + HOUR } });
    assert.deepEqual(resolveBaseline({}, window, short), { from: NOW - 1_200, to: NOW });
  });

  it('are the first quarter of the window where the source has nothing before it', () => {
    assert.deepEqual(resolveBaseline({}, window, described({ window })), { from: NOW, to: NOW + HOUR / 4 });
  });

  it('do not begin before the source does, when it begins within the window', () => {
    const late = described({ window: { from: NOW + HOUR / 2, to: NOW + HOUR } });
    assert.deepEqual(resolveBaseline({}, window, late), { from: NOW + HOUR / 2, to: NOW + HOUR * 0.625 });
  });

  it('take what the model gives', () => {
    const given = { baseline_from: 10, baseline_to: 20 };
    assert.deepEqual(resolveBaseline(given, window, described({ baseline: { from: 1, to: 2 } })), { from: 10, to: 20 });
  });
});
