/** Whether an agent knows by now what is usual. Pure. */

/** One run of a check, as far as the demo looks at it. */
export interface Session {
  check: string;
  status: string;
  /** The result in one line. */
  summary: string;
  isFinished: boolean;
  /** Subjects that it could judge; none while it learns. */
  judged: number;
}

/** Consecutive runs that must be green, to rule out chance. */
export const GREEN_RUNS = 3;

export interface Learning {
  isDone: boolean;
  /** Its progress, as described by the check that is furthest behind. */
  text: string;
}

/**
 * An agent has learned when the last {@link GREEN_RUNS} runs of each of its checks judged as many subjects as any run
 * before, and found nothing.
 * @param checks ids of the checks that are to be green
 * @param sessions the newest first
 */
export function learningOf(checks: readonly string[], sessions: readonly Session[]): Learning {
  const behind = checks
    .map((check) => ofCheck(sessions.filter((session) => session.check === check && session.isFinished)))
    .toSorted((a, b) => a.green - b.green)[0];
  if (!behind) return { isDone: false, text: 'there are no checks' };
  return { isDone: behind.green >= GREEN_RUNS, text: behind.text };
}

function ofCheck(runs: readonly Session[]): { green: number; text: string } {
  const most = runs.reduce((sum, { judged }) => Math.max(sum, judged), 0);
  const first = runs.findIndex(({ status, judged }) => status !== 'ok' || judged === 0 || judged < most);
  const green = first === -1 ? runs.length : first;
  const last = runs[0];
  if (!last) return { green: 0, text: 'its first check runs' };
  const of = green > 0 ? ` (${Math.min(green, GREEN_RUNS)} of ${GREEN_RUNS} checks)` : '';
  return { green, text: `${last.summary}${of}` };
}
