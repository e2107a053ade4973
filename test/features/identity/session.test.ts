import type { Pepper } from '../../../src/platform/secrets.ts';
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { anyTeam } from '../../../src/db/team-filter.ts';
import { Credential } from '../../../src/features/identity/index.ts';
import { send, testConfig, type Reply } from '../../http/support/api.ts';
import { startIdentityApi, type IdentityApi } from './support.ts';

const COOKIE = 'casebook_session';

describe('a session', () => {
  let api: IdentityApi & { pepper: Pepper };
  before(async () => {
    api = await startIdentityApi({ env: { CASEBOOK_APP_URL: 'http://app.example' } });
  });
  after(() => api.stop());

  const signedIn = async (key: string) => {
    const browser = api.browser();
    const reply = await browser.signIn({ api_key: key });
    assert.equal(reply.status, 200, reply.text);
    return { browser, session: reply.json, secret: browser.cookies.get(COOKIE)! };
  };
  const rows = (id: string) => api.database.orm.em.fork().findOneOrFail(Credential, { id }, anyTeam);

  it('is an http-only cookie that represents the key', async () => {
    const team = await api.newTeam();
    const browser = api.browser();
    const reply = await browser.signIn({ api_key: team.key });
    assert.equal(reply.status, 200, reply.text);
    const [cookie = '', ...more] = reply.headers['set-cookie'] ?? [];
    assert.match(cookie, /^casebook_session=cb_session_[\w-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Lax$/);
    assert.deepEqual(more, []);
    assert.equal(reply.headers['cache-control'], 'no-store');
    const { json } = reply;
    assert.equal(json.team.id, team.id);
    assert.equal(json.user.id, team.userId);
    assert.equal(json.role, 'admin');
    assert.deepEqual(json.scopes, ['team:admin']);
    assert.equal(json.api_key_id, team.keyId);
    assert.equal(json.signed_in_with, 'api_key');
    assert.equal(Date.parse(json.expires_at) - api.clock.now().getTime(), 168 * 3_600_000);
    const me = await browser.request('GET', '/api/users/me');
    assert.equal(me.status, 200, me.text);
    assert.equal(me.json.api_key_id, team.keyId, 'what is counted and remembered by key is one with the key');
    const again = await browser.request('GET', '/api/session');
    assert.deepEqual(again.json, json);
    const row = await rows(json.id);
    const secret = browser.cookies.get(COOKIE)!;
    assert.ok(!JSON.stringify(row).includes(secret.slice(12)), 'the secret is not stored');
    assert.ok(!reply.text.includes(secret));
  });

  it('opens every endpoint, those of one header too, and gives way to a key in a header', async () => {
    const [team, other] = [await api.newTeam(), await api.newTeam()];
    const { browser } = await signedIn(team.key);
    const both = await browser.request('GET', '/api/team', undefined, { 'x-api-key': other.key });
    assert.equal(both.json.id, other.id);
    const bearer = await browser.request(
      'PATCH',
      '/api/team',
      { name: 'New' },
      { authorization: `Bearer ${other.key}`, 'x-csrf-token': '' },
    );
    assert.equal(bearer.json.id, other.id, 'a program needs no CSRF token');
    for (const headers of [
      { 'x-api-key': 'wrong' },
      { 'x-api-key': '' },
      { authorization: 'Bearer wrong' },
      { authorization: 'Bearer' },
    ] as Record<string, string>[])
      assert.equal(
        (await browser.request('GET', '/api/team', undefined, headers)).status,
        401,
        JSON.stringify(headers),
      );
    assert.equal((await browser.request('GET', '/api/team')).json.id, team.id, 'and the cookie stays');
    const proxied = await browser.request('GET', '/api/team', undefined, { authorization: 'Basic YTpi' });
    assert.equal(proxied.json.id, team.id, 'a proxy before us may want a password');
  });

  it('has a secret that is no API key, and a key is no session', async () => {
    const team = await api.newTeam();
    const { secret } = await signedIn(team.key);
    assert.equal((await api.call(secret, 'GET', '/api/team')).status, 401);
    assert.equal((await send(`${api.url}/api/team`, { headers: { authorization: `Bearer ${secret}` } })).status, 401);
    const cookie = `${COOKIE}=${team.key}`;
    assert.equal((await send(`${api.url}/api/team`, { headers: { cookie } })).status, 401);
    assert.equal((await api.browser().signIn({ api_key: secret })).status, 401);
  });

  it('does not appear among API keys, nor is it revoked as one', async () => {
    const team = await api.newTeam();
    const { session } = await signedIn(team.key);
    const listed = await api.call(team.key, 'GET', '/api/api-keys');
    assert.deepEqual(
      listed.json.api_keys.map(({ id }: { id: string }) => id),
      [team.keyId],
    );
    assert.equal((await api.call(team.key, 'DELETE', `/api/api-keys/${session.id}`)).status, 404);
  });

  it('does not stand in for the last key that can manage the team', async () => {
    const team = await api.newTeam();
    const { browser } = await signedIn(team.key);
    const refused = await browser.request('DELETE', `/api/api-keys/${team.keyId}`);
    assert.equal(refused.status, 409);
    assert.equal(refused.json.code, 'last_admin_key');
  });

  describe('against forgery', () => {
    it('changes something only with its token', async () => {
      const team = await api.newTeam();
      const { browser } = await signedIn(team.key);
      const { csrf } = browser;
      const rename = (headers: Record<string, string>) =>
        browser.request('PATCH', '/api/team', { name: 'Mine' }, headers);
      const stranger = await signedIn(team.key);
      for (const token of ['', 'wrong', 'x'.repeat(43), csrf!.slice(1), stranger.browser.csrf!]) {
        const refused = await rename({ 'x-csrf-token': token });
        assert.equal(refused.status, 403, token);
        assert.equal(refused.json.code, 'csrf');
      }
      assert.equal((await rename({})).status, 200);
      for (const path of ['/api/session', `/api/api-keys/${team.keyId}`])
        assert.equal((await browser.request('DELETE', path, undefined, { 'x-csrf-token': '' })).json.code, 'csrf');
    });

    it('changes nothing for a page of another origin, token or not', async () => {
      const team = await api.newTeam();
      const { browser } = await signedIn(team.key);
      const host = new URL(api.url).host;
      const rename = (headers: Record<string, string>) =>
        browser.request('PATCH', '/api/team', { name: 'Mine' }, headers);
      for (const headers of [
        { origin: 'https://evil.example' },
        { origin: 'null' },
        { origin: '' },
        { origin: 'http://app.example.evil.example' },
        { origin: 'http://app.example:81' },
        { origin: 'https://app.example' },
        { origin: `http://127.0.0.1:1` },
        { origin: `ftp://${host}` },
        { origin: api.url, 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'cross-site' },
      ] as Record<string, string>[]) {
        const refused = await rename(headers);
        assert.equal(refused.status, 403, JSON.stringify(headers));
        assert.equal(refused.json.code, 'csrf');
      }
      for (const headers of [
        { origin: api.url },
        { origin: 'http://app.example' },
        { origin: api.url, 'sec-fetch-site': 'same-origin' },
      ] as Record<string, string>[])
        assert.equal((await rename(headers)).status, 200, JSON.stringify(headers));
    });

    it('is not made for a page of another origin, nor from a form', async () => {
      const team = await api.newTeam();
      const body = JSON.stringify({ api_key: team.key });
      const json = { 'content-type': 'application/json' };
      const post = (headers: Record<string, string>, text = body) =>
        send(`${api.url}/api/session`, { method: 'POST', headers, body: text });
      for (const headers of [
        { ...json, origin: 'https://evil.example' },
        { ...json, 'sec-fetch-site': 'cross-site' },
      ]) {
        const refused = await post(headers);
        assert.equal(refused.status, 403);
        assert.equal(refused.json.code, 'csrf');
        assert.equal(refused.headers['set-cookie'], undefined);
      }
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
        const refused = await post({ 'content-type': type });
        assert.equal(refused.status, 422, type);
        assert.equal(refused.headers['set-cookie'], undefined);
      }
      assert.equal(
        (await post({ 'content-type': 'application/x-www-form-urlencoded' }, `api_key=${team.key}`)).status,
        422,
      );
      assert.equal((await post({ ...json, origin: api.url })).status, 200);
    });
  });

  it('is cleared from the browser that signs out, and by no late answer to a request that had the old one', async () => {
    const team = await api.newTeam();
    const { browser, session, secret } = await signedIn(team.key);
    const left = await browser.request('DELETE', '/api/session');
    assert.deepEqual(left.json, { signed_out: true });
    assert.match(
      left.headers['set-cookie']?.[0] ?? '',
      /^casebook_session=; Path=\/; Max-Age=0; HttpOnly; SameSite=Lax$/,
    );
    assert.equal(browser.cookies.size, 0);
    assert.ok((await rows(session.id)).expiresAt! <= api.clock.now());
    browser.cookies.set(COOKIE, secret);
    const refused = await browser.request('GET', '/api/team');
    assert.equal(refused.status, 401);
    assert.equal(refused.json.code, 'unauthorized');
    assert.equal(refused.headers['set-cookie'], undefined, 'the browser may have a new session by now');
  });

  for (const [what, cookie] of [
    ['an unknown value', `${COOKIE}=cb_session_nobody`],
    ['10 kB', `${COOKIE}=${'x'.repeat(10_000)}`],
    ['an empty value', `${COOKIE}=`],
  ] as const)
    it(`of ${what} is a 401`, async () => {
      const refused = await send(`${api.url}/api/team`, { headers: { cookie } });
      assert.equal(refused.status, 401);
    });

  it('is refused beside another of the same name, in whichever order', async () => {
    const [mine, theirs] = [await signedIn((await api.newTeam()).key), await signedIn((await api.newTeam()).key)];
    for (const [a, b] of [
      [mine, theirs],
      [theirs, mine],
    ] as const) {
      const cookie = `${COOKIE}=${a.secret}; ${COOKIE}=${b.secret}`;
      const refused = await send(`${api.url}/api/team`, { headers: { cookie } });
      assert.equal(refused.status, 401);
      assert.equal(refused.headers['set-cookie'], undefined, 'to clear our own would leave the planted one');
    }
    const other = `other=1; x${COOKIE}=y; ${COOKIE}=${mine.secret}; =z; ;`;
    assert.equal((await send(`${api.url}/api/team`, { headers: { cookie: other } })).status, 200);
  });

  it('gets a new secret at every sign-in, and ends the one before', async () => {
    const [team, other] = [await api.newTeam(), await api.newTeam()];
    const { browser, secret } = await signedIn(team.key);
    const again = await browser.signIn({ api_key: other.key });
    assert.equal(again.status, 200);
    assert.notEqual(browser.cookies.get(COOKIE), secret);
    assert.equal((await browser.request('GET', '/api/team')).json.id, other.id);
    assert.equal((await send(`${api.url}/api/team`, { headers: { cookie: `${COOKIE}=${secret}` } })).status, 401);
    const planted = api.browser();
    planted.cookies.set(COOKIE, 'cb_session_chosen-by-somebody-else');
    await planted.signIn({ api_key: team.key });
    assert.match(planted.cookies.get(COOKIE) ?? '', /^cb_session_[\w-]{43}$/);
  });

  it('ends by itself, also while it is remembered', async () => {
    const team = await api.newTeam();
    const { browser, session } = await signedIn(team.key);
    api.clock.advance(168 * 3_600_000 - 1_000);
    assert.equal((await browser.request('GET', '/api/team')).status, 200);
    api.clock.advance(999);
    assert.equal((await browser.request('GET', '/api/team')).status, 200);
    api.clock.advance(1);
    assert.equal((await browser.request('GET', '/api/team')).status, 401);
    const { json } = await api.call(team.key, 'GET', '/api/sessions');
    assert.ok(!json.sessions.some(({ id }: { id: string }) => id === session.id));
  });

  describe('hangs on its key', () => {
    it('and ends with it, at once here and within two seconds elsewhere', async () => {
      const elsewhere = await startIdentityApi({ beside: api });
      try {
        const team = await api.newTeam();
        const key = await api.newKey(team.key, ['team:read']);
        const { browser, session, secret } = await signedIn(key.key);
        const there = () => send(`${elsewhere.url}/api/team`, { headers: { cookie: `${COOKIE}=${secret}` } });
        assert.equal((await browser.request('GET', '/api/team')).status, 200);
        assert.equal((await there()).status, 200);
        assert.equal((await api.call(team.key, 'DELETE', `/api/api-keys/${key.id}`)).status, 200);
        assert.equal((await browser.request('GET', '/api/team')).status, 401);
        api.clock.advance(2_000);
        assert.equal((await there()).status, 401);
        assert.ok((await rows(session.id)).revokedAt);
        assert.equal((await api.browser().signIn({ api_key: key.key })).status, 401);
      } finally {
        await elsewhere.stop();
      }
    });

    it('also when the key is revoked in the database', async () => {
      const team = await api.newTeam();
      const { browser } = await signedIn(team.key);
      assert.equal((await browser.request('GET', '/api/team')).status, 200);
      await api.database.orm.em.fork().nativeUpdate(Credential, { id: team.keyId }, { revokedAt: new Date() }, anyTeam);
      api.clock.advance(2_000);
      assert.equal((await browser.request('GET', '/api/team')).status, 401);
      const late = await api.browser().signIn({ api_key: team.key });
      assert.equal(late.status, 401);
    });

    it('and on whoever it acts for: a member who is removed is signed out', async () => {
      const team = await api.newTeam();
      const member = await api.newMember(team.key);
      const key = await api.newKey(team.key, ['team:read'], { user_id: member.id });
      const { browser } = await signedIn(key.key);
      assert.equal((await browser.request('GET', '/api/session')).json.user.id, member.id);
      assert.equal((await api.call(team.key, 'DELETE', `/api/team/members/${member.id}`)).status, 200);
      assert.equal((await browser.request('GET', '/api/session')).status, 401);
    });
  });

  it('has no more scopes than its key', async () => {
    const team = await api.newTeam();
    const { browser, session } = await signedIn((await api.newKey(team.key, ['team:read'])).key);
    assert.deepEqual(session.scopes, ['team:read']);
    const refused = await browser.request('PATCH', '/api/team', { name: 'Mine' });
    assert.equal(refused.status, 403);
    assert.equal(refused.json.code, 'insufficient_scope');
  });

  it('does not exist for a program', async () => {
    for (const method of ['GET', 'DELETE']) {
      const { status, json } = await api.call(api.rootKey, method, '/api/session');
      assert.equal(status, 404);
      assert.equal(json.code, 'no_session');
    }
  });

  it('is made of exactly one thing', async () => {
    for (const body of [{}, { api_key: '' }, { api_key: 7 }, { api_key: 'k', link: 'l' }, { link: 'x'.repeat(513) }]) {
      const { status } = await api.browser().request('POST', '/api/session', body);
      assert.equal(status, 422, JSON.stringify(body));
    }
  });
});

describe('a session over https', () => {
  it('has a cookie that is kept to this host and to TLS, and no other is looked at', async () => {
    const api = await startIdentityApi({ env: { CASEBOOK_APP_URL: 'https://casebook.example' } });
    try {
      const browser = api.browser();
      const reply = await browser.signIn({ api_key: api.rootKey });
      assert.match(
        reply.headers['set-cookie']?.[0] ?? '',
        /^__Host-casebook_session=cb_session_[\w-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Lax; Secure$/,
      );
      assert.equal((await browser.request('GET', '/api/team')).status, 200);
      const plain = `casebook_session=${browser.cookies.get('__Host-casebook_session')}`;
      assert.equal((await send(`${api.url}/api/team`, { headers: { cookie: plain } })).status, 401);
      const rename = (origin: string) => browser.request('PATCH', '/api/team', { name: 'x' }, { origin });
      assert.equal((await rename('https://casebook.example')).status, 200);
      assert.equal((await rename(api.url)).json.code, 'csrf', 'a page without TLS');
    } finally {
      await api.stop();
    }
  });
});

describe('how long a session lasts', () => {
  it('is configured, within bounds: a cookie of no seconds would end at once', async () => {
    for (const hours of ['0', '0.0001', '-1', '8761', 'x'])
      assert.throws(() => testConfig({ CASEBOOK_SESSION_HOURS: hours }), /CASEBOOK_SESSION_HOURS/, hours);
    const api = await startIdentityApi({ env: { CASEBOOK_SESSION_HOURS: '0.5' } });
    try {
      const browser = api.browser();
      const { headers } = await browser.signIn({ api_key: api.rootKey });
      assert.match(headers['set-cookie']?.[0] ?? '', /; Max-Age=1800;/);
      api.clock.advance(1_799_999);
      assert.equal((await browser.request('GET', '/api/team')).status, 200);
      api.clock.advance(1);
      assert.equal((await browser.request('GET', '/api/team')).status, 401);
    } finally {
      await api.stop();
    }
  });
});

describe('the allowance of a session', () => {
  it('is that of its key', async () => {
    const api = await startIdentityApi({ env: { CASEBOOK_RATE_LIMIT: '30' } });
    try {
      const browser = api.browser();
      await browser.signIn({ api_key: api.rootKey });
      const left = ({ headers }: Reply): number => Number(headers['ratelimit-remaining']);
      assert.equal(left(await api.call(api.rootKey, 'GET', '/api/team')), 29);
      assert.equal(left(await browser.request('GET', '/api/team')), 28);
      assert.equal(left(await api.call(api.rootKey, 'GET', '/api/team')), 27);
    } finally {
      await api.stop();
    }
  });
});

describe('signing in while the key is revoked', () => {
  it('leaves no session behind', async () => {
    const api = await startIdentityApi();
    try {
      const team = await api.newTeam();
      for (let round = 0; round < 5; round++) {
        const key = await api.newKey(team.key, ['team:read']);
        const browsers = Array.from({ length: 4 }, () => api.browser());
        const [revoked] = await Promise.all([
          api.call(team.key, 'DELETE', `/api/api-keys/${key.id}`),
          ...browsers.map((browser) => browser.signIn({ api_key: key.key })),
        ]);
        assert.equal(revoked.status, 200);
        const left = await api.call(team.key, 'GET', '/api/sessions');
        assert.deepEqual(
          left.json.sessions.filter(({ api_key_id }: { api_key_id: string }) => api_key_id === key.id),
          [],
        );
      }
    } finally {
      await api.stop();
    }
  });
});

describe('attempts to sign in', () => {
  it('that fail are counted for the address, keys and links alike, and limited', async () => {
    const api = await startIdentityApi({ env: { CASEBOOK_RATE_LIMIT: '100' } });
    try {
      const attempt = (credential: { api_key: string } | { link: string }) => api.browser().signIn(credential);
      for (let i = 0; i < 5; i++) {
        assert.equal((await attempt({ api_key: `guess-${i}` })).status, 401);
        assert.equal((await attempt({ link: `guess-${i}` })).status, 401);
      }
      for (const credential of [{ api_key: 'guess' }, { link: 'guess' }]) {
        const limited = await attempt(credential);
        assert.equal(limited.status, 429);
        assert.ok(limited.headers['retry-after']);
      }
      const cookie = 'casebook_session=cb_session_guess';
      assert.equal((await send(`${api.url}/api/team`, { headers: { cookie } })).status, 429);
    } finally {
      await api.stop();
    }
  });
});
