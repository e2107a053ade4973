import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { ServerResponse } from 'node:http';
import { join } from 'node:path';
import Koa from 'koa';
import type { RunningApi } from '../../../src/bin/api.ts';
import { CLOSE, createLiveGateway, type CommitChange } from '../../../src/features/workspace/index.ts';
import { announce } from '../../../src/features/workspace/live/events.ts';
import { Feed } from '../../../src/features/workspace/live/feed.ts';
import { createHttpServer } from '../../../src/http/server.ts';
import { startApiOverRows, type ApiOverRows } from '../../support/api-over-rows.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { openSocket, refusedSocket, type SocketClient } from './socket-client.ts';
import { author, commitTo, scratch, team } from './support.ts';

const APP_URL = 'https://casebook.example.org';
const PARTNER = 'https://partner.example.org';

describe('workspace: WebSocket', () => {
  let api: ApiOverRows;
  let other: RunningApi & { url: string };
  const clients: SocketClient[] = [];
  before(async () => {
    api = await startApiOverRows({ CASEBOOK_APP_URL: APP_URL, CASEBOOK_CORS_ORIGINS: PARTNER });
    other = await api.anotherNode();
  });
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.close()));
  });
  after(async () => {
    await other?.stop();
    await api?.stop();
  });

  const open = async (url: string, options: Parameters<typeof openSocket>[2] & { key?: string } = {}) => {
    const { key = api.apiKey, ...rest } = options;
    const client = await openSocket(url, key, rest);
    clients.push(client);
    return client;
  };
  const put = async (path: string, content: string = randomUUID()): Promise<string> => {
    const { status, body } = await api.request('PUT', `/api/workspace/file?path=${path}`, { content });
    assert.equal(status, 200, JSON.stringify(body));
    return body.commit;
  };
  const connections = async (key?: string): Promise<number> =>
    (await api.get('/api/workspace/connections', key)).body.connections;

  it('tells every node’s clients of a commit, in order, with who made it', async () => {
    const [one, two] = [await open(api.url), await open(other.url)];
    const commits = [await put('live/a'), await put('live/b'), await put('live/a')];
    for (const client of [one, two]) {
      await client.until('commit', ({ commit }) => commit === commits[2]);
      assert.deepEqual(client.paths(), ['live/a', 'live/b', 'live/a']);
      const told = client.messages.filter((message) => message.type === 'commit');
      assert.deepEqual(
        told.map(({ commit }) => commit),
        commits,
      );
      assert.deepEqual(told[0]!.paths, [{ path: 'live/a', change: 'added' }]);
      assert.deepEqual([told[0]!.message, told[1]!.parent], ['Write live/a', commits[0]]);
      assert.ok(told[0]!.author && told[0]!.at);
    }
  });

  it('tells of commits that a run or another process makes, and of mirrors that move', async () => {
    const client = await open(other.url);
    const workspace = api.api.deps.workspaces.forTeam(api.teamId);
    const { commit } = await workspace.commit({
      base: await workspace.head(),
      changes: [{ path: 'by-run.md', content: 'x' }],
      message: 'From a chat',
      author,
      date: new Date(),
      key: randomUUID(),
    });
    assert.equal((await client.until('commit', (message) => message.commit === commit)).author, author.name);
    const path = 'repos/acme/shop';
    const objects = join(api.home, 'workspaces', `${api.teamId}.git`, 'objects');
    await workspace.mount({ path, objects, commit });
    assert.deepEqual(await client.until('mirror'), { type: 'mirror', path, commit });
    await workspace.unmount(path);
    await client.until('mirror', (message) => message.commit === null);
  });

  it('tells of a commit whose event was lost with its process', async () => {
    const { events, clock, log } = api.api.deps;
    // Announces nothing.
    const silent = scratch();
    const { id, workspace } = team(silent);
    const feed = new Feed({ workspace, teamId: id, events, clock, log, checkMs: 50 });
    const { promise: told, resolve } = Promise.withResolvers<string>();
    try {
      await feed.join((message) => message.includes('"type":"commit"') && resolve(message));
      const { commit } = await commitTo(workspace, { a: 'x' });
      assert.equal(JSON.parse(await told).commit, commit);
    } finally {
      feed.stop();
      silent.remove();
    }
  });

  it('goes on after the last commit that a client knows', async () => {
    const first = await put('resumed/1');
    const missed = [await put('resumed/2'), await put('resumed/3')];
    const client = await open(other.url, { after: first });
    await client.until('commit', ({ commit }) => commit === missed[1]);
    assert.deepEqual(client.paths(), ['resumed/2', 'resumed/3']);
    const upToDate = await open(other.url, { after: missed[1] });
    assert.deepEqual(upToDate.messages, [{ type: 'ready', commit: missed[1] }]);
    await put('resumed/4');
    for (const each of [client, upToDate]) {
      await each.until('commit', ({ paths }) => paths[0]?.path === 'resumed/4');
      assert.equal(each.paths().at(-1), 'resumed/4');
    }
    assert.equal(client.paths().length, 3);
  });

  it('asks a client to start over when it knows an unknown commit', async () => {
    const head = await put('reset');
    const client = await open(api.url, { after: 'f'.repeat(40) });
    assert.deepEqual(client.messages, [
      { type: 'reset', commit: head },
      { type: 'ready', commit: head },
    ]);
  });

  it('counts the team’s sockets over all nodes', async () => {
    // Those of the tests before are closed, but perhaps not counted out yet.
    await waitUntil(async () => (await connections()) === 0 || undefined, { what: 'no connection' });
    const [one] = [await open(api.url), await open(other.url), await open(other.url)];
    assert.equal(await connections(), 3);
    await one.close();
    await waitUntil(async () => (await connections()) === 2 || undefined, { what: 'two connections' });
    const metrics = await fetch(`${other.url}/metrics`).then((response) => response.text());
    assert.match(metrics, /casebook_workspace_sockets 2/);
    assert.match(metrics, /casebook_workspaces_bytes [1-9]\d+/);
    // A node that died does not delete its rows.
    await api.database.orm.em.fork().execute(
      `insert into workspace_connections (id, team_id, node, sockets, seen_at, created_at, updated_at)
       values (gen_random_uuid(), ?, gen_random_uuid(), 5, now() - interval '31 s', now(), now())`,
      [api.teamId],
    );
    assert.equal(await connections(), 2);
  });

  it('admits the team’s keys and sessions, from our own pages and those that CORS names', async () => {
    const writing = await api.keyWith('workspace:write');
    for (const [headers, status, code] of [
      [{}, 401, 'unauthorized'],
      [{ 'x-api-key': 'wrong' }, 401, 'unauthorized'],
      [{ 'x-api-key': writing }, 403, 'insufficient_scope'],
      [{ 'x-api-key': api.apiKey, origin: 'https://evil.example.org' }, 403, 'csrf'],
      [{ 'x-api-key': api.apiKey, origin: 'null' }, 403, 'csrf'],
    ] as const) {
      const refused = await refusedSocket(api.url, { headers });
      assert.deepEqual([refused.status, refused.body.code], [status, code], JSON.stringify(headers));
    }
    for (const origin of [APP_URL, PARTNER]) await open(api.url, { origin });
    const login = await fetch(`${api.url}/api/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: APP_URL },
      body: JSON.stringify({ api_key: api.apiKey }),
    });
    const cookie = login.headers.get('set-cookie')!.split(';')[0]!;
    await open(api.url, { headers: { cookie }, origin: APP_URL });
    // A session is for our own pages alone.
    for (const origin of [PARTNER, 'https://evil.example.org'])
      assert.equal((await refusedSocket(api.url, { headers: { cookie }, origin })).status, 403);
    const invalid = await refusedSocket(api.url, {
      headers: { 'x-api-key': api.apiKey },
      path: '/api/workspace/ws?after=--help',
    });
    assert.equal(invalid.status, 422);
    const elsewhere = { headers: { 'x-api-key': api.apiKey }, path: '/api/workspace/wsx' };
    assert.equal((await refusedSocket(api.url, elsewhere)).status, 404);
  });

  it('tells a team nothing of another @never-forgiven', async () => {
    const team = { name: 'other', admin_email: 'o@example.org', admin_name: 'O' };
    const key: string = (await api.request('POST', '/api/teams', team)).body.api_key.api_key;
    const theirs = await open(api.url, { key });
    const ours = await open(api.url);
    const commit = await put('private.md');
    await ours.until('commit', (message) => message.commit === commit);
    const { status } = await api.request('PUT', '/api/workspace/file?path=their.md', { content: 'x' }, key);
    assert.equal(status, 200);
    await theirs.until('commit');
    assert.deepEqual(theirs.paths(), ['their.md']);
    assert.equal(await connections(key), 1);
    const curious = await open(api.url, { key, after: commit });
    assert.equal(curious.messages[0]!.type, 'reset');
  });

  it('ends when the key is revoked', async () => {
    const { body } = await api.request('POST', '/api/api-keys', { name: 'short', scopes: ['workspace:read'] });
    const client = await open(api.url, { key: body.api_key });
    await api.request('DELETE', `/api/api-keys/${body.id}`);
    assert.equal((await client.closed).code, CLOSE.unauthorized);
  });

  it('is closed by a node that stops, with the hint to come back, and another node goes on', async () => {
    const third = await api.anotherNode();
    const client = await open(third.url);
    const known = await put('before-the-stop');
    await client.until('commit');
    await third.stop();
    assert.equal((await client.closed).code, CLOSE.restarting);
    assert.equal(await connections(), 0);
    await put('during-the-stop');
    const back = await open(other.url, { after: known });
    await back.until('commit');
    assert.deepEqual(back.paths(), ['during-the-stop']);
  });

  it('drops a client that does not read, and tells the others', async () => {
    const paths = Array.from({ length: 500 }, (_, i) => ({
      path: `${i}${'/long'.repeat(200)}`,
      change: 'added' as const,
    }));
    let [wanted, commits] = [0, 0];
    const large = (): CommitChange[] => {
      const commit = String(++commits).padStart(40, '0');
      return [{ commit, parent: '', author: 'A', at: new Date(), message: '', paths, truncated: false }];
    };
    const workspace = {
      head: async () => '0'.repeat(40),
      mounts: async () => [],
      since: async () => (commits < wanted ? large() : []),
    };
    const { deps } = api.api;
    const koa = new Koa();
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a feed calls nothing else
    const workspaces = { forTeam: () => workspace } as unknown as typeof deps.workspaces;
    const gateway = createLiveGateway({ ...deps, workspaces }, (request) =>
      koa.createContext(request, new ServerResponse(request)),
    );
    const server = await createHttpServer(koa, { host: '127.0.0.1', port: 0, upgrades: gateway });
    try {
      const url = `http://127.0.0.1:${server.port}`;
      const [slow, quick] = [await open(url), await open(url)];
      slow.socket.pause();
      await waitUntil(
        async () => {
          const before = commits;
          wanted++;
          await announce(deps.events, { teamId: api.teamId, commit: randomUUID() }, new Date());
          // Whoever reads must not fall behind on a busy machine.
          await quick.until('commit', ({ commit }) => Number(commit) > before);
          return gateway.count() === 1 || undefined;
        },
        { what: 'the slow client to be dropped' },
      );
      const told = commits;
      await quick.until('commit', ({ commit }) => Number(commit) >= told);
      slow.socket.resume();
      assert.equal((await slow.closed).code, 1006);
    } finally {
      await gateway.stop();
      await server.stop();
    }
  });
});
