/** A server that keeps what it was sent, and answers as it is told. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { addressOf } from './address.ts';

export interface ReceivedRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string;
}

export interface HttpReceiver {
  /** Without a slash at its end. */
  url: string;
  requests: ReceivedRequest[];
  stop(): Promise<void>;
}

/**
 * @param answer is called when a request is there as a whole
 * @param port any free one unless given
 */
export async function startHttpReceiver(
  answer: (request: ReceivedRequest, response: ServerResponse) => void,
  port = 0,
): Promise<HttpReceiver> {
  const requests: ReceivedRequest[] = [];
  const receive = async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of message) chunks.push(chunk);
    const request = {
      method: message.method ?? '',
      path: message.url ?? '',
      headers: Object.fromEntries(Object.entries(message.headers).map(([name, value]) => [name, String(value)])),
      body: Buffer.concat(chunks).toString('utf8'),
    };
    requests.push(request);
    answer(request, response);
  };
  const server = createServer((message, response) => {
    receive(message, response).catch(() => response.destroy());
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${addressOf(server).port}`,
    requests,
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
