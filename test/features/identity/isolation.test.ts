/** Every team-scoped endpoint of the API, called with another team's key. Temporal is not there: nothing may get so far. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import { endpoints } from '../../../src/app.ts';
import { startApi, type RunningApi } from '../../../src/bin/api.ts';
import { forTeam } from '../../../src/db/team-filter.ts';
import { rooms } from '../../../src/rooms.ts';
import { send, sendJson, testConfig, recordedLog } from '../../http/support/api.ts';
import { assertTeamIsolation, roomFixtures, SECRET } from '../../http/support/team-isolation.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

const ROOT_KEY = 'key-of-the-first-team';

describe('team isolation @never-forgiven', () => {
  let database: TestDatabase;
  let api: RunningApi;
  let home: string;
  let url: string;
  before(async () => {
    database = await createTestDatabase();
    home = await mkdtemp(join(tmpdir(), 'casebook-isolation-'));
    const config = testConfig({
      HOST: '127.0.0.1',
      PORT: '0',
      CASEBOOK_HOME: home,
      DATABASE_URL: database.url,
      TEMPORAL_ADDRESS: '127.0.0.1:1',
      CASEBOOK_BOOTSTRAP_API_KEY: ROOT_KEY,
    });
    api = await startApi(config, recordedLog('silent').log);
    await api.prepared;
    url = `http://127.0.0.1:${api.port}`;
  });
  after(async () => {
    await api.stop();
    await database.drop();
    await rm(home, { recursive: true });
  });

  const newTeam = async (name: string) => {
    const body = { name, admin_email: `${name}@example.org`, admin_name: `admin of ${name}` };
    const { json } = await sendJson(`${url}/api/teams`, body, { headers: { 'x-api-key': ROOT_KEY } });
    const [id, key, keyId]: string[] = [json.team.id, json.api_key.api_key, json.api_key.id];
    assert.ok(id && key && keyId);
    return { id, key, keyId };
  };

  it('holds for every endpoint', async () => {
    const [owner, other] = [await newTeam('owner'), await newTeam('other')];
    const members = await send(`${url}/api/team/members`, { headers: { 'x-api-key': owner.key } });
    const userId: string = members.json.members[0].user_id;
    const em = forTeam(database.orm.em, owner.id);
    const fixtures = await roomFixtures(rooms);
    const created = fixtures.map((create) =>
      create({ em, teamId: owner.id, userId, keyId: owner.keyId, otherTeamId: other.id }),
    );
    await em.flush();

    for (const path of created.flatMap(({ shownAt = [] }) => shownAt)) {
      const { text } = await send(`${url}/api/${path}`, { headers: { 'x-api-key': owner.key } });
      assert.match(text, new RegExp(SECRET), `the owner sees ${path}`);
    }
    const called = await assertTeamIsolation({
      url,
      endpoints,
      otherTeamKey: other.key,
      examples: Object.assign({}, ...created.map(({ examples }) => examples)),
      secrets: [SECRET, ...created.flatMap(({ secrets }) => secrets)],
      except: { investigate: 'makes a thing of the caller itself, and needs Temporal' },
    });
    assert.ok(called.length >= 25, `${called.length} endpoints were called: ${called.join(', ')}`);
    const still = await send(`${url}/api/api-keys`, { headers: { 'x-api-key': owner.key } });
    assert.equal(still.status, 200, 'the owner’s key still works');
  });

  it('is noticed when it is missing', async () => {
    const other = await newTeam('noticed');
    const leaking = { ...endpoints.find(({ operationId }) => operationId === 'getTeam')! };
    const options = { url, endpoints: [leaking], otherTeamKey: other.key, examples: {}, secrets: ['noticed'] };
    await assert.rejects(assertTeamIsolation(options), /getTeam shows another team noticed/);
  });
});

describe('bad input', () => {
  it('is answered with 401 or 422 by every endpoint that needs a key, never with a 500', async () => {
    const database = await createTestDatabase();
    const home = await mkdtemp(join(tmpdir(), 'casebook-input-'));
    const env = { HOST: '127.0.0.1', PORT: '0', CASEBOOK_HOME: home, DATABASE_URL: database.url };
    const config = testConfig({ ...env, TEMPORAL_ADDRESS: '127.0.0.1:1', CASEBOOK_BOOTSTRAP_API_KEY: ROOT_KEY });
    const api = await startApi(config, recordedLog('silent').log);
    await api.prepared;
    try {
      for (const { method, path, auth, body, bodyLimitBytes = 1_048_576, params, operationId } of endpoints) {
        if (auth === 'none') continue;
        const target = `http://127.0.0.1:${api.port}${path.replaceAll(/\{\w+\}/g, 'not-an-id')}`;
        const header: Record<string, string> =
          auth.via[0] === 'bearer' ? { authorization: `Bearer ${ROOT_KEY}` } : { 'x-api-key': ROOT_KEY };
        const json = { 'content-type': 'application/json' };
        const unauthenticated = await send(target, { method: method.toUpperCase() });
        assert.equal(unauthenticated.status, 401, operationId);
        if (params) {
          const wrongId = await send(target, {
            method: method.toUpperCase(),
            headers: { ...header, ...json },
            body: '{}',
          });
          // Sources go by names of people's own: any text may be one.
          const isName = path.includes('{source_id}');
          assert.equal(wrongId.status, isName ? 404 : 422, operationId);
          if (isName) continue;
          assert.ok(wrongId.json.detail.some(({ loc }: { loc: string[] }) => loc[0] === 'path'));
        }
        if (!body) continue;
        for (const [headers, text] of [
          [json, '{"'],
          [json, '[]'],
          [json, '{"query":"\\u0000","name":"\\u0000","text":"\\u0000","email":"\\u0000"}'],
          [{ 'content-type': 'text/xml' }, '<a/>'],
          [json, '{"query":7,"name":7,"text":7}'],
        ] as const) {
          const reply = await send(target, {
            method: method.toUpperCase(),
            headers: { ...header, ...headers },
            body: text,
          });
          assert.equal(reply.status, 422, `${operationId} ${text}: ${reply.text}`);
          assert.ok(Array.isArray(reply.json.detail));
        }
        const large = await send(target, {
          method: method.toUpperCase(),
          headers: { ...header, ...json },
          body: `"${'x'.repeat(bodyLimitBytes + 50_000)}"`,
        });
        assert.equal(large.status, 413, operationId);
      }
    } finally {
      await api.stop();
      await database.drop();
      await rm(home, { recursive: true });
    }
  });
});
