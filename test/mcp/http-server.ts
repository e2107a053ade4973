/** The small MCP server over streamable HTTP in this process, where a test can see and break its connections. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { EventStore } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { addressOf } from '../support/address.ts';
import { createTestMcpServer, type TestMcpServer } from '../support/mcp-server.ts';

export interface HttpMcpServer {
  url: string;
  sessions: Map<string, TestMcpServer & { transport: StreamableHTTPServerTransport }>;
  requests: { method: string; path: string; headers: IncomingHttpHeaders }[];
  /** Methods of all messages, in the order they came in. */
  methods: string[];
  /** Responses that have not ended. */
  open: Set<unknown>;
  /** Those of them of whose body something was sent. */
  speaking: Set<unknown>;
  /** As if it had been started anew. */
  forget(): void;
  /** Breaks every connection; the server stays. */
  cut(): void;
  close(): Promise<void>;
}

export interface HttpMcpServerOptions {
  /** Answers with JSON in place of event streams. */
  json?: boolean;
  /** Streams can be taken up again. */
  resumable?: boolean;
  /** Of the answer to a session that is not known; 404 unless given. */
  unknownSession?: number;
  /** The requests that are answered with nothing but this. */
  refusal?(headers: IncomingHttpHeaders): { status: number; challenge?: string; location?: string } | undefined;
}

function createEventStore(): EventStore {
  const events: { id: string; stream: string; message: JSONRPCMessage }[] = [];
  return {
    async storeEvent(stream, message) {
      const id = `${events.length}`;
      events.push({ id, stream, message });
      return id;
    },
    async getStreamIdForEventId(id) {
      return events[Number(id)]?.stream;
    },
    async replayEventsAfter(last, { send }) {
      const stream = events[Number(last)]?.stream ?? '';
      for (const event of events.slice(Number(last) + 1)) {
        if (event.stream === stream && 'jsonrpc' in event.message) await send(event.id, event.message);
      }
      return stream;
    },
  };
}

export async function startHttpMcpServer(options: HttpMcpServerOptions = {}): Promise<HttpMcpServer> {
  const sessions: HttpMcpServer['sessions'] = new Map();
  const requests: HttpMcpServer['requests'] = [];
  const methods: string[] = [];
  const open = new Set<unknown>();
  const speaking = new Set<unknown>();

  const newSession = async (): Promise<StreamableHTTPServerTransport> => {
    const made = createTestMcpServer();
    const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      enableJsonResponse: options.json ?? false,
      onsessioninitialized: (id) => void sessions.set(id, { ...made, transport }),
      ...(options.resumable === true && { eventStore: createEventStore(), retryInterval: 10 }),
    });
    // The SDK calls it before its own.
    const onmessage: Transport['onmessage'] = (message) => void ('method' in message && methods.push(message.method));
    Object.assign(transport, { onmessage });
    await made.server.connect(transport);
    return transport;
  };

  const server = createServer((request, response) => {
    requests.push({ method: request.method ?? '', path: request.url ?? '', headers: request.headers });
    open.add(response);
    response.once('close', () => {
      open.delete(response);
      speaking.delete(response);
    });
    response.write = new Proxy(response.write, {
      apply(write, self, parts) {
        speaking.add(response);
        return Reflect.apply(write, self, parts);
      },
    });
    const id = request.headers['mcp-session-id'];
    const known = typeof id === 'string' ? sessions.get(id)?.transport : undefined;
    const refusal = options.refusal?.(request.headers);
    if (refusal !== undefined || (id !== undefined && known === undefined)) {
      response.writeHead(refusal?.status ?? options.unknownSession ?? 404, {
        'content-type': 'application/json',
        ...(refusal?.challenge !== undefined && { 'www-authenticate': refusal.challenge }),
        ...(refusal?.location !== undefined && { location: refusal.location }),
      });
      response.end('{"jsonrpc":"2.0","error":{"code":-32001,"message":"not here"},"id":null}');
      return;
    }
    const handled = known === undefined ? newSession() : Promise.resolve(known);
    handled.then((transport) => transport.handleRequest(request, response)).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${addressOf(server).port}/mcp`,
    sessions,
    requests,
    methods,
    open,
    speaking,
    forget: () => sessions.clear(),
    cut: () => server.closeAllConnections(),
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
