/**
 * The one way an investigation's status is read. Ended ones come from PostgreSQL once and then from memory, since they
 * do not change any more; running ones from the workflow through the coalescing progress reader, and from the last row
 * when no worker answers. Any number of pollers costs one row read every few seconds and two queries a second.
 */
import { LRUCache } from 'lru-cache';
import type { EntityManager } from '../../db/orm.ts';
import type { ProgressReader, RunProgress } from '../runs/index.ts';
import { investigationWorkflowId } from './contract.ts';
import type { Investigation } from './entities.ts';
import { getInvestigation } from './service.ts';

export interface InvestigationStatusReader {
  /**
   * @param em bound to the caller's team; called only when the row has to be read
   * @throws {NotFound} when the team has no such investigation
   */
  read(teamId: string, id: string, em: () => EntityManager): Promise<{ row: Investigation; progress?: RunProgress }>;
  /** Makes the next read look at the row. Called before somebody is told that the run has ended, and asks at once. */
  forget(teamId: string, id: string): void;
}

export interface StatusReaderOptions {
  progress: ProgressReader;
  /** How long the row of a run that its workflow reports as running serves, ms. */
  rowFreshMs?: number;
  /** How long the row serves when no worker answers, ms. */
  fallbackFreshMs?: number;
  capacity?: number;
  now?: () => number;
}

interface Entry {
  row?: Investigation;
  readAt: number;
  reading?: Promise<Investigation>;
}

export function createStatusReader(options: StatusReaderOptions): InvestigationStatusReader {
  const { progress, rowFreshMs = 5_000, fallbackFreshMs = 500, capacity = 20_000, now = Date.now } = options;
  const entries = new LRUCache<string, Entry>({ max: capacity });

  const rowOf = async (key: string, id: string, em: () => EntityManager, freshMs: number): Promise<Investigation> => {
    const known = entries.get(key);
    if (known?.row && (known.row.status !== 'processing' || now() - known.readAt < freshMs)) return known.row;
    if (known?.reading) return known.reading;
    const entry: Entry = known ?? { readAt: 0 };
    const reading = getInvestigation(em(), id);
    entry.reading = reading;
    entries.set(key, entry);
    try {
      entry.row = await reading;
      entry.readAt = now();
      return entry.row;
    } catch (error) {
      // An unknown id is not remembered: it may be committed a moment later.
      if (!entry.row) entries.delete(key);
      throw error;
    } finally {
      entry.reading = undefined;
    }
  };

  const keyOf = (teamId: string, id: string): string => `${teamId}/${id}`;

  return {
    async read(teamId, id, em) {
      const key = keyOf(teamId, id);
      const row = await rowOf(key, id, em, rowFreshMs);
      if (row.status !== 'processing') return { row };
      const answer = await progress.read(investigationWorkflowId(id));
      if (answer && answer.phase !== 'finished') return { row, progress: answer };
      // A workflow that has finished has recorded its end before; one that does not answer leaves the row to speak.
      return { row: await rowOf(key, id, em, answer ? 0 : fallbackFreshMs), progress: answer };
    },
    forget: (teamId, id) => void entries.delete(keyOf(teamId, id)),
  };
}
