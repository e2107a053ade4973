/** Integrations whose tools come from an MCP server: a team's own, or a vendor's program beside Casebook. */
import { QueryError, type ConnectionTest, type OperationContext } from '@casebook/connectors';
import { McpUnauthorized, openMcp, type McpServerSettings, type OpenMcp } from '@casebook/mcp';
import type { McpTool } from '@casebook/wire';
import type { Logger } from '../../platform/logger.ts';
import type { Outbound } from '../../platform/outbound/index.ts';
import { messageOf } from '../../platform/message-of.ts';
import type { IntegrationSettings } from './configuration.ts';
import type { Target } from './connections.ts';
import type { FamilyName } from './entities.ts';
import { urlOf } from './mcp-url.ts';
import { shareItems } from './shared-items.ts';
import {
  canServe,
  hasToolServer,
  programOf,
  settingsOfProgram,
  withFixed,
  withoutHidden,
} from './tool-servers/index.ts';
import { createListings } from './tool-servers/listings.ts';

/** A server that no call used for so long is closed. */
const IDLE_MS = 5 * 60_000;
const MAX_OPEN = 96;
/** How many connections a program of a vendor counts as: 70 to 180 MiB each. */
const PROGRAM_SIZE = 12;
const LIST_MS = 30_000;
const CLIENT = { name: 'casebook', version: '0.1.0' };

interface ServerDeps {
  house: IntegrationSettings['integrations'];
  outbound: Outbound;
  log: Logger;
  /** The target with another token than the one that was refused. @throws {QueryError} */
  renewed(target: Target, refused: unknown): Promise<Target>;
}

export interface Servers {
  /** @returns the tools, beside the test. Never throws because of the server */
  test(
    target: Target,
    signal: AbortSignal,
  ): Promise<{ test: ConnectionTest; tools: McpTool[]; unauthorized?: McpUnauthorized }>;
  /** @throws {QueryError} when there is no result */
  call(target: Target, tool: string, input: Record<string, unknown>, context: OperationContext): Promise<unknown>;
  /**
   * The tools of the vendor's own server. They are the program's, so it is asked once for all teams, and without any
   * credential.
   * @returns null where the connector's tools are used: there is no such server, or it is not installed, does not start,
   *   or cannot use this connection
   */
  vendorTools(target: Target): Promise<readonly McpTool[] | null>;
  close(): Promise<void>;
}

export function createServers({ house, outbound, log, renewed }: ServerDeps): Servers {
  const open = shareItems<Promise<OpenMcp>>({
    maxSize: MAX_OPEN,
    idleMs: IDLE_MS,
    close: (server) => server.then((one) => one.close()).catch(() => undefined),
    isLost: (error) => !(error instanceof QueryError) || error.code === 'failed',
  });

  const settingsOf = (target: Target): McpServerSettings => {
    if (hasToolServer(target.family)) return settingsOfProgram(target, house);
    const { secrets, slug } = target;
    let current = target;
    return {
      transport: 'http',
      name: slug,
      url: urlOf(target),
      headers: headersOf(secrets),
      network: outbound.network,
      // Changes of tools are found by the next check; a stream for each process would only hold a connection.
      listen: false,
      async authorize({ refused }): Promise<Record<string, string>> {
        // What is only being tested has no row with another token: the server's refusal stands.
        if (refused && current.revision > 0 && current.secrets['access_token'] !== undefined)
          current = await renewed(current, current.secrets['access_token']);
        const { access_token: token } = current.secrets;
        return token === undefined ? {} : { authorization: `Bearer ${String(token)}` };
      },
    };
  };

  const start = async (target: Target, signal?: AbortSignal): Promise<OpenMcp> =>
    openMcp(settingsOf(target), { log, client: CLIENT, ...(signal && { signal }) });

  /** @returns null if it is not installed or does not start */
  const listed = async (family: FamilyName): Promise<readonly McpTool[] | null> => {
    const program = programOf(family, house);
    if (!program) return null;
    try {
      const server = await openMcp(program, { log, client: CLIENT, signal: AbortSignal.timeout(LIST_MS) });
      const tools = server.tools().filter(({ readOnly }) => readOnly);
      await server.close();
      return tools.length > 0 ? tools.map((tool) => withoutHidden(family, tool)) : null;
    } catch (error) {
      log.warn({ reason: messageOf(error), server: program.name }, "a vendor's tool server does not start");
      return null;
    }
  };

  const listings = createListings(listed);

  return {
    async test(target, signal) {
      const began = performance.now();
      const result = (test: Pick<ConnectionTest, 'status' | 'message'> & Partial<ConnectionTest>): ConnectionTest => ({
        latencyMs: performance.now() - began,
        warnings: [],
        resources: [],
        ...test,
      });
      try {
        const server = await start(target, signal);
        try {
          const tools = server.tools();
          const omitted = server.omitted();
          const warnings = omitted > 0 ? [`${omitted} more tools of the server are left out.`] : [];
          return { test: result({ status: 'ok', message: `The server has ${tools.length} tools.`, warnings }), tools };
        } finally {
          await server.close();
        }
      } catch (error) {
        if (error instanceof McpUnauthorized)
          return {
            test: result({ status: 'refused', field: 'headers', message: error.message }),
            tools: [],
            unauthorized: error,
          };
        if (signal.aborted)
          return { test: result({ status: 'unreachable', field: 'url', message: 'No answer in time.' }), tools: [] };
        if (!(error instanceof QueryError)) throw error;
        const isForbidden =
          outbound.urlProblem(String(target.settings['url'])) !== undefined || /not public/u.test(error.message);
        return {
          test: result({ status: isForbidden ? 'refused' : 'unreachable', field: 'url', message: error.message }),
          tools: [],
        };
      }
    },
    async call(target, tool, input, context) {
      const { teamId, id, revision } = target;
      return open.use(
        `${teamId} ${id} ${revision}`,
        () => start(target),
        async (starting) => {
          const server = await starting;
          await server.ready(context.signal);
          const known = server.tools().find(({ name }) => name === tool);
          return server.call(tool, withFixed(target, known, input), context);
        },
        hasToolServer(target.family) ? PROGRAM_SIZE : 1,
      );
    },
    async vendorTools(target) {
      const { family } = target;
      if (!hasToolServer(family) || !canServe(target, house)) return null;
      return listings(family);
    },
    close: () => open.close(),
  };
}

/** Secrets whose names begin so are headers. */
export const HEADER = 'header ';

const headersOf = (secrets: Target['secrets']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(secrets).flatMap(([name, value]) =>
      name.startsWith(HEADER) ? [[name.slice(HEADER.length), String(value)]] : [],
    ),
  );
