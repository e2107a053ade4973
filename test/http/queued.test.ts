import assert from 'node:assert/strict';
import { z } from 'zod';
import { waitUntil } from '../support/wait-until.ts';
import { apiKey } from '../../src/http/authenticate.ts';
import { endpoint } from '../../src/http/endpoint.ts';
import { knownKeys, send, startApi, type TestApi } from './support/api.ts';

/** Fewer than there are connections. */
const MAX_AT_ONCE = 12;

describe('a burst of starts', () => {
  let api: TestApi;
  let atOnce = 0;
  let most = 0;
  const released = Promise.withResolvers<void>();
  const start = endpoint({
    method: 'post',
    path: '/start',
    operationId: 'start',
    summary: 'Starts something',
    tags: [],
    auth: apiKey(),
    response: z.object({ started: z.boolean() }),
    handler: (call) =>
      call.queued(async () => {
        most = Math.max(most, ++atOnce);
        if (call.principal.teamId === 'many') await released.promise;
        atOnce -= 1;
        return { started: true };
      }),
  });
  before(async () => {
    const authenticator = knownKeys({ many: { teamId: 'many' }, one: { teamId: 'one' } });
    api = await startApi([start], { authenticator });
  });
  after(() => api.stop());

  const post = async (key: string): Promise<number> =>
    (await send(`${api.url}/start`, { method: 'POST', headers: { 'x-api-key': key } })).status;

  it('waits for a moment, is answered with 200, and lets another team through', async () => {
    const burst = Array.from({ length: 200 }, () => post('many'));
    await waitUntil(async () => atOnce > 0 || undefined, { what: 'the first start' });
    assert.equal(await post('one'), 200);
    released.resolve();
    assert.deepEqual([...new Set(await Promise.all(burst))], [200]);
    assert.ok(most <= MAX_AT_ONCE, `${most} at once`);
  });
});
