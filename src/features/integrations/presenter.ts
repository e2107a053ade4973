import type { z } from 'zod';
import type { ConnectionTest, ConnectorOperation } from '@casebook/connectors';
import type { McpTool } from '@casebook/wire';
import type { EntityManager } from '../../db/orm.ts';
import { Credential, Membership } from '../identity/index.ts';
import type { FamilyName, Integration } from './entities.ts';
import { decisionOn } from './decisions.ts';
import { families, fieldIn } from './families.ts';
import type { IntegrationResponse, TestResponse } from './schemas/shared.ts';
import { capabilitiesOf, sourceIdOf } from './source.ts';
import { hasToolServer } from './tool-servers/index.ts';
import { hint, type Secrets } from './vault.ts';

/** What a row says only together with its secrets and its connector. */
export interface Opened {
  operations: readonly ConnectorOperation[];
  /** Those of its MCP server; null where the connector's operations are its tools. */
  tools: readonly McpTool[] | null;
  /** Undefined when they cannot be opened. */
  secrets?: Secrets;
}

const iso = (date: Date | null | undefined): string | null => date?.toISOString() ?? null;

/** @param connectedBy the name of the member or key that connected it */
export function presentIntegration(
  row: Integration,
  { operations, tools, secrets }: Opened,
  connectedBy: string | null,
): z.input<typeof IntegrationResponse> {
  const { vendor, shown } = families[row.family];
  const { version, warnings, resources } = row.found;
  return {
    id: row.id,
    family: row.family,
    vendor,
    name: row.name,
    source_id: sourceIdOf(row),
    enabled: row.enabled,
    status: row.enabled ? row.status : 'disabled',
    status_since: row.statusSince.toISOString(),
    last_checked_at: iso(row.checkedAt),
    error: secrets ? (row.error ?? null) : 'Its secret cannot be opened: the key it was sealed with is not configured.',
    warnings,
    version: version ?? null,
    resources,
    credential: shown === undefined ? null : hint(secrets?.[shown]),
    via: row.via ?? null,
    settings: shownIn(row),
    tool_server: hasToolServer(row.family) ? (tools ? 'vendor' : 'built_in') : null,
    capabilities: row.tools ? ['tools'] : capabilitiesOf(row, operations),
    tools: tools
      ? tools.map(({ name, title, description, readOnly }) => ({
          name,
          description: title ?? description,
          read_only: decisionOn(row, { name, readOnly }) === 'read',
          allowed: decisionOn(row, { name, readOnly }) !== 'deny',
        }))
      : operations
          .filter(({ tool }) => tool)
          .map(({ name, description }) => ({ name, description, read_only: true, allowed: true })),
    connected_by: connectedBy,
    connected_at: row.createdAt.toISOString(),
    last_used_at: iso(row.lastUsedAt),
  };
}

/** The settings that people gave. */
const shownIn = ({ settings }: Integration): Record<string, string | number | boolean> =>
  Object.fromEntries(
    Object.entries(settings).flatMap(([name, value]) =>
      typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? [[name, value]] : [],
    ),
  );

export const presentTest = (family: FamilyName, test: ConnectionTest): z.input<typeof TestResponse> => ({
  success: test.status === 'ok',
  message: test.message,
  field: fieldIn(family)(test.field) ?? null,
  server_version: test.version ?? null,
  latency_ms: Math.round(test.latencyMs * 10) / 10,
  warnings: test.warnings,
});

/** The names of who connected these, by id of the row: members by their name, programs by their key's. */
export async function creatorsOf(em: EntityManager, rows: readonly Integration[]): Promise<Map<string, string>> {
  const userIds = rows.flatMap(({ createdByUserId }) => createdByUserId ?? []);
  const credentialIds = rows.flatMap(({ createdByCredentialId }) => createdByCredentialId ?? []);
  const members = new Map(
    (await em.find(Membership, { userId: { $in: userIds } })).map((one) => [one.userId, one.name]),
  );
  const keys = new Map(
    (await em.find(Credential, { id: { $in: credentialIds }, kind: 'key' })).map((one) => [one.id, one.name]),
  );
  return new Map(
    rows.flatMap((row): [string, string][] => {
      const name = members.get(row.createdByUserId ?? '') ?? keys.get(row.createdByCredentialId ?? '');
      return name === undefined ? [] : [[row.id, name]];
    }),
  );
}
