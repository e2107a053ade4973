/**
 * Vendors' own MCP servers: programs that an operator may install beside Casebook. Where one is installed, its tools take
 * the place of the connector's.
 */
import { QueryError } from '@casebook/connectors';
import { findToolServer, type StdioServer } from '@casebook/mcp';
import type { McpTool } from '@casebook/wire';
import type { Target } from '../connections.ts';
import type { FamilyName } from '../entities.ts';
import { azure } from './azure.ts';
import { google } from './google.ts';
import type { House, Said, VendorServer } from './port.ts';

const vendorServers: Partial<Record<FamilyName, VendorServer>> = {
  'cloud-monitor-a': azure,
  'cloud-b-official': google,
};

export const hasToolServer = (family: FamilyName): boolean => vendorServers[family] !== undefined;

/**
 * The family's program without credentials, as far as listing its tools goes.
 * @returns undefined if it is not installed, or cannot reach the vendor where this installation does
 */
export function programOf(family: FamilyName, { vendors, toolServersFolder }: House): StdioServer | undefined {
  const server = vendorServers[family];
  const start = server?.start(vendors);
  const program = server && findToolServer(server.package, server.version, toolServersFolder);
  if (!server || !start || !program) return undefined;
  return {
    transport: 'stdio',
    name: server.package,
    command: program.command,
    args: [...program.args, ...start.args],
    env: start.env,
    ...(server.readOnly && { readOnly: server.readOnly }),
    confine: {},
  };
}

/** Whether the program can use what the team has connected with. It is never started in a satellite. */
export const canServe = (target: Target, house: House): boolean =>
  target.via === null && vendorServers[target.family]?.credentials(target, house) !== undefined;

/** @throws {QueryError} when it is no longer there */
export function settingsOfProgram(target: Target, house: House): StdioServer {
  const program = programOf(target.family, house);
  const credentials = vendorServers[target.family]?.credentials(target, house);
  if (!program || !credentials) throw new QueryError('failed', "The vendor's tool server is no longer installed.");
  const { env, files } = credentials;
  return { ...program, name: target.slug, env: { ...program.env, ...env }, confine: { ...(files && { files }) } };
}

/** What a vendor's server says in a result, or a team's own, of which only the protocol is known. */
export function meaningOf(
  family: FamilyName,
  { content, isError }: { content: string; isError: boolean },
): Said & { isError: boolean } {
  const said = vendorServers[family]?.meaning(content) ?? { content, answer: isError ? 'refused' : 'data' };
  return { ...said, isError: isError || said.answer === 'refused' || said.answer === 'unavailable' };
}

/** A tool as a model sees it. */
export function withoutHidden(family: FamilyName, tool: McpTool): McpTool {
  const hidden = vendorServers[family]?.hidden;
  if (!hidden) return tool;
  const { properties, required, ...schema } = tool.inputSchema;
  const isShown = (name: unknown): boolean => !hidden.test(String(name));
  return {
    ...tool,
    inputSchema: {
      ...schema,
      properties: Object.fromEntries(Object.entries(properties ?? {}).filter(([name]) => isShown(name))),
      ...(Array.isArray(required) && { required: required.filter(isShown) }),
    },
  };
}

/** @param tool as the server lists it; one that is unknown gets nothing but the input */
export function withFixed(
  { family, settings }: Target,
  tool: McpTool | undefined,
  input: Record<string, unknown>,
): Record<string, unknown> {
  const { hidden, fixed } = vendorServers[family] ?? {};
  const properties = Object.keys(tool?.inputSchema['properties'] ?? {});
  const shown = Object.entries(input).filter(([name]) => hidden?.test(name) !== true);
  const added = Object.entries(fixed?.(settings) ?? {}).filter(([name]) => properties.includes(name));
  return Object.fromEntries([...shown, ...added]);
}
