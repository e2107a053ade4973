/**
 * A small MCP server made with the SDK: pages of tools that change, slow tools, and results of every kind. As a program
 * it speaks over standard input and output.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import {
  CallToolRequestSchema,
  ListToolsRequestSchema,
  McpError,
  type CallToolResult,
  type ServerNotification,
  type Tool,
} from '@modelcontextprotocol/sdk/types.js';

const PAGE = 3;

interface Call {
  args: Record<string, unknown>;
  signal: AbortSignal;
  /** Sends a notification that belongs to the call. */
  notify(notification: ServerNotification): Promise<void>;
  progressToken: string | number | undefined;
}

function text(value: unknown): CallToolResult {
  return { content: [{ type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value) }] };
}

/** Every kind of content. */
export const EVERY_KIND = {
  content: [
    { type: 'text', text: 'words', annotations: { audience: ['user'], priority: 0.5 } },
    { type: 'image', data: 'aW1hZ2U=', mimeType: 'image/png' },
    { type: 'audio', data: 'YXVkaW8=', mimeType: 'audio/wav' },
    { type: 'resource', resource: { uri: 'file:///a.txt', text: 'inside', mimeType: 'text/plain' } },
    { type: 'resource', resource: { uri: 'file:///a.bin', blob: 'YmxvYg==' } },
    { type: 'resource_link', uri: 'file:///b.txt', name: 'b', description: 'a link' },
  ],
  structuredContent: { value: 1, nested: { list: [null, true] } },
  _meta: { 'example.com/trace': 'abc' },
  somethingNew: { of: 'a later protocol' },
};

/** What a test can see of a server in its own process; tools tell the same of one in another. */
export interface TestMcpServer {
  server: Server;
  cancelled: unknown[];
  /** Ends the calls of `until_released`. */
  release(): void;
}

export function createTestMcpServer(): TestMcpServer {
  const server = new Server({ name: 'test', version: '1.0.0' }, { capabilities: { tools: { listChanged: true } } });
  const cancelled: unknown[] = [];
  const added: string[] = [];
  let listings = 0;
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });

  const untilCancelled = async (name: string, signal: AbortSignal): Promise<never> => {
    await new Promise((resolve) => {
      signal.addEventListener('abort', resolve, { once: true });
    });
    cancelled.push(name);
    throw new Error('cancelled');
  };

  const tools: Record<string, (call: Call) => Promise<CallToolResult> | CallToolResult> = {
    echo: ({ args }) => text(args),
    pid: () => text(process.pid),
    environment: () => text(process.env),
    add_tools: async ({ args }) => {
      for (const name of args['names'] as string[]) {
        added.push(name);
        await server.sendToolListChanged();
      }
      return text('added');
    },
    listings: () => text(listings),
    slow: async ({ args, notify, progressToken }) => {
      const { steps, stepMs } = args as { steps: number; stepMs: number };
      for (let progress = 1; progress <= steps; progress += 1) {
        await delay(stepMs);
        if (progressToken !== undefined) {
          await notify({ method: 'notifications/progress', params: { progressToken, progress, total: steps } });
        }
      }
      return text('done');
    },
    /** Says that it goes on until `release` is called. */
    busy: async ({ signal, notify, progressToken }) => {
      const isReleased = released.then(() => true);
      for (let progress = 1; !signal.aborted; progress += 1) {
        if (await Promise.race([isReleased, delay(50, false)])) break;
        if (progressToken !== undefined) {
          await notify({ method: 'notifications/progress', params: { progressToken, progress } });
        }
      }
      return text('released');
    },
    release: () => {
      release();
      return text('released');
    },
    held: ({ signal }) => untilCancelled('held', signal),
    until_released: async () => {
      await released;
      return text('released');
    },
    cancelled: () => text(cancelled),
    protocol_error: () => {
      throw new McpError(-32_050, 'the disk is on fire', { disk: 'sda' });
    },
    invalid_arguments: () => {
      throw new McpError(-32_602, 'city must be a city');
    },
    tool_error: () => ({ content: [{ type: 'text', text: 'no such table' }], isError: true }),
    mismatched: () => ({ content: [], structuredContent: { value: 'a text where a number was promised' } }),
    every_kind: () => EVERY_KIND as unknown as CallToolResult,
    huge: ({ args }) => text('x'.repeat(Number(args['bytes']))),
    crash: () => process.exit(3),
  };

  const announced = (): Tool[] =>
    [...Object.keys(tools), ...added].map((name) => ({
      name,
      description: `Does ${name}.`,
      inputSchema: { type: 'object' as const },
      ...(name === 'mismatched' && {
        outputSchema: { type: 'object' as const, properties: { value: { type: 'number' } }, required: ['value'] },
      }),
      ...(name === 'echo' && { annotations: { readOnlyHint: true, title: 'Echo' } }),
    }));

  server.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
    const from = Number(params?.cursor ?? 0);
    if (from === 0) listings += 1;
    const all = announced();
    const next = from + PAGE;
    return { tools: all.slice(from, next), ...(next < all.length && { nextCursor: String(next) }) };
  });
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    const tool = tools[params.name];
    if (tool === undefined) throw new McpError(-32_602, `Unknown tool: ${params.name}`);
    return await tool({
      args: params.arguments ?? {},
      signal: extra.signal,
      notify: extra.sendNotification,
      progressToken: params._meta?.progressToken,
    });
  });
  return { server, cancelled, release: () => release() };
}

if (import.meta.main) await createTestMcpServer().server.connect(new StdioServerTransport());
