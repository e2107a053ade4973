import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { planProblems } from '../../src/features/monitoring-agents/plan/problems.ts';
import { GREEN, startBarePrometheus } from '../../bench/support/bare-prometheus.ts';
import { actionsIn, kindsOf, rhythmOf, sumOf, type HistoryEvent } from '../../bench/support/history-actions.ts';
import { bytesOf } from '../../bench/support/history-chain.ts';
import { greenPlan } from '../../bench/support/monitoring-fleet.ts';
import { costOfDay, watchingOf } from '../../bench/support/watching-cost.ts';
import { createSourceCatalog } from '../../src/features/sources/index.ts';

const task = (): HistoryEvent[] => [
  { workflowTaskScheduledEventAttributes: {} },
  { workflowTaskStartedEventAttributes: {} },
  { workflowTaskCompletedEventAttributes: {} },
];
const call = (name: string, attempt = 1): HistoryEvent[] => [
  { activityTaskScheduledEventAttributes: { activityType: { name } } },
  { activityTaskStartedEventAttributes: { attempt } },
  { activityTaskCompletedEventAttributes: {} },
];
const timer = (): HistoryEvent[] => [{ timerStartedEventAttributes: {} }, { timerFiredEventAttributes: {} }];
const marker = (markerName: string, completed: number): HistoryEvent => {
  const attributes = { markerName, workflowTaskCompletedEventId: String(completed) };
  const event = { eventId: '1', eventType: 'EVENT_TYPE_MARKER_RECORDED', markerRecordedEventAttributes: attributes };
  return historyFromJSON({ events: [event] }).events![0]!;
};
/** Eleven events: a timer, two tasks, a call. */
const round = (): HistoryEvent[] => [...call('runChecks'), ...task(), ...timer(), ...task()];
const begin = (): HistoryEvent[] => [
  { workflowExecutionStartedEventAttributes: {} },
  ...task(),
  ...call('recordStanding'),
];
const history = (rounds: number): HistoryEvent[] => [
  ...begin(),
  ...Array.from({ length: rounds }, round).flat(),
  { workflowExecutionContinuedAsNewEventAttributes: {} },
];

describe('what the benchmarks of monitoring are made of', () => {
  it('counts what is billed: each attempt, local activities once for a task, no end and no task', () => {
    const events = [
      ...begin(),
      ...call('runChecks', 3),
      ...timer(),
      marker('core_local_activity', 4),
      marker('core_local_activity', 4),
      marker('core_local_activity', 9),
      marker('core_patch', 9),
      { workflowExecutionSignaledEventAttributes: {} },
      { startChildWorkflowExecutionInitiatedEventAttributes: {} },
      { upsertWorkflowSearchAttributesEventAttributes: {} },
    ];
    const actions = actionsIn(events);
    assert.deepEqual(actions, {
      starts: 1,
      timers: 1,
      activities: 4,
      localActivities: 2,
      signals: 1,
      children: 1,
      searchAttributes: 1,
    });
    assert.equal(sumOf(actions), 11);
    assert.deepEqual(kindsOf(events)[0], ['markerRecorded', 4]);
  });

  it('finds the rounds in a history, and has nothing to say of two', () => {
    const rhythm = rhythmOf(history(4), 'runChecks');
    assert.deepEqual([rhythm.calls, rhythm.rounds], [4, 2]);
    assert.equal(rhythm.events.length, 22);
    assert.throws(() => rhythmOf(history(2), 'runChecks'), RangeError);
    assert.throws(() => rhythmOf(history(4), 'benchCheck'), RangeError);
  });

  it('parts a history into its rounds and what it costs besides', () => {
    const {
      round: one,
      history: besides,
      actions,
    } = watchingOf(
      [
        { events: history(4), isContinued: true },
        { events: history(6), isContinued: true },
        { events: history(3).slice(0, -1), isContinued: false },
      ],
      'runChecks',
    );
    assert.deepEqual([one.events, one.actions], [11, 2]);
    assert.deepEqual([actions.timers, actions.activities], [1, 1]);
    // Its start, a task, a call, and the event of its end.
    assert.deepEqual([besides.events, besides.actions], [8, 2]);
    assert.ok(Math.abs(one.bytes * 4 + besides.bytes - bytesOf(history(4))) < 2);
  });

  it('computes a day from the histories it needs', () => {
    const cost = { events: 10, actions: 2, bytes: 1_000 };
    const watching = { round: cost, history: { events: 20, actions: 3, bytes: 500 }, actions: actionsIn([]) };
    // 48 rounds fill 500 events: 288 are six histories.
    assert.deepEqual(costOfDay(watching, 288, 500), { events: 3_000, actions: 594, bytes: 291_000 });
    assert.deepEqual(costOfDay(watching, 1, 1), { events: 30, actions: 5, bytes: 1_500 });
  });

  it('counts the histories of the product', () => {
    const path = join(import.meta.dirname, '..', 'replay', 'histories', 'agent-changed.json');
    const { events } = historyFromJSON(JSON.parse(readFileSync(path, 'utf8')));
    const actions = actionsIn(events ?? []);
    assert.ok(actions.starts === 1 && actions.activities > 1 && actions.timers > 0, JSON.stringify(actions));
    assert.ok(rhythmOf(events ?? [], 'runChecks').rounds > 1);
  });

  it('makes plans that the product takes, of checks that are green', async () => {
    const plan = greenPlan(5, 300);
    assert.deepEqual(planProblems(plan), []);
    const prometheus = await startBarePrometheus();
    try {
      const source = createSourceCatalog({ prometheusUrl: prometheus.url }).get('prometheus');
      const [series, ...more] = await source.promql!(
        { expr: GREEN, from: 1_000, to: 1_300, maxPoints: 100 },
        { signal: new AbortController().signal },
      );
      assert.equal(more.length, 0);
      assert.deepEqual(new Set(series?.values), new Set([1]));
    } finally {
      await prometheus.stop();
    }
  });
});
