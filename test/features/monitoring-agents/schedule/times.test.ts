import assert from 'node:assert/strict';
import fc from 'fast-check';
import { WEEKDAYS } from '../../../../src/features/monitoring-agents/plan/schema.ts';
import { countTimes, nextTime, nextTimes } from '../../../../src/features/monitoring-agents/schedule/index.ts';
import { anchorOf } from '../../../../src/features/monitoring-agents/schedule/times.ts';
import { at, isQuietByRule, schedule, wallAt, WINDOWS } from './wall-clock.ts';

const AGENT = '00000000-0000-4000-8000-000000000001';
const HOUR = 3_600_000;
const ZONES = [...new Set(WINDOWS.map(([zone]) => zone))];

const timeOfDay = fc
  .tuple(fc.nat(23), fc.constantFrom(0, 15, 30, 59))
  .map((parts) => parts.map((part) => String(part).padStart(2, '0')).join(':'));
const quietHours = fc.array(
  fc.record(
    { days: fc.uniqueArray(fc.constantFrom(...WEEKDAYS), { minLength: 1 }), from: timeOfDay, to: timeOfDay },
    { requiredKeys: ['from', 'to'] },
  ),
  { maxLength: 3 },
);
const rhythm = fc.oneof(
  fc.record({ every_seconds: fc.integer({ min: 600, max: 20_000 }) }),
  fc.record({
    cron: fc.constantFrom(
      '*/10 * * * *',
      '7,37 * * * *',
      '0 */3 * * *',
      '30 2 * * *',
      '15 1-4 * * *',
      '0 22 * * 1-5',
      '@',
      '45 23 * * 6',
    ),
  }),
);
const anySchedule = fc
  .record({ rhythm, time_zone: fc.constantFrom(...ZONES), quiet_hours: quietHours })
  .map(({ rhythm, ...rest }) =>
    schedule({ ...rest, ...('cron' in rhythm && rhythm.cron === '@' ? { every_seconds: 900 } : rhythm) }),
  );
/** Near a change of clocks, where there is one. */
const moment = fc
  .tuple(fc.constantFrom(...WINDOWS), fc.integer({ min: -40 * HOUR, max: 40 * HOUR }))
  .map(([[, day], distance]) => at(`${day}T00:00Z`) + distance);

describe('schedule: times', () => {
  it('the next time is after the moment, outside of quiet hours, and the same whenever it is asked', () => {
    fc.assert(
      fc.property(anySchedule, moment, (any, after) => {
        const next = nextTime(any, AGENT, after);
        if (next === null) return;
        assert.ok(next > after);
        assert.ok(!isQuietByRule(any, next), `${wallAt(any.time_zone, next).label} is quiet`);
        assert.equal(nextTime(structuredClone(any), AGENT, after), next);
      }),
    );
  });

  it('no time is left out between a moment and the next time: from every moment between, it is the next', () => {
    fc.assert(
      fc.property(anySchedule, moment, fc.double({ min: 0, max: 1, noNaN: true }), (any, after, part) => {
        const next = nextTime(any, AGENT, after);
        if (next === null) return;
        assert.equal(nextTime(any, AGENT, after + (next - 1 - after) * part), next);
      }),
    );
  });

  it('intervals: exactly those points of the grid that are not quiet', () => {
    fc.assert(
      fc.property(anySchedule, moment, (any, after) => {
        const { every_seconds: seconds } = any;
        if (seconds === undefined) return fc.pre(false);
        const interval = seconds * 1_000;
        const until = after + 50 * HOUR;
        const grid: number[] = [];
        const first = after - ((((after - anchorOf(AGENT, interval)) % interval) + interval) % interval);
        for (let ms = first; ms <= until; ms += interval) if (ms > after && !isQuietByRule(any, ms)) grid.push(ms);
        assert.deepEqual(nextTimes(any, AGENT, after, grid.length), grid);
        assert.equal(countTimes(any, AGENT, after, until), grid.length);
      }),
    );
  });

  it('counting is the same as listing', () => {
    fc.assert(
      fc.property(anySchedule, moment, fc.integer({ min: 0, max: 60 * HOUR }), (any, after, length) => {
        const listed = nextTimes(any, AGENT, after, 1_000).filter((ms) => ms <= after + length);
        assert.equal(countTimes(any, AGENT, after, after + length), listed.length);
      }),
    );
  });

  it('counts times of the day as they come when clocks are changed in between', () => {
    const berlin = schedule({ cron: '15 1-4 * * *', time_zone: 'Europe/Berlin' });
    // 01:15 and the first 02:15 are past; the second 02:15 is none, and 03:15 comes an hour later than on other days.
    assert.equal(countTimes(berlin, AGENT, at('2026-10-24T22:00Z'), at('2026-10-25T01:30Z')), 2);
    // 01:15, then 02:15 when the clocks jump, 03:15 at once after it.
    assert.equal(countTimes(berlin, AGENT, at('2026-03-28T23:00Z'), at('2026-03-29T01:05Z')), 2);
    assert.equal(countTimes(berlin, AGENT, at('2026-03-28T23:00Z'), at('2026-03-29T01:20Z')), 3);
  });

  it('moments between milliseconds change nothing', () => {
    const every = schedule({ every_seconds: 5 });
    const grid = nextTime(every, AGENT, at('2026-05-05T12:00Z'))!;
    assert.equal(nextTime(every, AGENT, grid - 0.3), grid);
    assert.equal(nextTime(every, AGENT, grid + 0.3), grid + 5_000);
    assert.equal(countTimes(every, AGENT, grid - 0.3, grid + 0.3), 1);
    assert.equal(countTimes(every, AGENT, grid + 0.3, grid + 4_999.9), 0);
  });

  it('many years of a short interval, with quiet hours or by cron, are counted without going through them', () => {
    const [from, until] = [at('2024-01-01T00:00Z'), at('2026-01-01T00:00Z')];
    const seconds = (until - from) / 1_000;
    assert.equal(countTimes(schedule({ every_seconds: 5 }), AGENT, from, until), seconds / 5);
    assert.equal(countTimes(schedule({ cron: '* * * * *' }), AGENT, from, until), seconds / 60);
    const nights = [{ from: '18:00', to: '06:00' }];
    assert.equal(countTimes(schedule({ every_seconds: 5, quiet_hours: nights }), AGENT, from, until), seconds / 10);
    assert.equal(countTimes(schedule({ cron: '* * * * *', quiet_hours: nights }), AGENT, from, until), seconds / 120);
    assert.ok(countTimes(schedule({ every_seconds: 5 }), AGENT, 0, until) > 300_000_000);
  });

  it('quiet hours across midnight belong to the day on which they begin', () => {
    const fridays = schedule({ cron: '0 * * * *', quiet_hours: [{ days: ['fri'], from: '22:00', to: '06:00' }] });
    const days = nextTimes(fridays, AGENT, at('2026-05-08T20:30Z'), 3);
    assert.deepEqual(
      days.map((ms) => new Date(ms).toISOString().slice(8, 16)),
      ['08T21:00', '09T06:00', '09T07:00'],
    );
    const sundays = schedule({ cron: '0 */8 * * *', quiet_hours: [{ days: ['sun'], from: '12:00', to: '12:00' }] });
    const times = nextTimes(sundays, AGENT, at('2026-05-10T00:30Z'), 3);
    assert.deepEqual(
      times.map((ms) => new Date(ms).toISOString().slice(8, 16)),
      ['10T08:00', '11T16:00', '12T00:00'],
    );
  });

  it('quiet hours on days on which clocks change follow the wall clock', () => {
    const night = schedule({
      every_seconds: 1_800,
      time_zone: 'Europe/Berlin',
      quiet_hours: [{ from: '22:00', to: '06:00' }],
    });
    const length = (evening: string): number => {
      const [before, after] = [nextTime(night, AGENT, at(evening) - 1_800_000), nextTime(night, AGENT, at(evening))];
      return Math.floor((after! - before!) / HOUR);
    };
    assert.equal(length('2026-03-27T21:00Z'), 8);
    assert.equal(length('2026-03-28T21:00Z'), 7);
    assert.equal(length('2026-10-24T20:00Z'), 9);
  });

  it('what is always quiet has no time, nor has what never fires', () => {
    const always = [
      { from: '00:00', to: '12:00' },
      { from: '12:00', to: '00:00' },
    ];
    assert.equal(nextTime(schedule({ every_seconds: 5, quiet_hours: always }), AGENT, 0), null);
    assert.equal(nextTime(schedule({ cron: '* * * * *', quiet_hours: always }), AGENT, 0), null);
    assert.equal(countTimes(schedule({ every_seconds: 5, quiet_hours: always }), AGENT, 0, 1e12), 0);
    assert.equal(nextTime(schedule({ cron: '0 0 30 2 *' }), AGENT, at('2026-01-01T00:00Z')), null);
    assert.deepEqual(nextTimes(schedule({ cron: '0 0 30 2 *' }), AGENT, at('2026-01-01T00:00Z'), 5), []);
  });
});

describe('schedule: where the times of agents lie', () => {
  it('evenly over the interval, the same for all checks of an agent, and within those of shorter intervals', () => {
    const slots = Array.from({ length: 10 }, () => 0);
    for (let index = 0; index < 2_000; index++) slots[Math.floor(anchorOf(`agent ${index}`, 300_000) / 30_000)]! += 1;
    // 200 are expected in each; a deviation of 70 is five standard deviations.
    assert.ok(
      slots.every((count) => Math.abs(count - 200) < 70),
      slots.join(),
    );
    assert.equal(anchorOf(AGENT, 300_000) % 60_000, anchorOf(AGENT, 60_000));
    const [minute, fifth] = [60, 300].map((every_seconds) => nextTimes(schedule({ every_seconds }), AGENT, 0, 50));
    assert.ok(fifth!.slice(0, 10).every((ms) => minute!.includes(ms)));
  });

  it('never move: agents that run keep their rhythm', () => {
    assert.equal(anchorOf(AGENT, 60_000), 54_901);
  });
});
