import assert from 'node:assert/strict';
import { describeDuration, describeSchedule } from '../../../../src/features/monitoring-agents/schedule/index.ts';
import { schedule } from './wall-clock.ts';

describe('schedule: in words', () => {
  const weekend = { days: ['sat', 'sun'], from: '00:00', to: '00:00' };
  const cases: [Record<string, unknown>, string][] = [
    [{ every_seconds: 300 }, 'every 5 minutes'],
    [{ every_seconds: 60 }, 'every minute'],
    [{ every_seconds: 90 }, 'every 90 seconds'],
    [{ every_seconds: 86_400 }, 'every day'],
    [{ every_seconds: 300, quiet_hours: [{ from: '22:00', to: '06:00' }] }, 'every 5 minutes (UTC), not 22:00-06:00'],
    [
      { every_seconds: 60, quiet_hours: [{ from: '22:00', to: '06:00' }, weekend] },
      'every minute (UTC), not 22:00-06:00 or 00:00-00:00 on weekends',
    ],
    [
      { cron: '0 9 * * 1-5', time_zone: 'Europe/Berlin', quiet_hours: [{ from: '22:00', to: '06:00' }] },
      'at 09:00 on weekdays (Europe/Berlin), not 22:00-06:00',
    ],
    [{ cron: '0 9 * * MON-FRI' }, 'at 09:00 on weekdays (UTC)'],
    [{ cron: '30 9,17 * * *' }, 'at 09:30 and 17:30 (UTC)'],
    [{ cron: '*/5 * * * *' }, 'every 5 minutes (UTC)'],
    [{ cron: '* * * * *' }, 'every minute (UTC)'],
    [{ cron: '0 * * * *' }, 'every hour (UTC)'],
    [{ cron: '15 * * * *' }, 'at minute 15 of every hour (UTC)'],
    [{ cron: '0 */2 * * 0,6' }, 'every 2 hours on weekends (UTC)'],
    [{ cron: '0 9 * * 7,MON' }, 'at 09:00 on Monday and Sunday (UTC)'],
    [{ cron: '0 9 1,15 * *' }, 'at 09:00 on day 1 and 15 of the month (UTC)'],
  ];
  for (const [written, words] of cases) {
    it(words, () => {
      assert.equal(describeSchedule(schedule(written)), words);
    });
  }

  /** Words that are nearly right would be wrong. */
  for (const cron of [
    '*/7 * * * *',
    '0 9 * 1 *',
    '0 9 1 * 1',
    '0 9 * * 1#2',
    '0 9 L * *',
    '1-5 9 * * *',
    '0 0-23/5 * * *',
  ]) {
    it(`quotes "${cron}"`, () => {
      assert.equal(describeSchedule(schedule({ cron })), `at the times of cron "${cron}" (UTC)`);
    });
  }

  it('durations in the largest unit that fits', () => {
    assert.deepEqual([1, 59, 60, 61, 3_600, 5_400, 172_800].map(describeDuration), [
      '1 second',
      '59 seconds',
      '1 minute',
      '61 seconds',
      '1 hour',
      '90 minutes',
      '2 days',
    ]);
  });
});
