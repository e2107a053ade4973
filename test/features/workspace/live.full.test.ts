import assert from 'node:assert/strict';
import { startCluster, type Cluster } from '../../support/cluster.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { openSocket } from './socket-client.ts';

describe('workspace: WebSocket, when a node is killed', () => {
  let cluster: Cluster;
  before(async () => {
    cluster = await startCluster({ apis: 2, workers: 0 });
  });
  after(() => cluster?.stop());

  it('its clients go on at another, which counts only those that are left', async () => {
    const [killed, left] = cluster.apis.map(({ url }) => url) as [string, string];
    const call = async (url: string, path: string, init: RequestInit = {}) => {
      const headers = { 'x-api-key': cluster.apiKey, 'content-type': 'application/json' };
      const response = await fetch(`${url}/api/workspace/${path}`, { ...init, headers });
      const body = (await response.json()) as { commit: string; connections: number };
      assert.equal(response.status, 200, JSON.stringify(body));
      return body;
    };
    const put = async (url: string, path: string): Promise<string> =>
      (await call(url, `file?path=${path}`, { method: 'PUT', body: '{"content":"x"}' })).commit;
    const connections = async (): Promise<number> => (await call(left, 'connections')).connections;

    const [one, two] = [await openSocket(killed, cluster.apiKey), await openSocket(left, cluster.apiKey)];
    assert.equal(await connections(), 2);
    const known = await put(killed, 'first');
    await Promise.all([one, two].map((client) => client.until('commit', ({ commit }) => commit === known)));

    await cluster.apis[0]!.kill();
    assert.equal((await one.closed).code, 1006);
    await put(left, 'second');
    const back = await openSocket(left, cluster.apiKey, { after: known });
    await back.until('commit');
    assert.deepEqual(back.paths(), ['second']);
    await waitUntil(async () => (await connections()) === 2 || undefined, { what: 'the dead node to be dropped' });
    await put(left, 'third');
    for (const client of [two, back]) {
      await client.until('commit', ({ paths }) => paths[0]?.path === 'third');
      assert.deepEqual(client.paths().slice(-2), ['second', 'third']);
    }
    await Promise.all([two, back].map((client) => client.close()));
  });
});
