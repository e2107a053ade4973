/** What the rest of the satellite knows of the dependency graph. */
import type { GraphMessage } from '@casebook/wire';

/** Sends the graph to Casebook: a snapshot after connecting, then what changed. */
export interface GraphFeed {
  /**
   * Begins or goes on sending; called after each welcome. `send` resolves when the message is on its way and there is
   * room for the next one; it rejects when the connection is gone.
   */
  attach(send: (message: GraphMessage) => Promise<void>): void;
  /** The connection is gone; observing goes on. */
  detach(): void;
  /** Casebook has lost its place and wants a snapshot. */
  snapshotWanted(): void;
  close(): Promise<void>;
}
