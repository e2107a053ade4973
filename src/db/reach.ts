import { setTimeout as sleep } from 'node:timers/promises';
import { isUnreachable } from '../platform/unreachable.ts';
import type { EntityManager, Orm } from './orm.ts';
import { forTeam } from './team-filter.ts';

const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 2_000;

/**
 * Repeats a database or event-log operation until it succeeds, as long as the server is merely out of reach (down,
 * starting, connection cut). A model's paid answer or a tool's result is in memory meanwhile: giving up would mean
 * asking again, so it waits as long as the signal allows.
 * @throws the operation's own error if waiting cannot help, or the last error when the signal fires
 */
export async function untilReachable<T>(operation: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
    try {
      return await operation();
    } catch (error) {
      if (!isUnreachable(error) || signal.aborted) throw error;
      await sleep(wait, undefined, { signal }).catch(() => {
        throw error;
      });
    }
  }
}

/** Works on the rows of one team with a fresh entity manager, waiting while the database is out of reach. */
export type Reach = <T>(work: (em: EntityManager) => Promise<T>, signal?: AbortSignal) => Promise<T>;

/** @param attempt its signal ends the wait, unless a call passes another */
export const reaching =
  ({ orm }: { orm: Orm }, { teamId }: { teamId: string }, attempt: { signal: AbortSignal }): Reach =>
  (work, signal = attempt.signal) =>
    untilReachable(() => work(forTeam(orm.em, teamId)), signal);
