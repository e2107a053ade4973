import assert from 'node:assert/strict';
import { DESCRIPTION } from '../../../demo/monitoring/description.ts';
import { takeComparison } from '../../../packages/offline-model/playbooks/monitoring/reading/comparison.ts';
import { readWishes } from '../../../packages/offline-model/playbooks/monitoring/reading/wishes.ts';

const SAID: Record<string, { window?: number; history?: number }> = {
  'compare the last 30 seconds with the 5 minutes before': { window: 30, history: 300 },
  'judging the last minute by the hour before that': { window: 60, history: 3_600 },
  'over the last 2 minutes, compared with the last day': { window: 120, history: 86_400 },
  'look at the last 10 minutes': { window: 600 },
  'against half an hour of history': { history: 1_800 },
  'every 5 minutes': {},
  'compare it with what is usual': {},
};

describe('what is compared with what', () => {
  it('is read as people say it', () => {
    for (const [text, expected] of Object.entries(SAID)) assert.deepEqual(takeComparison({ text }), expected, text);
  });

  it('goes for the health that is watched, and so does all else that the demo says', () => {
    const { wishes, settings, unread } = readWishes(DESCRIPTION, []);
    assert.deepEqual(
      wishes.map(({ subject, services }) => ({ subject, services })),
      [{ subject: { kind: 'health', compared: { window: 30, history: 300 } }, services: [] }],
    );
    assert.deepEqual(settings.schedule.when, { every_seconds: 10 });
    assert.deepEqual(settings.policy, {
      on_finding: ['notify', 'investigate'],
      confirmations: 2,
      cool_down_seconds: 60,
      dedup_key: '{check}',
    });
    assert.deepEqual(unread, []);
  });

  it('makes one finding of all only where that is said', () => {
    const keyOf = (text: string) => readWishes(text, []).settings.policy.dedup_key;
    assert.equal(keyOf('Watch all services. Treat all as a single incident.'), '{check}');
    assert.equal(keyOf('Watch everything. Put findings together into one finding for all services.'), '{check}');
    assert.equal(keyOf('Watch all services. Tell me if one finding looks bad.'), undefined);
    assert.equal(keyOf('Watch all services, one by one.'), undefined);
  });
});
