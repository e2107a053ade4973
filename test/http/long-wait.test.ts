import assert from 'node:assert/strict';
import { request } from 'node:http';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, it } from 'mocha';
import { ContentResponse } from '../../src/http/respond.ts';
import { endpoint } from '../../src/http/endpoint.ts';
import { waitingSignal } from '../../src/http/streams/open-streams.ts';
import { startApi } from './support/api.ts';

const IDLE_MS = 2_000;

describe('a request that waits', () => {
  it('outlives the limit on silent connections, which applies again afterwards', async () => {
    const limits: (number | undefined)[] = [];
    const begun = Promise.withResolvers<void>();
    const silentClosed = Promise.withResolvers<void>();
    const wait = endpoint({
      method: 'get',
      path: '/wait',
      operationId: 'wait',
      summary: 'Waits',
      tags: [],
      auth: 'none',
      content: { 'text/event-stream': 'Nothing.', 'text/plain': 'The end.' },
      handler: async ({ ctx }) => {
        const { socket } = ctx.req;
        const { signal, release } = waitingSignal(ctx);
        limits.push(socket.timeout);
        begun.resolve();
        // Longer than a silent connection lives, or as long as its own does.
        await Promise.race([silentClosed.promise, once(signal, 'abort')]);
        release();
        limits.push(socket.timeout);
        return new ContentResponse('text/plain', 'Done.');
      },
    });
    const api = await startApi([wait], { server: { idleTimeoutMs: IDLE_MS } });
    try {
      const asked = request(`${api.url}/wait`, { agent: false });
      asked.end();
      await begun.promise;
      const silent = connect(api.port, '127.0.0.1');
      await once(silent, 'close');
      silentClosed.resolve();
      const [response] = await once(asked, 'response');
      response.resume();
      assert.equal(response.statusCode, 200);
      assert.deepEqual(limits, [0, IDLE_MS]);
    } finally {
      await api.stop();
    }
  });
});
