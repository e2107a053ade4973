/**
 * Tells every API node that a workspace has changed. An event says only that there is something to look at: what has
 * changed is read from Git, so that an event read twice does no harm; one that was lost is made up for by looking now
 * and then.
 */
import type { EventLog } from '../../../platform/event-log/index.ts';
import type { WorkspaceEvent } from '../git/index.ts';

const DAY_MS = 24 * 3_600_000;
/** Clocks may differ by this much, in ms. */
const SKEW_MS = 10 * 60_000;

/** A stream has the events of one day, since the event log deletes whole streams. */
const streamAt = (teamId: string, time: number): string =>
  `workspace:${teamId}:${new Date(time).toISOString().slice(0, 10)}`;

/** The streams that a team's events may be appended to at a time. */
export const streamsAt = (teamId: string, now: Date): string[] => [
  ...new Set([-SKEW_MS, SKEW_MS].map((skew) => streamAt(teamId, now.getTime() + skew))),
];

/** When the next stream begins to be needed or the previous one ends to be, in ms since the epoch. */
export function nextStreamsAt(now: Date): number {
  const time = now.getTime();
  return Math.min(...[-SKEW_MS, SKEW_MS].map((skew) => (Math.floor((time + skew) / DAY_MS) + 1) * DAY_MS - skew));
}

export async function announce(events: EventLog, { teamId, ...change }: WorkspaceEvent, now: Date): Promise<void> {
  const event =
    'commit' in change
      ? // A repeated commit is one event.
        { type: 'workspace.committed', key: `commit:${change.commit}`, data: { commit: change.commit } }
      : { type: 'workspace.mounted', data: { path: change.mount } };
  await events.append(streamAt(teamId, now.getTime()), [event]);
}
