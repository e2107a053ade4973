/**
 * The only way an investigation's status is read. Ended ones come from PostgreSQL once, then from memory, since they no
 * longer change; running ones from the workflow through the coalescing progress reader, and from the last row if no
 * worker answers. Any number of pollers costs one row read every few seconds and two queries a second.
 */
import { LRUCache } from 'lru-cache';
import type { EntityManager } from '../../../db/orm.ts';
import { isOpen } from '../../runs/contract.ts';
import type { ProgressReader, RunProgress } from '../../runs/index.ts';
import { investigationWorkflowId } from '../contract.ts';
import type { Investigation } from '../entities.ts';
import { getInvestigation } from '../service.ts';

/** What a poller gets. A plain copy: an entity would keep alive whatever its entity manager has loaded. */
export type InvestigationStatusRow = Pick<Investigation, 'id' | 'status' | 'alertSummary' | 'investigationText'>;

export interface InvestigationStatusReader {
  /**
   * @param em bound to the caller's team; called only if the row has to be read
   * @throws {NotFound} if the team has no such investigation
   */
  read(
    teamId: string,
    id: string,
    em: () => EntityManager,
  ): Promise<{ row: InvestigationStatusRow; progress?: RunProgress }>;
  /** Makes the next read look at the row. Called before a client is told that the run has ended and polls at once. */
  forget(teamId: string, id: string): void;
}

interface StatusReaderOptions {
  progress: ProgressReader;
  /** How long the row of a run that its workflow reports as running stays valid, ms. */
  rowFreshMs?: number;
  /** How long the row stays valid if no worker answers, ms. */
  fallbackFreshMs?: number;
  /** Memory for rows, in characters of text. */
  capacity?: number;
  now?: () => number;
}

interface Entry {
  row?: InvestigationStatusRow;
  readAt: number;
  reading?: Promise<InvestigationStatusRow>;
}

const CAPACITY_CHARACTERS = 32_000_000;
/** Approximate size of an entry besides its texts. */
const ENTRY_CHARACTERS = 500;

function sizeOf(row: InvestigationStatusRow | undefined): number {
  return ENTRY_CHARACTERS + (row?.alertSummary?.length ?? 0) + (row?.investigationText?.length ?? 0);
}

async function readRow(em: EntityManager, id: string): Promise<InvestigationStatusRow> {
  const { status, alertSummary, investigationText } = await getInvestigation(em, id);
  return { id, status, alertSummary, investigationText };
}

export function createStatusReader(options: StatusReaderOptions): InvestigationStatusReader {
  const {
    progress,
    rowFreshMs = 5_000,
    fallbackFreshMs = 500,
    capacity = CAPACITY_CHARACTERS,
    now = Date.now,
  } = options;
  const entries = new LRUCache<string, Entry>({ maxSize: capacity, sizeCalculation: ({ row }) => sizeOf(row) });

  const rowOf = async (
    key: string,
    id: string,
    em: () => EntityManager,
    freshMs: number,
  ): Promise<InvestigationStatusRow> => {
    const known = entries.get(key);
    if (known?.row && (!isOpen(known.row.status) || now() - known.readAt < freshMs)) return known.row;
    if (known?.reading) return known.reading;
    const entry: Entry = known ?? { readAt: 0 };
    const reading = readRow(em(), id);
    entry.reading = reading;
    entries.set(key, entry);
    try {
      const row = await reading;
      // A new entry, since the cache measures entries only on insertion; none if it was evicted meanwhile.
      if (entries.peek(key) === entry) entries.set(key, { row, readAt: now() });
      return row;
    } catch (error) {
      // Unknown ids are not cached: the row may be committed a moment later.
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
      if (!isOpen(row.status)) return { row };
      const answer = await progress.read(investigationWorkflowId(id));
      const ending = answer?.phase === 'recording' || answer?.phase === 'finished';
      if (answer && !ending) return { row, progress: answer };
      // From `recording` on the row may hold the end; if the workflow does not answer, the row decides.
      return { row: await rowOf(key, id, em, answer ? 0 : fallbackFreshMs), progress: answer };
    },
    forget: (teamId, id) => void entries.delete(keyOf(teamId, id)),
  };
}
