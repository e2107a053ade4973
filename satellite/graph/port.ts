/** The dependency graph as the rest of the satellite sees it. */
import type { GraphMessage } from '@casebook/wire';

/** Sends the graph to Casebook: a snapshot after connecting, then what changed. */
export interface GraphFeed {
  /**
   * Starts or resumes sending; called after each welcome. `send` resolves once the message is on its way and there is
   * room for the next; it rejects when the connection is gone.
   */
  attach(send: (message: GraphMessage) => Promise<void>): void;
  /** The connection is gone; observation continues. */
  detach(): void;
  /** Casebook has lost sync and wants a snapshot. */
  snapshotWanted(): void;
  close(): Promise<void>;
}
