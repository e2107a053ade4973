/**
 * A server of server-sent events that does nothing but send: `bare-sse.ts PORT STREAMS PER_SECOND SECONDS`. When so many
 * streams are open it sends each its deltas, made in its own memory, in frames like the API's.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import { deltaText, paced } from './delta-text.ts';

const [port, streams, perSecond, seconds] = process.argv.slice(2).map(Number) as [number, number, number, number];
const open: ServerResponse[] = [];
const id = `${randomUUID().replaceAll('-', '')}.1793000000000`;

const server = createServer((request, response) => {
  if (request.url !== '/stream') {
    response.end();
    return;
  }
  request.socket.setNoDelay(true);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write('retry: 2000\n\n');
  open.push(response);
  if (open.length !== streams) return;
  void paced({ streams, perSecond, seconds }, (stream, sequence) => {
    const chunk = {
      type: 'text-delta',
      id: 'part-1',
      delta: deltaText(sequence, performance.timeOrigin + performance.now()),
    };
    open[stream]!.write(`id: ${id}.${sequence}\ndata: ${JSON.stringify(chunk)}\n\n`);
  });
});
server.listen(port, '127.0.0.1');
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    server.close();
    server.closeAllConnections();
  });
}
