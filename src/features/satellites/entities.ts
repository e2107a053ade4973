import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { creatorColumns, teamColumns, teamFilter } from '../../db/base.ts';
import type { ClusterState, ConnectorKind, Health, Inventory } from '@casebook/wire';

/** How one connector or MCP server is doing, with our own time of when it was looked at. */
export type StoredHealth = Omit<Health, 'checkedAgoMs'> & { checkedAt?: string };
/** What an inventory comes to, in a few lines. */
export interface InventorySummary {
  connectors: { id: string; kind: ConnectorKind; title: string; operations: string[] }[];
  /** MCP servers that have tools. */
  servers: string[];
  tools: number;
  omittedTools: number;
}
/** A cluster, with our own time of when it was looked at. */
export type StoredCluster = Omit<ClusterState, 'observedAgoMs'> & { observedAt: string };

/**
 * What satellites of a team connect with. The token itself is shown once and not stored.
 */
export const SatelliteToken = defineEntity({
  name: 'SatelliteToken',
  tableName: 'satellite_tokens',
  filters: teamFilter,
  properties: {
    ...teamColumns,
    name: p.string(),
    /** How the token begins, to recognise it by. */
    prefix: p.string(),
    /** HMAC-SHA256 of the token, hexadecimal. */
    hash: p.string().unique(),
    ...creatorColumns,
    expiresAt: p.datetime().nullable(),
    lastUsedAt: p.datetime().nullable(),
    revokedAt: p.datetime().nullable(),
  },
});
export type SatelliteToken = InferEntity<typeof SatelliteToken>;

/**
 * The registration of a satellite: made by its first heartbeat, kept up to date by the API node that holds its
 * connection. Its id follows from team and name, so that one that was deleted comes back as the same.
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
    /** Of the process, made when it started. */
    instance: p.uuid(),
    tokenId: p.uuid(),
    /** Event stream from which the node that holds the connection takes requests; null while there is none. */
    inbox: p.text().nullable(),
    /** The connection, made anew for each; null once it is closed. */
    connectionId: p.uuid().nullable(),
    connectedAt: p.datetime(),
    disconnectedAt: p.datetime().nullable(),
    lastHeartbeatAt: p.datetime(),
    /** The satellite's clock minus ours, in ms. */
    clockOffsetMs: p.integer(),
    health: p.json<StoredHealth[]>(),
    summary: p.json<InventorySummary>(),
    /** Large: loaded only when asked for. */
    inventory: p.json<Inventory>().lazy(),
    inventoryBytes: p.integer(),
    /** SHA-256 of it, hexadecimal: who has it in memory need not load it again. */
    inventoryDigest: p.text(),
    clusters: p.json<StoredCluster[]>().lazy(),
  },
});
export type Satellite = InferEntity<typeof Satellite>;

/**
 * A question that a run asked and may ask again after a crash: its answer stays in the event log until the row is
 * swept away.
 */
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
