import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTcpServer, type Server as TcpServer, type Socket } from 'node:net';
import { freePort } from '../../../src/embedded/free-port.ts';
import { createOutbound, OutboundError, type OutboundFailure } from '../../../src/platform/outbound/index.ts';
import { addressOf } from '../../support/address.ts';

const failing = (failure: OutboundFailure) => (error: unknown) => {
  assert.ok(error instanceof OutboundError, String(error));
  assert.equal(error.failure, failure, error.message);
  return true;
};

describe('outbound: what a request may cost', () => {
  let server: Server | TcpServer | undefined;
  const sockets = new Set<Socket>();
  const url = (path = '/'): string => `http://127.0.0.1:${server ? addressOf(server).port : 0}${path}`;
  const start = async (made: Server | TcpServer): Promise<void> => {
    server = made;
    made.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => undefined)));
    made.listen(0, '127.0.0.1');
    await once(made, 'listening');
  };
  const serve = (listener: RequestListener): Promise<void> => start(createHttpServer(listener));

  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
    server?.close();
    if (server) await once(server, 'close');
    server = undefined;
  });

  it('gives status, headers and body of an answer', async () => {
    await serve((request, response) => {
      request
        .setEncoding('utf8')
        .toArray()
        .then((chunks) => {
          response.writeHead(201, { 'x-method': request.method ?? '', 'set-cookie': ['a=1', 'b=2'] });
          response.end(`${chunks.join('')}, ${request.headers['content-type']}, ${request.headers['content-length']}`);
        }, assert.ifError);
    });
    const outbound = createOutbound({ allow: ['127.0.0.1'] });
    const headers = { 'Content-Type': 'text/plain' };
    const response = await outbound.fetch(url('/a?b'), { method: 'POST', headers, body: 'grüße' });
    assert.equal(response.status, 201);
    assert.equal(response.headers.get('x-method'), 'POST');
    assert.deepEqual(response.headers.getSetCookie(), ['a=1', 'b=2']);
    assert.equal(await response.text(), 'grüße, text/plain, 7');
  });

  it('takes an answer without a body', async () => {
    await serve((_request, response) => void response.writeHead(204).end());
    const response = await createOutbound({ allow: ['127.0.0.1'] }).fetch(url());
    assert.equal(response.status, 204);
    assert.equal(await response.text(), '');
  });

  it('stops reading an answer of a gigabyte, and hangs up', async () => {
    const chunk = Buffer.alloc(65_536);
    let sent = 0;
    const hungUp = Promise.withResolvers<void>();
    await serve((_request, response) => {
      response.on('close', () => hungUp.resolve());
      const write = (): void => {
        while (sent < 1_073_741_824 && !response.destroyed) {
          sent += chunk.length;
          if (!response.write(chunk)) return void response.once('drain', write);
        }
      };
      write();
    });
    const outbound = createOutbound({ allow: ['127.0.0.1'], maxResponseBytes: 100_000 });
    await assert.rejects(outbound.fetch(url()), failing('too_large'));
    await hungUp.promise;
    // What kernel buffers hold was sent, and no more.
    assert.ok(sent < 64 * 1_048_576, `${sent} bytes were sent`);
  });

  it('does not wait for an unwanted body', async () => {
    const hungUp = Promise.withResolvers<void>();
    await serve((_request, response) => {
      response.on('close', () => hungUp.resolve());
      response.writeHead(200).write('so far');
    });
    const response = await createOutbound({ allow: ['127.0.0.1'] }).fetch(url(), { discardBody: true });
    assert.equal(response.status, 200);
    assert.equal(await response.text(), '');
    await hungUp.promise;
  });

  const slow: Record<string, (socket: Socket) => void> = {
    'never answers': () => undefined,
    'sends its headers byte by byte': (socket) => drip(socket, `HTTP/1.1 200 OK\r\nx-long: ${'a'.repeat(10_000)}`),
    'sends its body byte by byte': (socket) => drip(socket, `HTTP/1.1 200 OK\r\n\r\n${'a'.repeat(10_000)}`, 19),
  };
  for (const [name, behave] of Object.entries(slow)) {
    it(`gives a receiver up that ${name}`, async () => {
      await start(createTcpServer((socket) => socket.once('data', () => behave(socket))));
      const outbound = createOutbound({ allow: ['127.0.0.1'], timeoutMs: 300 });
      await assert.rejects(outbound.fetch(url()), failing('timeout'));
    });
  }

  it('gives a name up that is not resolved in time', async () => {
    const resolve = () => new Promise<never>(() => undefined);
    const outbound = createOutbound({ allow: [], resolve, timeoutMs: 100 });
    await assert.rejects(outbound.fetch('https://receiver.test/'), failing('timeout'));
  });

  it('stops when its caller does, with the reason of that', async () => {
    const asked = Promise.withResolvers<void>();
    await serve(() => asked.resolve());
    const stopping = new AbortController();
    const going = createOutbound({ allow: ['127.0.0.1'] }).fetch(url(), { signal: stopping.signal });
    const reason = new Error('the worker stops');
    const stopped = assert.rejects(going, (error) => error === reason);
    await asked.promise;
    stopping.abort(reason);
    await stopped;
    await assert.rejects(
      createOutbound({ allow: ['127.0.0.1'] }).fetch(url(), { signal: stopping.signal }),
      (error) => error === reason,
    );
  });

  it('says which receiver could not be reached, and not by which path', async () => {
    const port = await freePort();
    const outbound = createOutbound({ allow: ['127.0.0.1'] });
    await assert.rejects(outbound.fetch(`http://127.0.0.1:${port}/secret?key=secret`), (error: unknown) => {
      assert.ok(failing('unreachable')(error) && error instanceof Error);
      assert.equal(error.message, `127.0.0.1:${port} could not be reached (ECONNREFUSED).`);
      assert.equal(error.cause, undefined);
      return true;
    });
    const missing = createOutbound({
      allow: [],
      resolve: () => Promise.reject(Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' })),
    });
    await assert.rejects(missing.fetch('https://receiver.test/'), failing('unreachable'));
    await assert.rejects(
      createOutbound({ allow: [], resolve: async () => [] }).fetch('https://receiver.test/'),
      failing('unreachable'),
    );
  });

  for (const [name, text] of Object.entries({
    'closes without an answer': '',
    'speaks another protocol': '220 mail.example.com ESMTP\r\n',
    'gives a status that is none': 'HTTP/1.1 999 What\r\ncontent-length: 0\r\n\r\n',
    'changes the protocol': 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
  })) {
    it(`survives a receiver that ${name}`, async () => {
      await start(createTcpServer((socket) => socket.once('data', () => socket.end(text))));
      await assert.rejects(createOutbound({ allow: ['127.0.0.1'] }).fetch(url()), failing('unreachable'));
    });
  }
});

/** A byte now and then, for ever. @param atOnce so many first characters */
function drip(socket: Socket, text: string, atOnce = 0): void {
  socket.write(text.slice(0, atOnce));
  let sent = atOnce;
  const timer = setInterval(() => socket.write(text[sent++] ?? 'a'), 20);
  socket.on('close', () => clearInterval(timer));
}
