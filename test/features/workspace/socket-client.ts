/** A client of the workspace's WebSocket. */
import { once } from 'node:events';
import { WebSocket, type ClientOptions } from 'ws';
import { SOCKET_PATH, type LiveMessage } from '../../../src/features/workspace/index.ts';
import { waitUntil } from '../../support/wait-until.ts';

export interface SocketClient {
  socket: WebSocket;
  messages: LiveMessage[];
  /** Resolves when a message of this type, and more that is asked for, has come. */
  until<T extends LiveMessage['type']>(
    type: T,
    matches?: (message: Extract<LiveMessage, { type: T }>) => boolean,
  ): Promise<Extract<LiveMessage, { type: T }>>;
  /** The paths of the commits that have come, in order. */
  paths(): string[];
  /** Resolves with code and reason when it was closed. */
  closed: Promise<{ code: number; reason: string }>;
  close(): Promise<void>;
}

export const socketUrl = (url: string, after?: string): string =>
  `${url.replace('http', 'ws')}${SOCKET_PATH}${after === undefined ? '' : `?after=${after}`}`;

/** Opens a socket; resolves when it has been told everything. @param options.after the last commit it knows */
export async function openSocket(
  url: string,
  key: string,
  { after, ...options }: ClientOptions & { after?: string } = {},
): Promise<SocketClient> {
  const socket = new WebSocket(socketUrl(url, after), { headers: { 'x-api-key': key }, ...options });
  const messages: LiveMessage[] = [];
  socket.on('message', (data: Buffer) => void messages.push(JSON.parse(data.toString())));
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.once('close', (code, reason) => resolve({ code, reason: reason.toString() }));
  });
  await once(socket, 'open');
  const client: SocketClient = {
    socket,
    messages,
    until: (type, matches = () => true) =>
      waitUntil(
        () =>
          messages.find(
            (message): message is Extract<LiveMessage, { type: typeof type }> =>
              // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- its type has just been compared
              message.type === type && matches(message as Extract<LiveMessage, { type: typeof type }>),
          ),
        { what: `a message ${type}` },
      ),
    paths: () =>
      messages.flatMap((message) => (message.type === 'commit' ? message.paths : [])).map(({ path }) => path),
    closed,
    async close() {
      socket.close();
      await closed;
    },
  };
  await client.until('ready');
  return client;
}

/** The answer to a connection that is not upgraded. */
export async function refusedSocket(
  url: string,
  options: ClientOptions & { path?: string },
): Promise<{ status: number; body: { code?: string; detail: unknown } }> {
  const socket = new WebSocket(
    options.path === undefined ? socketUrl(url) : url.replace('http', 'ws') + options.path,
    options,
  );
  const refused = Promise.withResolvers<{ status: number; body: never }>();
  socket.on('unexpected-response', (_request, response) => {
    let text = '';
    response.on('data', (chunk: Buffer) => (text += chunk.toString()));
    response.on('end', () => refused.resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) as never }));
  });
  socket.on('open', () => refused.reject(new Error('The socket was opened.')));
  socket.on('error', () => undefined);
  return refused.promise;
}
