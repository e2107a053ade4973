import type { CodeHost } from '@casebook/connectors';
import type { McpTool } from '@casebook/wire';
import type { ApiDeps } from '../../http/deps.ts';
import type { Outbound } from '../../platform/outbound/index.ts';
import type { IntegrationSettings } from './configuration.ts';
import type { Connections, Target } from './connections.ts';
import type { Integration } from './entities.ts';
import type { Servers } from './servers.ts';
import type { RevocationDeps } from './oauth/revocation.ts';
import type { IntegrationServiceDeps } from './service.ts';
import type { Vault } from './vault.ts';
import type { LoadChanges } from './systems.ts';

/** What the room builds for its own parts. */
export interface Integrations {
  service: IntegrationServiceDeps;
  vault: Vault;
  connections: Connections;
  servers: Servers;
  outbound: Outbound;
  /** Also reaches the vendors' addresses that the operator has configured. */
  vendorOutbound: Outbound;
  outboundOf(row: Pick<Integration, 'family'>): Outbound;
  settings: IntegrationSettings['integrations'];
  /** Where people reach the web app, without a trailing slash. */
  appUrl: string;
  /** Opens a row. @throws {SecretError} */
  opened(row: Integration): Target;
  /** Opens a row of a code host, with a credential that is still good. @throws {CodeHostError} */
  codeHost(row: Integration): Promise<CodeHost>;
  revocations: RevocationDeps;
  /** For other rooms, as they are built: adds changes to those that the systems themselves report to runs. */
  addChanges(load: LoadChanges): void;
  /** The tools of its MCP server, be it the team's or the vendor's; null where its connector has the tools. */
  toolsOf(row: Integration): Promise<readonly McpTool[] | null>;
}

export interface IntegrationDeps extends ApiDeps {
  integrations: Integrations;
}
