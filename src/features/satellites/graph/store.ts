/**
 * Stores the live dependency graph that satellites send, and answers questions about it. PostgreSQL holds the truth, so
 * any process can answer.
 */
import pLimit from 'p-limit';
import type { Orm } from '../../../db/orm.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { GraphMessage } from '@casebook/wire';
import { applyBatch } from './apply.ts';
import type { Batch } from './batch.ts';
import { Collecting } from './collecting.ts';
import { createGraphReader } from './graphs.ts';
import { createHeadReader } from './heads.ts';
import type { DependencyAnswer, DependencyQuery } from './query/answer.ts';
import { ask } from './query/ask.ts';
import { edgesAmong, type BoundedEdges } from './query/edges.ts';
import { isInCalls } from './query/call-graph.ts';
import { createTableCache } from './tables.ts';

/**
 * Maximum number of batches stored concurrently: after a start every satellite sends a snapshot of all its edges, and
 * together they would take every database connection.
 */
const MAX_STORED_AT_ONCE = 4;
/** A delta this small takes milliseconds and bypasses waiting snapshots: it keeps a graph fresh. */
const FEW_CHANGES = 1_000;

export interface SatelliteEdges extends BoundedEdges {
  /** Of the whole graph. */
  totals: { services: number; edges: number };
  /** When it was last confirmed; absent without a graph. */
  asOf?: Date;
  /** The satellite sees more edges than a graph may have: the least called are missing. */
  truncatedAtSource: boolean;
}

export interface DependencyGraphs {
  /**
   * Accepts a message. Parts are collected in memory, and stored together with the last one.
   * @returns `resync` when the graph cannot be continued: ask the satellite for a snapshot
   * @throws the database's error; nothing is stored then, and the parts so far are discarded
   */
  ingest(
    satellite: { id: string; teamId: string },
    message: GraphMessage,
    connectionId: string,
  ): Promise<'ok' | 'resync'>;
  /** The connection is closed: its pending parts will never be complete. */
  forget(connectionId: string): void;
  /** Ids of the team's satellites that have sent a graph. */
  sentBy(teamId: string): Promise<ReadonlySet<string>>;
  /** The edges that one satellite sees, most called first; empty when the team does not have the satellite. */
  edges(teamId: string, satelliteId: string, limit: number): Promise<SatelliteEdges>;
  /** Answers from the union of the graphs of the team's satellites, or from one of them. */
  query(teamId: string, query: DependencyQuery & { satelliteId?: string }): Promise<DependencyAnswer>;
}

export interface GraphStoreOptions {
  orm: Orm;
  clock: Clock;
  log: Logger;
  /** How long the state of a team's graphs is reused, in ms; 500 by default. */
  freshMs?: number;
  /** Maximum number of edges in memory: an edge takes about 80 bytes, including everything that questions need. */
  maxEdges?: number;
}

export function createGraphStore(options: GraphStoreOptions): DependencyGraphs {
  const { orm, clock, log, freshMs = 500, maxEdges = 1_000_000 } = options;
  const collecting = new Collecting();
  const inTurn = pLimit(MAX_STORED_AT_ONCE);
  const heads = createHeadReader(orm, clock, freshMs);
  const graphs = createGraphReader(heads, createTableCache(orm, maxEdges), maxEdges);

  return {
    async ingest({ id: satelliteId, teamId }, message, connectionId) {
      const batch = collecting.add(connectionId, teamId, message);
      if (!batch) {
        log.info({ satelliteId, teamId, seq: message.seq }, 'a dependency graph lacks parts, or room for them');
        return 'resync';
      }
      if (batch === 'more') return 'ok';
      const now = clock.now();
      const store = () => applyBatch(orm, { satelliteId, teamId, connectionId }, batch, now);
      return isSmall(batch) ? store() : inTurn(store);
    },
    forget: (connectionId) => collecting.forget(connectionId),
    async sentBy(teamId) {
      return new Set((await heads.read(teamId)).flatMap(({ id, version }) => (version === undefined ? [] : id)));
    },
    async edges(teamId, satelliteId, limit) {
      const { graph, satellites, tables } = await graphs.read(teamId, satelliteId);
      let services = 0;
      for (let id = 0; id < graph.services; id++) if (isInCalls(graph, id)) services++;
      const asOf = tables[0]?.asOf;
      return {
        ...edgesAmong(graph, tables, undefined, limit),
        totals: { services, edges: graph.edges },
        ...(asOf && { asOf }),
        truncatedAtSource: satellites.some(({ truncated }) => truncated),
      };
    },
    async query(teamId, { satelliteId, ...query }) {
      return ask(await graphs.read(teamId, satelliteId), query, clock.now());
    },
  };
}

const isSmall = ({ kind, edges, gone }: Batch): boolean => kind === 'delta' && edges.size + gone.size <= FEW_CHANGES;
