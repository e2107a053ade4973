/** Counts the events of a history, and the actions Temporal Cloud would bill. Pure. */
import type proto from '@temporalio/proto';

export type HistoryEvent = proto.temporal.api.history.v1.IHistoryEvent;

/** By kind, in the words of Temporal's price list ("Actions"). */
export interface Actions {
  /** Starts, and every continue-as-new. */
  starts: number;
  timers: number;
  /** Each attempt. */
  activities: number;
  /** However many there are in one workflow task, they are one. */
  localActivities: number;
  signals: number;
  children: number;
  searchAttributes: number;
}

export function actionsIn(events: readonly HistoryEvent[]): Actions {
  const actions: Actions = {
    starts: 0,
    timers: 0,
    activities: 0,
    localActivities: 0,
    signals: 0,
    children: 0,
    searchAttributes: 0,
  };
  const withLocal = new Set<string>();
  for (const event of events) {
    if (event.workflowExecutionStartedEventAttributes) actions.starts += 1;
    else if (event.timerStartedEventAttributes) actions.timers += 1;
    // An activity that ended has its last attempt in one event.
    else if (event.activityTaskStartedEventAttributes)
      actions.activities += event.activityTaskStartedEventAttributes.attempt ?? 1;
    else if (event.workflowExecutionSignaledEventAttributes) actions.signals += 1;
    else if (event.startChildWorkflowExecutionInitiatedEventAttributes) actions.children += 1;
    else if (event.upsertWorkflowSearchAttributesEventAttributes) actions.searchAttributes += 1;
    else if (event.markerRecordedEventAttributes?.markerName === 'core_local_activity')
      withLocal.add(String(event.markerRecordedEventAttributes.workflowTaskCompletedEventId));
  }
  return { ...actions, localActivities: withLocal.size };
}

export const sumOf = (actions: Actions): number =>
  Object.values(actions).reduce((sum: number, of: number) => sum + of, 0);

const activityOf = (event: HistoryEvent): string | null | undefined =>
  event.activityTaskScheduledEventAttributes?.activityType?.name;

export interface Rhythm {
  /** Activities in the whole history: one per round. */
  calls: number;
  /** Whole rounds in the part. */
  rounds: number;
  events: readonly HistoryEvent[];
}

/**
 * The part of a history in which the same is done again and again: from the second call of an activity to before the last. The
 * first is among what a history begins with.
 * @throws {RangeError} when there are fewer than three calls
 */
export function rhythmOf(events: readonly HistoryEvent[], activity: string): Rhythm {
  const calls = events.flatMap((event, index) => (activityOf(event) === activity ? [index] : []));
  const [, second, third] = calls;
  if (second === undefined || third === undefined) throw new RangeError(`There are no three calls of ${activity}.`);
  return { calls: calls.length, rounds: calls.length - 2, events: events.slice(second, calls.at(-1)) };
}

/** Which events a part of a history has, by name, the most frequent first. */
export function kindsOf(events: readonly HistoryEvent[]): [kind: string, count: number][] {
  const counts = new Map<string, number>();
  for (const event of events) {
    const attributes = Object.keys(event).find((key) => key.endsWith('EventAttributes'));
    const kind = attributes?.replace(/EventAttributes$/, '') ?? 'unknown';
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return [...counts].toSorted(([, a], [, b]) => b - a);
}
