import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  dueTimes,
  nextTime,
  nextTimes,
  scheduleChecks,
} from '../../../../src/features/monitoring-agents/schedule/index.ts';
import { at, isQuietByRule, schedule } from './wall-clock.ts';

const AGENT = '00000000-0000-4000-8000-000000000001';
const NOON = at('2026-05-05T12:00Z');
const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const every = (seconds: number) => schedule({ every_seconds: seconds });
const nights = [{ from: '22:00', to: '06:00' }];
const due = (of: ReturnType<typeof schedule>, now: number, lastScheduledAt?: number, lastResultAt?: number) =>
  dueTimes(of, { agentId: AGENT, checkId: 'check', now, lastScheduledAt, lastResultAt });

describe('schedule: when a check is due', () => {
  it('at once when it has not run', () => {
    assert.equal(due(every(300), NOON).dueAt, NOON);
    assert.equal(due(schedule({ cron: '0 9 * * 1' }), NOON).dueAt, NOON);
  });

  it('after quiet hours when it has not run and it is quiet', () => {
    const hourly = schedule({ cron: '0 * * * *', quiet_hours: nights });
    assert.deepEqual(due(hourly, at('2026-05-05T23:10Z')), {
      dueAt: at('2026-05-06T06:00Z'),
      silentAt: at('2026-05-06T08:00Z') + 5 * MINUTE,
      missed: 0,
    });
  });

  it('at the next time after its last run, on the grid however late that run was', () => {
    const grid = nextTime(every(300), AGENT, NOON)!;
    for (const lateness of [0, 1, 7 * SECOND, 299_999]) {
      const { dueAt, missed } = due(every(300), grid + lateness, grid + lateness);
      assert.deepEqual([dueAt, missed], [grid + 300 * SECOND, 0]);
    }
    // The next time is told as it is, also where nothing was due in between.
    assert.equal(due(every(300), grid + 10 * SECOND, grid).dueAt, grid + 300 * SECOND);
  });

  it('once and at once when times have passed, and says how many others did', () => {
    const grid = nextTime(every(60), AGENT, NOON)!;
    const later = grid + 10 * MINUTE + 1;
    assert.deepEqual([due(every(60), later, grid).dueAt, due(every(60), later, grid).missed], [later, 9]);
    assert.equal(due(every(60), grid + MINUTE, grid).missed, 0);
    const daily = schedule({ cron: '0 9 * * *', time_zone: 'Europe/Berlin' });
    const week = due(daily, at('2026-05-12T12:00Z'), at('2026-05-05T07:00Z'));
    assert.deepEqual([week.dueAt, week.missed], [at('2026-05-12T12:00Z'), 6]);
  });

  it('not in quiet hours, however much has passed: then all were missed', () => {
    const hourly = schedule({ cron: '0 * * * *', quiet_hours: nights });
    const { dueAt, missed } = due(hourly, at('2026-05-05T22:30Z'), at('2026-05-05T18:00Z'));
    assert.deepEqual([dueAt, missed], [at('2026-05-06T06:00Z'), 3]);
    const then = due(hourly, at('2026-05-06T06:00Z'), at('2026-05-05T18:00Z'));
    assert.deepEqual([then.dueAt, then.missed], [at('2026-05-06T06:00Z'), 3]);
  });

  it('soon, when the clock was set back by more than an interval', () => {
    const { dueAt, missed } = due(every(300), NOON, NOON + 24 * HOUR, NOON + 24 * HOUR);
    assert.ok(dueAt! > NOON && dueAt! <= NOON + 300 * SECOND);
    assert.equal(missed, 0);
    const daily = schedule({ cron: '0 9 * * *' });
    assert.equal(due(daily, NOON, at('2026-06-30T09:00Z')).dueAt, at('2026-05-06T09:00Z'));
  });

  it('not twice, when the clock is behind by less than that', () => {
    const grid = nextTime(every(300), AGENT, NOON)!;
    assert.equal(due(every(300), grid - 2 * SECOND, grid).dueAt, grid + 300 * SECOND);
    assert.equal(
      due(schedule({ cron: '0 9 * * *' }), at('2026-05-05T08:59:59Z'), at('2026-05-05T09:00Z')).dueAt,
      at('2026-05-06T09:00Z'),
    );
  });

  it('never, when every time is quiet', () => {
    const swallowed = schedule({ cron: '0 3 * * *', quiet_hours: nights });
    assert.deepEqual(due(swallowed, at('2026-05-05T03:00Z')), { dueAt: null, silentAt: null, missed: 0 });
    assert.deepEqual(due(swallowed, NOON, at('2026-05-04T03:00Z')), { dueAt: null, silentAt: null, missed: 0 });
  });

  it('holds of any last run: due now or later, never in quiet hours, and never later than the time after now', () => {
    const any = fc.record({
      schedule: fc.constantFrom(
        every(5),
        every(3_600),
        schedule({ every_seconds: 600, time_zone: 'Europe/Berlin', quiet_hours: nights }),
        schedule({
          cron: '*/7 * * * *',
          time_zone: 'America/New_York',
          quiet_hours: [{ days: ['sun'], from: '01:00', to: '03:30' }],
        }),
        schedule({ cron: '0 9 * * 1-5', time_zone: 'Asia/Kolkata' }),
      ),
      now: fc.integer({ min: at('2026-03-01T00:00Z'), max: at('2026-12-01T00:00Z') }),
      ago: fc.option(fc.integer({ min: -40 * 24 * HOUR, max: 40 * 24 * HOUR }), { nil: undefined }),
    });
    fc.assert(
      fc.property(any, ({ schedule, now, ago }) => {
        const { dueAt, silentAt, missed } = due(schedule, now, ago === undefined ? undefined : now - ago);
        assert.ok(dueAt !== null && dueAt >= now && !isQuietByRule(schedule, dueAt));
        const [first, second] = nextTimes(schedule, AGENT, now, 2);
        // A last run slightly in the future is the one that is due next.
        assert.ok(dueAt <= (ago !== undefined && ago < 0 ? second! : first!));
        assert.ok(missed >= 0 && Number.isInteger(missed));
        assert.ok(silentAt !== null && silentAt > nextTimes(schedule, AGENT, now, 3)[2]!);
      }),
      {
        examples: [
          // Friday 09:00 on a Tuesday evening: two times would be passed over.
          [
            {
              schedule: schedule({ cron: '0 9 * * 1-5', time_zone: 'Asia/Kolkata' }),
              now: 1_772_557_372_456,
              ago: -210_427_544,
            },
          ],
        ],
      },
    );
  });
});

describe('schedule: when a check is silent', () => {
  it('after the third time since its last result and a grace, or since now', () => {
    const grid = nextTime(every(300), AGENT, NOON)!;
    const third = grid + 900 * SECOND;
    assert.equal(due(every(300), grid, grid, grid).silentAt, third + 30 * SECOND);
    assert.equal(due(every(300), grid).silentAt, third + 30 * SECOND);
    // What runs now does not make up for a result that is old.
    assert.equal(due(every(300), grid + HOUR, grid + HOUR, grid).silentAt, third + 30 * SECOND);
  });

  it('the grace is a tenth of the interval, from ten seconds to five minutes', () => {
    const grace = (seconds: number): number => {
      const grid = nextTime(every(seconds), AGENT, NOON)!;
      return due(every(seconds), grid, grid, grid).silentAt! - grid - 3 * seconds * SECOND;
    };
    assert.deepEqual(
      [5, 100, 200, 3_000, 86_400].map(grace),
      [10, 10, 20, 300, 300].map((seconds) => seconds * SECOND),
    );
  });

  it('quiet hours are no silence', () => {
    const hourly = schedule({ cron: '0 * * * *', quiet_hours: nights });
    const last = at('2026-05-05T20:00Z');
    assert.equal(due(hourly, last, last, last).silentAt, at('2026-05-06T07:00Z') + 5 * MINUTE);
    const weekdays = schedule({ cron: '0 9 * * 1-5' });
    const friday = at('2026-05-08T09:00Z');
    assert.equal(due(weekdays, friday, friday, friday).silentAt, at('2026-05-13T09:00Z') + 5 * MINUTE);
  });

  it('a result from the future counts as now', () => {
    const grid = nextTime(every(300), AGENT, NOON)!;
    assert.equal(due(every(300), grid, grid, grid + 99 * HOUR).silentAt, due(every(300), grid, grid, grid).silentAt);
  });
});

describe('schedule: several checks', () => {
  it('each as by itself, those of one interval at one time', () => {
    const last = nextTime(every(60), AGENT, NOON)!;
    const checks = [
      { checkId: 'a', schedule: every(60), lastScheduledAt: last },
      { checkId: 'b', schedule: every(60), lastScheduledAt: last + 3 * SECOND },
      { checkId: '__proto__', schedule: every(60) },
      { checkId: 'new', schedule: schedule({ cron: '0 9 * * *' }) },
    ];
    const result = scheduleChecks({ agentId: AGENT, now: last + 4 * SECOND, checks });
    assert.equal(result.a!.dueAt, last + MINUTE);
    assert.equal(result.b!.dueAt, last + MINUTE);
    assert.equal(result.new!.dueAt, last + 4 * SECOND);
    assert.deepEqual(Object.keys(result), ['a', 'b', '__proto__', 'new']);
    assert.deepEqual(JSON.parse(JSON.stringify(result)), result);
  });

  it('a time between milliseconds is none', () => {
    const { dueAt, silentAt } = due(every(60), NOON + 0.7);
    assert.ok(Number.isInteger(dueAt) && Number.isInteger(silentAt));
  });
});
