import assert from 'node:assert/strict';
import { Agent } from 'node:http';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { describe, it } from 'mocha';
import { z } from 'zod';
import { endpoint } from '../../src/http/endpoint.ts';
import { createHttpServer } from '../../src/http/server.ts';
import { send, startApi } from './support/api.ts';

const blocked = () => {
  const entered = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const slow = endpoint({
    method: 'get',
    path: '/slow',
    operationId: 'slow',
    summary: 'Waits',
    tags: [],
    auth: 'none',
    response: z.object({ done: z.boolean() }),
    handler: async () => {
      entered.resolve();
      await release.promise;
      return { done: true };
    },
  });
  return { slow, entered: entered.promise, release: release.resolve };
};

describe('stopping the server', () => {
  it('lets requests in flight finish and accepts no new ones', async () => {
    const { slow, entered, release } = blocked();
    const api = await startApi([slow]);
    const reply = send(`${api.url}/slow`);
    await entered;
    const stopped = api.stop();
    await assert.rejects(send(`${api.url}/slow`), { code: 'ECONNREFUSED' });
    release();
    assert.deepEqual((await reply).json, { done: true });
    await stopped;
  });

  it('is not held up by idle keep-alive connections', async () => {
    const { slow, release } = blocked();
    const api = await startApi([slow]);
    release();
    const agent = new Agent({ keepAlive: true });
    const asked = request(`${api.url}/slow`, { agent });
    asked.end();
    const [response] = await once(asked, 'response');
    response.resume();
    await once(response, 'end');
    await api.stop();
    agent.destroy();
  });

  it('cuts off what is left at the deadline', async () => {
    const { slow, entered, release } = blocked();
    const api = await startApi([slow]);
    const reply = send(`${api.url}/slow`);
    reply.catch(() => undefined);
    await entered;
    await api.stop(50);
    await assert.rejects(reply, { code: 'ECONNRESET' });
    release();
  });

  it('says what is wrong when the port is taken', async () => {
    const api = await startApi([]);
    await assert.rejects(createHttpServer(api.app, { host: '127.0.0.1', port: api.port }), { code: 'EADDRINUSE' });
    await api.stop();
  });
});

describe('a client that leaves', () => {
  it('aborts the signal of its request', async () => {
    const aborted = Promise.withResolvers<void>();
    const entered = Promise.withResolvers<void>();
    const api = await startApi([
      endpoint({
        method: 'get',
        path: '/wait',
        operationId: 'wait',
        summary: 'Waits for the client to leave',
        tags: [],
        auth: 'none',
        response: z.object({}),
        handler: async ({ signal }) => {
          signal.addEventListener('abort', () => aborted.resolve(), { once: true });
          entered.resolve();
          await aborted.promise;
          return {};
        },
      }),
    ]);
    const socket = connect(api.port, '127.0.0.1');
    socket.write('GET /wait HTTP/1.1\r\nHost: x\r\n\r\n');
    await entered.promise;
    socket.destroy();
    await aborted.promise;
    await api.stop();
    assert.deepEqual(
      api.lines.filter(({ level }) => level >= 50),
      [],
    );
  });

  it('in the middle of its body leaves nothing behind', async () => {
    const gone = Promise.withResolvers<void>();
    const api = await startApi([
      endpoint({
        method: 'post',
        path: '/body',
        operationId: 'body',
        summary: 'A body',
        tags: [],
        auth: 'none',
        body: z.object({}),
        response: z.object({}),
        handler: async () => ({}),
      }),
    ]);
    const socket = connect(api.port, '127.0.0.1');
    api.server.once('request', (req) => req.once('close', () => gone.resolve()));
    socket.write(
      'POST /body HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"a":',
    );
    await once(api.server, 'request');
    socket.destroy();
    await gone.promise;
    await api.stop();
    assert.deepEqual(
      api.lines.filter(({ level }) => level >= 40),
      [],
    );
  });
});
