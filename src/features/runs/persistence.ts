import { setTimeout as sleep } from 'node:timers/promises';
import type { EntityManager, Orm } from '../../db/orm.ts';
import { forTeam } from '../../db/team-filter.ts';
import { isUnreachable } from '../../platform/unreachable.ts';

const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 2_000;

/**
 * Does a database or event-log operation until it succeeds, as long as the failure is one of reach (server gone, starting up, connection
 * cut), not of content. A paid answer of a model or the result of a tool is in memory while this waits: giving up
 * would mean asking again, so the wait lasts as long as the signal allows.
 * @throws the operation's own error when waiting cannot help, or the last error when the signal fires
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

/** Works on the rows of one team, each time with a fresh entity manager, until the database is within reach. */
export type Reach = <T>(work: (em: EntityManager) => Promise<T>, signal?: AbortSignal) => Promise<T>;

/** @param attempt whose signal ends the waiting, unless a call brings another one */
export const reaching =
  ({ orm }: { orm: Orm }, { teamId }: { teamId: string }, attempt: { signal: AbortSignal }): Reach =>
  (work, signal = attempt.signal) =>
    untilReachable(() => work(forTeam(orm.em, teamId)), signal);
