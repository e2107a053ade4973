/**
 * Answers "how far is this run?" from the running workflow, for any number of pollers: at most one query per run at a
 * time, whose answer serves everybody for half a second. If a run's worker does not answer, only the first poller
 * waits.
 */
import { LRUCache } from 'lru-cache';
import type { RunProgress } from './contract.ts';

export interface ProgressReader<Progress = RunProgress> {
  /**
   * @param workflowId the run's workflow
   * @returns its progress (or whatever its query answers), at most `staleMs` old, or undefined if no worker answered in
   *   time: the caller then answers from the last row in PostgreSQL
   */
  read(workflowId: string): Promise<Progress | undefined>;
}

export interface ProgressReaderOptions<Progress> {
  /** Queries the workflow; rejects if it cannot. */
  query: (workflowId: string) => Promise<Progress>;
  /** How long an answer, even a failed one, is reused: 500 ms limits Temporal to two queries a second per run. */
  freshMs?: number;
  /**
   * Age up to which an answer serves the others while the one who asked for the next waits, ms from when it was asked
   * for. Without it all pollers of a run would wait for each query; beyond it they do.
   */
  staleMs?: number;
  /** How long a caller waits for a query. */
  patienceMs?: number;
  /** Maximum runs cached. */
  capacity?: number;
  now?: () => number;
}

interface Entry<Progress> {
  value?: Progress;
  /** When the query behind `value` was sent. */
  valueAt: number;
  /** When the last query was sent. */
  askedAt: number;
  underWay?: Promise<void>;
  /** The last query failed or took too long. */
  unanswered: boolean;
}

/** See {@link ProgressReader}. One per API process. */
export function createProgressReader<Progress = RunProgress>(
  options: ProgressReaderOptions<Progress>,
): ProgressReader<Progress> {
  const { query, freshMs = 500, staleMs = 1_000, patienceMs = 1_000, capacity = 20_000, now = Date.now } = options;
  const entries = new LRUCache<string, Entry<Progress>>({ max: capacity });

  const ask = (workflowId: string, entry: Entry<Progress>): Promise<void> => {
    const askedAt = now();
    entry.askedAt = askedAt;
    const underWay = query(workflowId)
      .then((value) => {
        entry.value = value;
        entry.valueAt = askedAt;
        entry.unanswered = false;
      })
      .catch(() => {
        entry.unanswered = true;
      })
      .finally(() => {
        entry.underWay = undefined;
      });
    entry.underWay = underWay;
    return underWay;
  };

  return {
    async read(workflowId) {
      const entry = entries.get(workflowId) ?? { valueAt: -Infinity, askedAt: -Infinity, unanswered: false };
      entries.set(workflowId, entry);
      const asks = !entry.underWay && now() - entry.askedAt >= freshMs;
      if (asks) void ask(workflowId, entry);
      const waits = asks || now() - entry.valueAt >= staleMs;
      if (entry.underWay && !entry.unanswered && waits) {
        const answered = await within(entry.underWay, patienceMs);
        if (!answered) entry.unanswered = true;
      }
      return entry.unanswered ? undefined : entry.value;
    },
  };
}

/** @returns false if `work` took longer than `ms`; it continues */
function within(work: Promise<void>, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), ms);
    void work.then(() => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}
