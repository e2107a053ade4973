import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { ConnectionTest } from '@casebook/connectors';
import type { McpTool } from '@casebook/wire';
import { baseColumns, creatorColumns, teamColumns, teamFilter } from '../../db/base.ts';
import type { StoredChannel } from '../notifications/index.ts';

/** The path families of the interface, and `mcp`. */
export const FAMILIES = [
  'apm-a',
  'sql-db',
  'analytics-db',
  'cloud-monitor-a',
  'cloud-b',
  'cloud-b-official',
  'edge-a',
  'mcp',
  'github',
  'gitea',
  'codehost-b',
] as const;
export type FamilyName = (typeof FAMILIES)[number];

/**
 * `pending`: somebody is giving consent at the vendor, nothing is stored yet. `select_account`: the credential works,
 * an account is to be chosen. `failing`: the last check failed. `needs_reconnect`: the vendor revoked the credential.
 */
export const INTEGRATION_STATUSES = ['pending', 'select_account', 'connected', 'failing', 'needs_reconnect'] as const;
export type IntegrationStatus = (typeof INTEGRATION_STATUSES)[number];

/** What a team decides about a tool of an MCP server: it only reads, it may act when a person approves, or it is not offered. */
export const TOOL_DECISIONS = ['read', 'act', 'deny'] as const;
export type ToolDecision = (typeof TOOL_DECISIONS)[number];

/** One of a team's connections to a vendor's system. */
export const Integration = defineEntity({
  name: 'Integration',
  tableName: 'integrations',
  filters: teamFilter,
  uniques: [{ properties: ['teamId', 'slug'] }],
  indexes: [{ properties: ['dueAt'] }],
  properties: {
    ...teamColumns,
    ...creatorColumns,
    family: p.enum(FAMILIES),
    /** As the team calls it. */
    name: p.text(),
    /** The name in source ids and tool names: lower-case letters, digits, hyphens. */
    slug: p.text(),
    enabled: p.boolean().default(true),
    status: p.enum(INTEGRATION_STATUSES),
    /** When the status last changed. */
    statusSince: p.datetime(),
    /** Why it does not work, in words. */
    error: p.text().nullable(),
    /** Everything but the secrets, by the names of its family's schema. */
    settings: p.json<Record<string, unknown>>(),
    /** Its secrets: see the vault. */
    sealed: p.text(),
    /** Sealed too: what is kept while somebody gives consent at the vendor. */
    pending: p.text().nullable(),
    /** The satellite that queries it; null: Casebook does. */
    via: p.text().nullable(),
    /** Grows with every change of settings and secrets, so that processes reopen their connections. */
    revision: p.integer().default(1),
    /** What the last successful test found out. */
    found: p.json<Pick<ConnectionTest, 'version' | 'warnings' | 'resources'>>(),
    /** The tools that its server announced; null where a connector has its own. */
    tools: p.json<McpTool[]>().nullable(),
    checkedAt: p.datetime().nullable(),
    /** When it is checked next. */
    dueAt: p.datetime(),
    /** To the minute. */
    lastUsedAt: p.datetime().nullable(),
  },
});
export type Integration = InferEntity<typeof Integration>;

/** Where a team is told that the status of an integration has changed; without a row, whoever connected it is. */
export const IntegrationAlerts = defineEntity({
  name: 'IntegrationAlerts',
  tableName: 'integration_alerts',
  filters: teamFilter,
  properties: { ...baseColumns, teamId: p.uuid().unique(), channel: p.json<StoredChannel>() },
});
export type IntegrationAlerts = InferEntity<typeof IntegrationAlerts>;
