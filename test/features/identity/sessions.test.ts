import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { after, before, describe, it } from 'mocha';
import { anyTeam } from '../../../src/db/team-filter.ts';
import { Credential } from '../../../src/features/identity/index.ts';
import { apiKey } from '../../../src/http/authenticate.ts';
import { endpoint } from '../../../src/http/endpoint.ts';
import { sseResponse } from '../../../src/http/streams/sse.ts';
import { startIdentityApi, type Browser, type IdentityApi } from './support.ts';

/** A stream of events that says something once and then stays open. */
const events = endpoint({
  method: 'get',
  path: '/test-events',
  operationId: 'testEvents',
  summary: 'events',
  tags: [],
  auth: apiKey('team:read'),
  content: { 'text/event-stream': 'events' },
  handler: async ({ ctx }) =>
    sseResponse(ctx, {
      checkCallerMs: 20,
      stream: async function* (signal) {
        yield { data: 'hello' };
        await once(signal, 'abort');
      },
    }),
});

// oxlint-disable-next-line typescript/no-explicit-any -- as it came
type Session = Record<string, any> & { id: string; current: boolean };

describe('the list of sessions', () => {
  let api: IdentityApi;
  before(async () => {
    api = await startIdentityApi({ endpoints: [events] });
  });
  after(() => api.stop());

  const signedIn = async (key: string, userAgent?: string): Promise<{ browser: Browser; id: string }> => {
    const browser = api.browser();
    const agent: Record<string, string> = userAgent === undefined ? {} : { 'user-agent': userAgent };
    const { status, json, text } = await browser.request('POST', '/api/session', { api_key: key }, agent);
    assert.equal(status, 200, text);
    browser.csrf = json.csrf_token;
    return { browser, id: json.id };
  };
  const listed = async (browser: Browser): Promise<Session[]> => {
    const { status, json, text } = await browser.request('GET', '/api/sessions');
    assert.equal(status, 200, text);
    return json.sessions;
  };
  const idsOf = (sessions: Session[]): string[] => sessions.map(({ id }) => id).toSorted();

  it('shows an admin those of the team, with person, method and browser', async () => {
    const [team, other] = [await api.newTeam(), await api.newTeam()];
    const admin = await signedIn(team.key, `Firefox\u00ff ${'x'.repeat(300)}`);
    const member = await api.newMember(team.key);
    const key = await api.newKey(team.key, ['team:read'], { user_id: member.id });
    const theirs = await signedIn(key.key);
    await signedIn(other.key);
    const sessions = await listed(admin.browser);
    assert.deepEqual(idsOf(sessions), [admin.id, theirs.id].toSorted());
    const [mine] = sessions.filter(({ current }) => current);
    assert.equal(mine?.id, admin.id);
    assert.equal(mine['browser'], `Firefox ${'x'.repeat(192)}`);
    const shown = sessions.find(({ id }) => id === theirs.id)!;
    assert.deepEqual([shown['browser'], shown['signed_in_with'], shown['api_key_id']], ['Unknown', 'api_key', key.id]);
    assert.equal(shown['user'].id, member.id);
    assert.equal((await api.call(team.key, 'GET', '/api/sessions')).json.sessions.length, 2, 'programs see it too');
  });

  it('shows everybody else their own', async () => {
    const team = await api.newTeam();
    const member = await api.newMember(team.key);
    const [one, two] = [
      await api.newKey(team.key, ['team:read'], { user_id: member.id }),
      await api.newKey(team.key, ['team:read'], { user_id: member.id }),
    ];
    const program = await api.newKey(team.key, ['team:read']);
    await signedIn(team.key);
    const [first, second] = [await signedIn(one.key), await signedIn(two.key)];
    const [third, fourth] = [await signedIn(program.key), await signedIn(program.key)];
    assert.deepEqual(idsOf(await listed(first.browser)), [first.id, second.id].toSorted(), 'of the same user');
    assert.deepEqual(idsOf(await listed(third.browser)), [third.id, fourth.id].toSorted(), 'of the same key');
  });

  it('is bounded for each key: the oldest end, those that are over before the others', async () => {
    const team = await api.newTeam();
    const key = await api.newKey(team.key, ['team:read']);
    const [oldest, second, elsewhere] = [await signedIn(key.key), await signedIn(key.key), await signedIn(team.key)];
    const em = api.database.orm.em.fork();
    const count = async (): Promise<number> =>
      em.count(Credential, { kind: 'session', createdByCredentialId: key.id }, { ...anyTeam });
    const addSessions = (how: string, revokedAt: Date | null, many: number) =>
      em.execute(
        `insert into credentials (id, created_at, updated_at, team_id, kind, name, prefix, hash, scopes, created_by_credential_id,
           signed_in_with, expires_at, revoked_at)
         select gen_random_uuid(), now(), now(), ?, 'session', '', '', ? || n, '{}', ?, 'api_key', ?::timestamptz, ?::timestamptz
         from generate_series(1, ?) as n`,
        [team.id, how, key.id, new Date(api.clock.now().getTime() + 60_000), revokedAt, many],
      );
    const isIn = async ({ browser }: { browser: Browser }): Promise<boolean> => {
      api.clock.advance(2_000);
      return (await browser.request('GET', '/api/team')).status === 200;
    };
    await addSessions(`over ${key.id}`, new Date(), 600);
    const third = await signedIn(key.key);
    assert.equal(await count(), 500);
    assert.ok((await isIn(oldest)) && (await isIn(second)) && (await isIn(third)));
    await addSessions(`open ${key.id}`, null, 497);
    await signedIn(key.key);
    assert.equal(await count(), 500);
    assert.equal(await isIn(oldest), false);
    assert.ok((await isIn(second)) && (await isIn(elsewhere)));
  });

  it('ends one: at once, also its streams and its unused links', async () => {
    const team = await api.newTeam();
    const [admin, lost] = [await signedIn(team.key), await signedIn(team.key)];
    const link = await lost.browser.request('POST', '/api/sign-in-links', {});
    const stream = get(`${api.url}/test-events`, { headers: { cookie: lost.browser.cookie }, agent: false });
    const [response]: IncomingMessage[] = await once(stream, 'response');
    assert.equal(response?.statusCode, 200);
    await once(response.resume(), 'data');
    const ended = once(response, 'end');
    const revoked = await admin.browser.request('DELETE', `/api/sessions/${lost.id}`);
    assert.deepEqual(revoked.json, { id: lost.id, revoked: true });
    assert.equal((await lost.browser.request('GET', '/api/team')).status, 401);
    await ended;
    assert.equal((await api.browser().signIn({ link: link.json.token })).status, 401);
    assert.deepEqual(idsOf(await listed(admin.browser)), [admin.id]);
    assert.equal((await admin.browser.request('DELETE', `/api/sessions/${lost.id}`)).status, 200, 'twice');
  });

  it('ends only what the caller may see, and not what may do more', async () => {
    const team = await api.newTeam();
    const admin = await signedIn(team.key);
    const member = await api.newMember(team.key);
    const key = await api.newKey(team.key, ['team:read'], { user_id: member.id });
    const { browser, id } = await signedIn(key.key);
    for (const unseen of [admin.id, team.keyId, key.id, randomUUID()])
      assert.equal((await browser.request('DELETE', `/api/sessions/${unseen}`)).status, 404);
    const more = await api.newKey(team.key, ['team:read', 'chats:read'], { user_id: member.id });
    const refused = await browser.request('DELETE', `/api/sessions/${(await signedIn(more.key)).id}`);
    assert.equal(refused.status, 403);
    assert.equal(refused.json.code, 'insufficient_scope');
    assert.equal((await browser.request('DELETE', `/api/sessions/${id}`)).status, 200, 'its own');
    assert.equal((await browser.request('GET', '/api/session')).status, 401);
  });
});

describe('what is logged of signing in', () => {
  it('says who, and holds no secret', async () => {
    const api = await startIdentityApi();
    try {
      const browser = api.browser();
      const secrets = [api.rootKey];
      await browser.signIn({ api_key: api.rootKey });
      secrets.push(browser.cookies.get('casebook_session')!, browser.csrf!);
      const { json } = await browser.request('POST', '/api/sign-in-links', {});
      secrets.push(json.token);
      await browser.signIn({ link: json.token });
      secrets.push(browser.cookies.get('casebook_session')!, browser.csrf!);
      await browser.signIn({ link: json.token });
      await browser.request('POST', '/api/session', { api_key: 7, link: json.token });
      await browser.request('DELETE', '/api/session');
      assert.equal(new Set(secrets).size, 6);
      assert.equal(api.lines.filter(({ msg }) => msg === 'signed in').length, 2);
      const logged = JSON.stringify(api.lines);
      for (const secret of secrets) assert.ok(!logged.includes(secret), secret);
    } finally {
      await api.stop();
    }
  });
});
