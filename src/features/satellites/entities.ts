import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { teamColumns, teamFilter } from '../../db/base.ts';
import type { ClusterState, ConnectorKind, Health, Inventory } from '@casebook/wire';

/** The health of one connector or MCP server, with the time of its check by our own clock. */
export type StoredHealth = Omit<Health, 'checkedAgoMs'> & { checkedAt?: string };
/** A short summary of an inventory. */
export interface InventorySummary {
  connectors: { id: string; kind: ConnectorKind; title: string; operations: string[] }[];
  /** MCP servers that have tools. */
  servers: string[];
  tools: number;
  omittedTools: number;
  /** Kinds of connectors that Casebook may configure. */
  integrations?: ConnectorKind[];
}
/** A cluster, with the time of its inspection by our own clock. */
export type StoredCluster = Omit<ClusterState, 'observedAgoMs'> & { observedAt: string };

/**
 * The registration of a satellite: created by its first heartbeat, kept up to date by the API node that holds its
 * connection. Its id is derived from team and name, so that a deleted one comes back as the same.
 */
export const Satellite = defineEntity({
  name: 'Satellite',
  tableName: 'satellites',
  filters: teamFilter,
  uniques: [{ properties: ['teamId', 'name'] }],
  properties: {
    ...teamColumns,
    name: p.string(),
    version: p.string(),
    labels: p.json<Record<string, string>>(),
    /** Identifies the satellite's process; created when it starts. */
    instance: p.uuid(),
    /** The credential of kind `satellite`. */
    tokenId: p.uuid(),
    /** Event stream from which the node that holds the connection takes requests; null while disconnected. */
    inbox: p.text().nullable(),
    /** Identifies the connection; null once it is closed. */
    connectionId: p.uuid().nullable(),
    connectedAt: p.datetime(),
    disconnectedAt: p.datetime().nullable(),
    lastHeartbeatAt: p.datetime(),
    /** The satellite's clock minus ours, in ms. */
    clockOffsetMs: p.integer(),
    health: p.json<StoredHealth[]>(),
    summary: p.json<InventorySummary>(),
    /** Large: loaded only on request. */
    inventory: p.json<Inventory>().lazy(),
    inventoryBytes: p.integer(),
    /** SHA-256 of the inventory, hexadecimal: a process that has it in memory need not load it again. */
    inventoryDigest: p.text(),
    clusters: p.json<StoredCluster[]>().lazy(),
  },
});
export type Satellite = InferEntity<typeof Satellite>;

/** A request that a run made and may repeat after a crash: its answer stays in the event log until the row is swept. */
export const SatelliteRequest = defineEntity({
  name: 'SatelliteRequest',
  tableName: 'satellite_requests',
  filters: teamFilter,
  indexes: [{ properties: ['createdAt'] }],
  properties: {
    ...teamColumns,
    satelliteId: p.uuid(),
    /** `connector/operation` or `server/tool`. */
    target: p.text(),
  },
});
export type SatelliteRequest = InferEntity<typeof SatelliteRequest>;
