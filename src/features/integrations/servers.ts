/** Integrations whose tools come from an MCP server: a team's own, or a vendor's program beside Casebook. */
import { QueryError, type ConnectionTest, type OperationContext } from '@casebook/connectors';
import { McpUnauthorized, openMcp, type McpServerSettings, type OpenMcp } from '@casebook/mcp';
import type { McpTool } from '@casebook/wire';
import { LRUCache } from 'lru-cache';
import type { Logger } from '../../platform/logger.ts';
import type { Outbound } from '../../platform/outbound/index.ts';
import type { Target } from './connections.ts';

/** A server that no call used for so long is closed. */
const IDLE_MS = 5 * 60_000;
const MAX_OPEN = 100;
const CLIENT = { name: 'casebook', version: '0.1.0' };

interface ServerDeps {
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
  close(): Promise<void>;
}

export function createServers({ outbound, log, renewed }: ServerDeps): Servers {
  const open = new LRUCache<string, Promise<OpenMcp>>({
    max: MAX_OPEN,
    ttl: IDLE_MS,
    ttlAutopurge: true,
    updateAgeOnGet: true,
    dispose: (server) => void server.then((one) => one.close()).catch(() => undefined),
  });

  const settingsOf = (target: Target): McpServerSettings => {
    const { settings, secrets, slug } = target;
    let current = target;
    return {
      transport: 'http',
      name: slug,
      url: String(settings['url']),
      headers: headersOf(secrets),
      network: outbound.network,
      // Changes of tools are found by the next check; a stream for each process would only hold a connection.
      listen: false,
      async authorize({ refused }): Promise<Record<string, string>> {
        if (refused && current.secrets['access_token'] !== undefined)
          current = await renewed(current, current.secrets['access_token']);
        const { access_token: token } = current.secrets;
        return token === undefined ? {} : { authorization: `Bearer ${String(token)}` };
      },
    };
  };

  const start = (target: Target, signal?: AbortSignal): Promise<OpenMcp> =>
    openMcp(settingsOf(target), { log, client: CLIENT, ...(signal && { signal }) });

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
      const key = `${target.teamId} ${target.id} ${target.revision}`;
      const opening = open.get(key) ?? start(target);
      open.set(key, opening);
      try {
        const server = await opening;
        await server.ready(context.signal);
        return await server.call(tool, input, context);
      } catch (error) {
        // The next call opens it again.
        const isLost = !(error instanceof QueryError) || error.code === 'failed';
        if (isLost && open.peek(key) === opening) open.delete(key);
        throw error;
      }
    },
    async close() {
      const all = [...open.values()];
      open.clear();
      await Promise.allSettled(all.map(async (server) => (await server).close()));
    },
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
