import assert from 'node:assert/strict';
import fc from 'fast-check';
import { cronProblem, cronTimes } from '../../../../src/features/monitoring-agents/schedule/cron.ts';
import { at, wallAt, WINDOWS } from './wall-clock.ts';

function firings(cron: string, timeZone: string, from: string, count: number): string[] {
  const { next } = cronTimes(cron, timeZone);
  const times: string[] = [];
  for (let ms = next(at(from) - 1); ms !== null && times.length < count; ms = next(ms)) {
    times.push(`${new Date(ms).toISOString().slice(5, 16)}Z=${wallAt(timeZone, ms).label.slice(11)}`);
  }
  return times;
}

describe('schedule: cron expressions when clocks are changed', () => {
  it('a time that the clocks leave out fires once, when they jump', () => {
    assert.deepEqual(firings('30 2 * * *', 'Europe/Berlin', '2026-03-28T00:00Z', 3), [
      '03-28T01:30Z=02:30',
      '03-29T01:00Z=03:00',
      '03-30T00:30Z=02:30',
    ]);
    assert.deepEqual(firings('30 2 * * *', 'America/New_York', '2026-03-08T00:00Z', 2), [
      '03-08T07:00Z=03:00',
      '03-09T06:30Z=02:30',
    ]);
    assert.deepEqual(firings('15 2 * * *', 'Australia/Lord_Howe', '2026-10-03T00:00Z', 2), [
      '10-03T15:30Z=02:30',
      '10-04T15:15Z=02:15',
    ]);
  });

  it('times that are left out together fire together, also where another is due at the jump', () => {
    const expected = ['03-29T01:00Z=03:00', '03-30T00:00Z=02:00', '03-30T00:05Z=02:05'];
    assert.deepEqual(firings('*/5 2 * * *', 'Europe/Berlin', '2026-03-28T12:00Z', 3), expected);
    assert.deepEqual(firings('30 2,3 * * *', 'Europe/Berlin', '2026-03-28T12:00Z', 3), [
      '03-29T01:00Z=03:00',
      '03-29T01:30Z=03:30',
      '03-30T00:30Z=02:30',
    ]);
    assert.deepEqual(firings('0 2-3 * * *', 'Europe/Berlin', '2026-03-28T12:00Z', 2), [
      '03-29T01:00Z=03:00',
      '03-30T00:00Z=02:00',
    ]);
  });

  it('a time that comes twice fires the first time', () => {
    assert.deepEqual(firings('30 2 * * *', 'Europe/Berlin', '2026-10-25T00:00Z', 2), [
      '10-25T00:30Z=02:30',
      '10-26T01:30Z=02:30',
    ]);
    assert.deepEqual(firings('30 1 * * *', 'America/New_York', '2026-11-01T00:00Z', 2), [
      '11-01T05:30Z=01:30',
      '11-02T06:30Z=01:30',
    ]);
    assert.deepEqual(firings('45 1 * * *', 'Australia/Lord_Howe', '2026-04-04T00:00Z', 2), [
      '04-04T14:45Z=01:45',
      '04-05T15:15Z=01:45',
    ]);
  });

  it('an interval of minutes continues in real time', () => {
    assert.deepEqual(firings('*/30 * * * *', 'Europe/Berlin', '2026-03-29T00:30Z', 3), [
      '03-29T00:30Z=01:30',
      '03-29T01:00Z=03:00',
      '03-29T01:30Z=03:30',
    ]);
    assert.deepEqual(firings('*/30 * * * *', 'America/New_York', '2026-11-01T05:00Z', 5), [
      '11-01T05:00Z=01:00',
      '11-01T05:30Z=01:30',
      '11-01T06:00Z=01:00',
      '11-01T06:30Z=01:30',
      '11-01T07:00Z=02:00',
    ]);
    assert.deepEqual(firings('30 * * * *', 'Europe/Berlin', '2026-03-29T00:00Z', 2), [
      '03-29T00:30Z=01:30',
      '03-29T01:30Z=03:30',
    ]);
  });

  it('every full hour on Lord Howe, where clocks change by half an hour, is an hour and a half apart once', () => {
    assert.deepEqual(firings('0 * * * *', 'Australia/Lord_Howe', '2026-10-03T14:00Z', 3), [
      '10-03T14:30Z=01:00',
      '10-03T16:00Z=03:00',
      '10-03T17:00Z=04:00',
    ]);
    assert.deepEqual(firings('0 * * * *', 'Australia/Lord_Howe', '2026-04-04T14:00Z', 3), [
      '04-04T14:00Z=01:00',
      '04-04T15:30Z=02:00',
      '04-04T16:30Z=03:00',
    ]);
  });

  it('every second hour is never left out, and never doubled', () => {
    assert.deepEqual(
      firings('0 */2 * * *', 'Europe/Berlin', '2026-03-28T23:00Z', 3).map((time) => time.slice(-5)),
      ['00:00', '03:00', '04:00'],
    );
    assert.deepEqual(
      firings('0 */2 * * *', 'Europe/Berlin', '2026-10-24T22:00Z', 3).map((time) => time.slice(-5)),
      ['00:00', '02:00', '04:00'],
    );
  });

  it('zones without a change of clocks have none', () => {
    assert.deepEqual(firings('30 2 * * *', 'Asia/Kolkata', '2026-03-28T00:00Z', 2), [
      '03-28T21:00Z=02:30',
      '03-29T21:00Z=02:30',
    ]);
    assert.deepEqual(firings('30 2 * * 0', 'UTC', '2026-03-28T00:00Z', 2), [
      '03-29T02:30Z=02:30',
      '04-05T02:30Z=02:30',
    ]);
  });

  it('holds for any minutes and hours, minute by minute', () => {
    const field = (most: number) =>
      fc.oneof(
        { weight: 1, arbitrary: fc.constant('*') },
        {
          weight: 2,
          arbitrary: fc.uniqueArray(fc.nat(most), { minLength: 1, maxLength: 4 }).map((list) => list.join(',')),
        },
        { weight: 1, arbitrary: fc.integer({ min: 1, max: most }).map((step) => `*/${step}`) },
        {
          weight: 1,
          arbitrary: fc.tuple(fc.nat(most), fc.nat(most)).map((pair) => pair.toSorted((a, b) => a - b).join('-')),
        },
      );
    const clocks = WINDOWS.map(([timeZone, day]) => minutesAround(timeZone, at(`${day}T00:00Z`)));
    fc.assert(
      fc.property(
        fc.constantFrom(...clocks),
        field(59),
        fc.oneof(field(23), fc.integer({ min: 0, max: 3 }).map(String)),
        (clock, minute, hour) => {
          const { next } = cronTimes(`${minute} ${hour} * * *`, clock.timeZone);
          const last = clock.minutes.at(-1)!.ms;
          const found: number[] = [];
          for (let ms = next(clock.minutes[0]!.ms); ms !== null && ms <= last; ms = next(ms)) found.push(ms);
          assert.deepEqual(found, firingsByRule(clock, chosen(minute, 60), chosen(hour, 24)));
        },
      ),
      { numRuns: 150 },
    );
  });
});

describe('schedule: what a cron expression is', () => {
  const broken = [
    ['@daily', /has 1 field$/],
    ['* * * * * *', /has 6 fields$/],
    ['', /five fields/],
    ['2026-01-01T00:00:00Z', /has 1 field$/],
    ['60 * * * *', /minute: 60/],
    ['* 24 * * *', /hour/],
    ['*/0 * * * *', /stepping/],
    ['5-1 * * * *', /From value/],
    ['* * * * 8', /dayOfWeek/],
    ['/5 * * * *', /missing prefix/],
    ['1,,2 * * * *', /minute/],
    ['- - - - -', /five fields/],
    [`${'9'.repeat(90)} * * * *`, /minute/],
    ['* * * * \u0000', /five fields/],
    ['a b c d e', /illegal/],
  ] as const;
  for (const [cron, reason] of broken) {
    it(`not ${JSON.stringify(cron.slice(0, 30))}, and says why`, () => {
      assert.match(cronProblem(cron, 'UTC') ?? 'nothing is wrong', reason);
    });
  }

  for (const cron of [
    '* * * * *',
    ' 0  9 * * MON-FRI ',
    '0 9 1 * +MON',
    '0 0 L * *',
    '0 9 * * MON#2',
    '*/15 8-18 * * 1-5',
  ]) {
    it(`${JSON.stringify(cron)} is one`, () => {
      assert.equal(cronProblem(cron, 'Europe/Berlin'), undefined);
    });
  }
});

interface WindowClock {
  timeZone: string;
  minutes: { ms: number; label: string; minute: number }[];
}

function minutesAround(timeZone: string, day: number): WindowClock {
  const from = day - 36 * 3_600_000;
  const minutes = Array.from({ length: 72 * 60 }, (_, index) => {
    const ms = from + index * 60_000;
    const { label, minute } = wallAt(timeZone, ms);
    return { ms, label, minute };
  });
  return { timeZone, minutes };
}

/** Every hour: whenever the clock shows it. Else: when the clock first shows it, or has jumped past it. */
function firingsByRule({ minutes }: WindowClock, minute: Set<number>, hour: Set<number>): number[] {
  const isNamed = (ofDay: number): boolean => minute.has(ofDay % 60) && hour.has(Math.floor(ofDay / 60));
  const seen = new Set([minutes[0]!.label]);
  return minutes.slice(1).flatMap(({ ms, label, minute: ofDay }, index) => {
    const before = minutes[index]!;
    if (hour.size === 24) return isNamed(ofDay) ? [ms] : [];
    const step = (ofDay - before.minute + 1_440) % 1_440;
    const leftOut =
      step > 1 && step < 120 ? Array.from({ length: step - 1 }, (_, n) => (before.minute + 1 + n) % 1_440) : [];
    const isNew = !seen.has(label);
    seen.add(label);
    return (isNew && isNamed(ofDay)) || leftOut.some(isNamed) ? [ms] : [];
  });
}

function chosen(field: string, whole: number): Set<number> {
  const all = [...Array(whole).keys()];
  if (field === '*') return new Set(all);
  if (field.startsWith('*/')) return new Set(all.filter((value) => value % Number(field.slice(2)) === 0));
  if (field.includes('-')) {
    const [from = 0, to = 0] = field.split('-').map(Number);
    return new Set(all.filter((value) => value >= from && value <= to));
  }
  return new Set(field.split(',').map(Number));
}
