import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import {
  createMcpServers,
  type McpCallContext,
  type McpServers,
  type McpServerSettings,
  type ClientOptions,
  type StdioServer,
} from '@casebook/mcp';
import { QueryError } from '@casebook/connectors';
import { waitUntil } from '../support/wait-until.ts';

const require = createRequire(import.meta.url);
const program = (path: string): string => fileURLToPath(new URL(`../support/${path}`, import.meta.url));

/** A server as a child of this process. */
const child = (name: string, ...args: string[]): StdioServer => ({
  name,
  transport: 'stdio',
  command: process.execPath,
  args,
  env: {},
});

const note = (): void => undefined;
export const silent = { debug: note, info: note, warn: note, error: note };

export const everything = (name = 'everything') =>
  child(name, require.resolve('@modelcontextprotocol/server-everything/dist/index.js'), 'stdio');
export const filesystem = (folder: string) =>
  child('files', require.resolve('@modelcontextprotocol/server-filesystem/dist/index.js'), folder);
export const testServer = (name = 'test') => child(name, program('mcp-server.ts'));
export const hostile = (way: string) => child(way, program('mcp-hostile.ts'), way);
export const everythingProgram = require.resolve('@modelcontextprotocol/server-everything/dist/index.js');

const IMPATIENT = { debounceMs: 20, backoff: { firstMs: 20, maxMs: 200 } };

const open = new Set<McpServers>();

/** The suite closes them with `closeAfterEach`. */
export function connect(settings: McpServerSettings[], options: Partial<ClientOptions> = {}): McpServers {
  const servers = createMcpServers(settings, {
    log: silent,
    client: { name: 'test', version: '0' },
    ...options,
    timings: { ...IMPATIENT, ...options.timings },
  });
  open.add(servers);
  return servers;
}

/** Closes, after each test of the suite, what `connect` opened. */
export function closeAfterEach(): void {
  afterEach(async () => {
    await Promise.all([...open].map((servers) => servers.close()));
    open.clear();
  });
}

/** Waits for what becomes true of the servers. */
export async function until<T>(what: string, condition: () => Promise<T | undefined> | T | undefined): Promise<T> {
  return await waitUntil(async () => await condition(), { what, intervalMs: 10 });
}

export async function untilOk(servers: McpServers, name: string): Promise<void> {
  await until(`${name} is connected`, () => statusOf(servers, name) === 'ok' || undefined);
}

export function statusOf(servers: McpServers, name: string): string | undefined {
  return servers.health().find(({ id }) => id === name)?.status;
}

export async function connected(
  settings: McpServerSettings[],
  options: Partial<ClientOptions> = {},
): Promise<McpServers> {
  const servers = connect(settings, options);
  for (const { name } of settings) await untilOk(servers, name);
  return servers;
}

/** Calls as an owner does, with the largest bounds. */
export async function call(
  servers: McpServers,
  server: string,
  tool: string,
  args: Record<string, unknown> = {},
  context: Partial<McpCallContext> = {},
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into plain JSON
): Promise<any> {
  return await servers.call(server, tool, args, {
    signal: new AbortController().signal,
    maxBytes: 32 * 1024 * 1024,
    ...context,
  });
}

/** The JSON in a tool's only text. */
// oxlint-disable-next-line typescript/no-explicit-any -- tests look into plain JSON
export async function told(servers: McpServers, server: string, tool: string): Promise<any> {
  return JSON.parse((await call(servers, server, tool)).content[0].text);
}

export async function refused(asking: Promise<unknown>, code: QueryError['code'], words: RegExp): Promise<void> {
  await assert.rejects(asking, (error: unknown) => {
    assert.ok(error instanceof QueryError, `a QueryError, not ${String(error)}`);
    assert.match(error.message, words);
    assert.equal(error.code, code, error.message);
    return true;
  });
}

export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
