/**
 * What Temporal gave up waiting for, as a workflow's history says: an activity whose worker was killed, but also one whose
 * worker, or the whole machine, stood still for longer than heartbeats may stay out. It is then tried again, and what it
 * asks of others may be asked again; without that, never.
 */
import type { WorkflowHandle } from '@temporalio/client';
import { createTemporalClient, type TemporalTarget } from '../../temporal/connection.ts';

/**
 * How often each activity of a type may have asked, in the order in which they were scheduled: once, or as often as it was
 * tried where Temporal gave it up. Of a workflow that has ended.
 */
export async function mostAttempts(handle: WorkflowHandle, type: string): Promise<number[]> {
  const events = (await handle.fetchHistory()).events ?? [];
  return events
    .filter((event) => event.activityTaskScheduledEventAttributes?.activityType?.name === type)
    .map(({ eventId: id }) => {
      const isOf = (attributes?: { scheduledEventId?: unknown } | null): boolean =>
        attributes !== null && attributes !== undefined && String(attributes.scheduledEventId) === String(id);
      const started = events.find(({ activityTaskStartedEventAttributes: one }) => isOf(one));
      const { attempt, lastFailure } = started?.activityTaskStartedEventAttributes ?? {};
      const isGivenUp =
        Boolean(lastFailure?.timeoutFailureInfo) ||
        events.some(({ activityTaskTimedOutEventAttributes: one }) => isOf(one));
      return isGivenUp ? (attempt ?? 1) : 1;
    });
}

/** {@link mostAttempts} of several types, of a workflow on a server. */
export async function mostAttemptsOn<Type extends string>(
  target: TemporalTarget,
  workflowId: string,
  ...types: Type[]
): Promise<Record<Type, number[]>> {
  const client = createTemporalClient(target);
  try {
    const handle = client.workflow.getHandle(workflowId);
    const most = await Promise.all(types.map(async (type) => [type, await mostAttempts(handle, type)] as const));
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- of the types that were asked for
    return Object.fromEntries(most) as Record<Type, number[]>;
  } finally {
    await client.connection.close();
  }
}

/** Counts as they were to be, where there are more only for what Temporal gave up. @param most of {@link mostAttempts} */
export function withoutGivenUp(
  counts: readonly number[],
  wanted: readonly number[],
  most: readonly number[],
): number[] {
  return counts.map((count, index) => {
    const usual = wanted[index] ?? count;
    return count > usual && count <= (most[index] ?? 1) ? usual : count;
  });
}
