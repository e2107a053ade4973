/** `GET /healthz`: whether the satellite is connected, for the container's health check. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';

interface HealthServer {
  port: number;
  close(): void;
}

/** @throws when the port is taken */
export async function startHealthServer(port: number, isConnected: () => boolean): Promise<HealthServer> {
  const server: Server = createServer((request, response) => {
    const isKnown =
      request.url?.split('?')[0] === '/healthz' && (request.method === 'GET' || request.method === 'HEAD');
    const connected = isConnected();
    response.writeHead(isKnown ? (connected ? 200 : 503) : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isKnown ? { connected } : { detail: 'Only GET /healthz exists.' }));
  });
  server.listen(port);
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
