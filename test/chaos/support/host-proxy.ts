/** A proxy in front of a code host, at which a test stops a request before it arrives, or after, before the answer. */
import { once } from 'node:events';
import { createServer, request as send, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface Stop {
  /** Whether this is the request. */
  at: (method: string, path: string) => boolean;
  when: 'before' | 'after';
  /** What happens then, once. The request gets no answer. */
  act: () => Promise<void>;
}

export interface HostProxy {
  url: string;
  stopAt(stop: Stop): Promise<void>;
  stop(): Promise<void>;
}

/** @param target the host's address, which answers name: they are made to name the proxy */
export async function startHostProxy(target: string): Promise<HostProxy> {
  const stops: (Stop & { resolve: () => void; reject: (error: unknown) => void })[] = [];
  let url = '';
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = 'GET', url: path = '/' } = request;
    const index = stops.findIndex((one) => one.at(method, path));
    const stop = index < 0 ? undefined : stops.splice(index, 1)[0];
    const cut = async (): Promise<void> => {
      await stop!.act().then(stop!.resolve, stop!.reject);
      response.destroy();
    };
    const body = await buffer(request);
    if (stop?.when === 'before') return cut();
    const { 'accept-encoding': _encoding, connection: _connection, ...headers } = request.headers;
    const upstream = send(new URL(path, target), { method, headers, agent: false });
    upstream.end(body);
    const [answered]: [IncomingMessage] = (await once(upstream, 'response')) as [IncomingMessage];
    const content = await buffer(answered);
    if (stop) return cut();
    const isJson = answered.headers['content-type']?.includes('json') === true;
    const sent = isJson ? Buffer.from(content.toString().replaceAll(target, url)) : content;
    const { 'content-length': _length, 'transfer-encoding': _transfer, ...rest } = answered.headers;
    response.writeHead(answered.statusCode ?? 502, { ...rest, 'content-length': sent.length });
    response.end(method === 'HEAD' ? undefined : sent);
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    stopAt: (stop) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      stops.push({ ...stop, resolve, reject });
      return promise;
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
