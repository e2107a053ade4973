/** Incomplete graphs, bounded in total: one team's unfinished graphs must not take another's memory. */
import { MAX_EDGES, type GraphMessage } from '@casebook/wire';
import { addPart, type Batch } from './batch.ts';

/**
 * Maximum number of edges being collected, for one team and in total; an edge takes up to a kilobyte in the meantime.
 */
const MAX_PER_TEAM = MAX_EDGES;
const MAX_TOTAL = 2 * MAX_EDGES;
/** A graph without new parts for this long is evicted when its place is needed, in ms. */
const STALLED_MS = 30_000;

interface Collected {
  teamId: string;
  batch: Batch;
  /** When the last part arrived, by `performance.now()`. */
  at: number;
}

export class Collecting {
  readonly #byConnection = new Map<string, Collected>();

  /** @returns the batch if this was the last part, `more` if it was not, undefined when it cannot be continued */
  add(connectionId: string, teamId: string, message: GraphMessage): Batch | 'more' | undefined {
    const before = this.#byConnection.get(connectionId);
    this.#byConnection.delete(connectionId);
    const batch = addPart(before?.batch, message);
    if (!batch || message.last) return batch;
    if (!this.#hasRoom(teamId, sizeOf(batch))) return undefined;
    this.#byConnection.set(connectionId, { teamId, batch, at: performance.now() });
    return 'more';
  }

  forget(connectionId: string): void {
    this.#byConnection.delete(connectionId);
  }

  #hasRoom(teamId: string, size: number): boolean {
    if (this.#fits(teamId, size)) return true;
    for (const [connectionId, { at }] of this.#byConnection)
      if (performance.now() - at > STALLED_MS) this.#byConnection.delete(connectionId);
    return this.#fits(teamId, size);
  }

  #fits(teamId: string, size: number): boolean {
    let [ofTeam, ofAll] = [size, size];
    for (const each of this.#byConnection.values()) {
      const held = sizeOf(each.batch);
      ofAll += held;
      if (each.teamId === teamId) ofTeam += held;
    }
    return ofTeam <= MAX_PER_TEAM && ofAll <= MAX_TOTAL;
  }
}

const sizeOf = ({ edges, gone }: Batch): number => edges.size + gone.size;
