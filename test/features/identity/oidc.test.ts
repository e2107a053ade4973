import assert from 'node:assert/strict';
import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import { loadConfig } from '../../../src/rooms.ts';
import { createIdentityProvider } from '../../../src/features/identity/index.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { startTestProvider, type TestProvider } from './identity-provider.ts';
import { startIdentityApi, type Browser, type IdentityApi, ROLE_SCOPES } from './support.ts';

const SESSION = 'casebook_session';
const FLOW = 'casebook_sign_in';
const START = '/api/sign-in/oidc';

describe('sign-in through an identity provider', () => {
  let api: IdentityApi;
  let provider: TestProvider;
  before(async () => {
    api = await startIdentityApi({ signIn: (url) => ({ appUrl: url }) });
  });
  after(() => api.stop());
  const use = async (options: Partial<Parameters<typeof startTestProvider>[0]> = {}): Promise<void> => {
    provider = await startTestProvider({ redirectUri: `${api.url}${START}/callback`, ...options });
    const { issuer, clientId, clientSecret } = provider;
    const oidc = { issuer, clientId, clientSecret, name: 'Example ID' };
    api.signIn.provider = createIdentityProvider({ oidc, appUrl: api.url, clock: systemClock });
  };
  beforeEach(() => use());
  afterEach(() => provider.stop());

  const locationOf = async (browser: Browser, url: string): Promise<string> => {
    const { status, headers, text } = await browser.request('GET', url);
    assert.ok(status === 302 || status === 303, `${status}: ${text}`);
    return new URL(headers.location ?? '', new URL(url, api.url)).href;
  };
  const isCallback = (url: string): boolean => url.startsWith(`${api.url}${START}/callback?`);
  /** Goes where it is sent, until it would come back. @returns the address it would come back to */
  const atProvider = async (browser: Browser, url: string): Promise<string> => {
    let next = url;
    for (let hops = 0; hops < 10 && !isCallback(next); hops++) next = await locationOf(browser, next);
    assert.ok(isCallback(next), next);
    return next;
  };
  const begin = (browser: Browser, to = '/'): Promise<string> =>
    locationOf(browser, `${api.url}${START}?to=${encodeURIComponent(to)}`);
  const dance = async (browser: Browser, to = '/'): Promise<string> =>
    locationOf(browser, await atProvider(browser, await begin(browser, to)));
  const failure = (code: string): string => `${api.url}/sign-in?error=${code}`;
  const member = async (role = 'member') => {
    const team = await api.newTeam();
    const { id, email } = await api.newMember(team.key, role);
    provider.account = { email, email_verified: true };
    return { team, id, email };
  };
  const assertRefused = async (browser: Browser, callback: string, code = 'sign_in_failed'): Promise<void> => {
    assert.equal(await locationOf(browser, callback), failure(code));
    assert.equal(browser.cookies.has(SESSION), false);
    assert.equal(browser.cookies.has(FLOW), false);
  };

  for (const [how, options] of Object.entries({
    'who tells the address when asked': {},
    'who puts the address into the ID token': { isClaimsInToken: true },
    'who takes the secret in the body': { authentication: 'client_secret_post' as const },
  }))
    it(`makes a session of the user whom the provider knows, ${how}`, async () => {
      await provider.stop();
      await use(options);
      const { team, id, email } = await member();
      provider.account = { email: email.toUpperCase(), email_verified: true };
      const browser = api.browser();
      assert.equal((await browser.request('GET', '/api/sign-in')).json.methods.oidc.name, 'Example ID');
      assert.equal(await dance(browser, '/investigation/1?tab=graph#x'), `${api.url}/investigation/1?tab=graph#x`);
      assert.equal(browser.cookies.has(FLOW), false);
      const { status, json } = await browser.request('GET', '/api/session');
      assert.equal(status, 200);
      assert.deepEqual([json.user.id, json.role, json.team.id], [id, 'member', team.id]);
      assert.deepEqual([json.signed_in_with, json.api_key_id], ['oidc', null]);
      assert.deepEqual(json.scopes, ROLE_SCOPES.member);
      assert.equal((await browser.request('GET', '/api/users/me')).json.api_key_id, json.id);
      assert.equal(provider.requests.includes('/me'), !('isClaimsInToken' in options));
    });

  describe('whose ID token', () => {
    const refused = async (tamper: TestProvider['tamper']): Promise<void> => {
      await provider.stop();
      await use({ isClaimsInToken: true });
      await member();
      provider.tamper = tamper;
      const browser = api.browser();
      await assertRefused(browser, await atProvider(browser, await begin(browser)));
      provider.tamper = undefined;
      await dance(browser);
      assert.equal((await browser.request('GET', '/api/session')).status, 200);
    };
    const withPart = (token: string, index: number, part: string): string =>
      token.split('.').with(index, part).join('.');

    it('was tampered with signs nobody in', async () => {
      const { email } = await member('admin');
      await refused((answer) => {
        const claims = JSON.parse(Buffer.from(answer.id_token.split('.')[1]!, 'base64url').toString());
        const changed = Buffer.from(JSON.stringify({ ...claims, email })).toString('base64url');
        return { ...answer, id_token: withPart(answer.id_token, 1, changed) };
      });
    });

    it('is signed with another key signs nobody in', async () => {
      const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
      await refused((answer) => {
        const signed = answer.id_token.split('.').slice(0, 2).join('.');
        const signature = sign('sha256', Buffer.from(signed), privateKey).toString('base64url');
        return { ...answer, id_token: withPart(answer.id_token, 2, signature) };
      });
    });
  });

  it('asks with PKCE, state and nonce, and keeps them where a script cannot look', async () => {
    const browser = api.browser();
    const { headers } = await browser.request('GET', START);
    const asked = new URL(headers.location ?? '').searchParams;
    assert.equal(asked.get('response_type'), 'code');
    assert.equal(asked.get('code_challenge_method'), 'S256');
    assert.equal(asked.get('scope'), 'openid email profile');
    assert.equal(asked.get('redirect_uri'), `${api.url}${START}/callback`);
    for (const name of ['state', 'nonce', 'code_challenge']) assert.ok((asked.get(name) ?? '').length >= 43, name);
    const [cookie = ''] = headers['set-cookie'] ?? [];
    assert.match(cookie, /^casebook_sign_in=v1\.\w+\.[\w-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/);
    for (const name of ['state', 'nonce']) assert.ok(!cookie.includes(asked.get(name)!));
  });

  it('gives an admin what admins may, in the first of several teams', async () => {
    const { team, email } = await member('admin');
    const second = await api.newTeam();
    await api.call(second.key, 'POST', '/api/team/members', { email, name: 'Bo', role: 'member' });
    const browser = api.browser();
    await dance(browser);
    const { json } = await browser.request('GET', '/api/session');
    assert.deepEqual([json.team.id, json.scopes], [team.id, ['team:admin']]);
    assert.deepEqual(
      json.other_teams.map(({ id }: { id: string }) => id),
      [second.id],
    );
  });

  describe('and is in several teams', () => {
    const inTwoTeams = async () => {
      const { team: first, id, email } = await member('admin');
      const second = await api.newTeam();
      const added = await api.call(second.key, 'POST', '/api/team/members', { email, name: 'Bo', role: 'member' });
      assert.equal(added.status, 200);
      const browser = api.browser();
      await dance(browser);
      const { json } = await browser.request('GET', '/api/session');
      browser.csrf = json.csrf_token;
      return { first, second, userId: id, email, browser, session: json };
    };
    const goOn = (browser: Browser, team_id: string) => browser.request('POST', '/api/session/team', { team_id });

    it('switches to the other, in their role there, until the session would have ended, and ends the first one', async () => {
      const { first, second, browser, session } = await inTwoTeams();
      const before = browser.cookies.get(SESSION)!;
      api.clock.advance(3_600_000);
      const { status, json } = await goOn(browser, second.id);
      assert.equal(status, 200);
      assert.deepEqual([json.team.id, json.role, json.scopes], [second.id, 'member', ROLE_SCOPES.member]);
      assert.deepEqual([json.expires_at, json.signed_in_with], [session.expires_at, 'oidc']);
      assert.notEqual(json.id, session.id);
      assert.deepEqual(
        json.other_teams.map(({ id }: { id: string }) => id),
        [first.id],
      );
      browser.csrf = json.csrf_token;
      assert.equal((await browser.request('GET', '/api/team')).json.id, second.id);
      const old = { cookie: `${SESSION}=${before}` };
      assert.equal((await browser.request('GET', '/api/team', undefined, old)).status, 401);
      assert.equal((await goOn(browser, first.id)).json.role, 'admin');
    });

    it('returns to the team they used last, while still a member there', async () => {
      const { second, userId, browser } = await inTwoTeams();
      await goOn(browser, second.id);
      const again = api.browser();
      await dance(again);
      assert.equal((await again.request('GET', '/api/session')).json.team.id, second.id);
      await api.call(second.key, 'DELETE', `/api/team/members/${userId}`);
      const later = api.browser();
      await dance(later);
      assert.notEqual((await later.request('GET', '/api/session')).json.team.id, second.id);
    });

    it('of several concurrent requests one succeeds', async () => {
      const { second, browser } = await inTwoTeams();
      const cookie = browser.cookie;
      const replies = await Promise.all(
        Array.from({ length: 6 }, () => {
          const same = Object.assign(api.browser(), { csrf: browser.csrf });
          return same.request('POST', '/api/session/team', { team_id: second.id }, { cookie });
        }),
      );
      const statuses = replies.map(({ status }) => status);
      assert.deepEqual(
        [200, 401].map((wanted) => statuses.filter((status) => status === wanted).length),
        [1, 5],
      );
    });

    it('goes nowhere else, nor without the token, nor once they were removed', async () => {
      const { first, second, userId, browser } = await inTwoTeams();
      const stranger = await api.newTeam();
      for (const team of [stranger.id, randomUUID()]) {
        const { status, json } = await goOn(browser, team);
        assert.deepEqual([status, json.code], [404, 'team_not_found']);
      }
      assert.equal((await goOn(browser, 'second')).status, 422);
      const csrf = browser.csrf;
      browser.csrf = undefined;
      assert.equal((await goOn(browser, second.id)).status, 403);
      browser.csrf = csrf;
      assert.equal((await browser.request('GET', '/api/session')).json.team.id, first.id);
      await api.call(second.key, 'DELETE', `/api/team/members/${userId}`);
      assert.equal((await goOn(browser, second.id)).status, 404);
      assert.deepEqual((await browser.request('GET', '/api/session')).json.other_teams, []);
    });

    it('stays where a key or a link let them in: its team has no say in the other', async () => {
      const { first, second, userId } = await inTwoTeams();
      const { json: link } = await api.call(second.key, 'POST', '/api/sign-in-links', { user_id: userId });
      for (const [credential, another] of [
        [{ link: String(link.token) }, first],
        [{ api_key: first.key }, second],
      ] as const) {
        const browser = api.browser();
        const { json } = await browser.signIn(credential);
        assert.deepEqual(json.other_teams, []);
        assert.equal((await goOn(browser, another.id)).status, 404);
      }
      const { status, json } = await api.call(first.key, 'POST', '/api/session/team', { team_id: second.id });
      assert.deepEqual([status, json.code], [404, 'no_session']);
    });
  });

  it('ends the session the browser had, and the session ends with the membership', async () => {
    const { team, id } = await member();
    const browser = api.browser();
    await browser.signIn({ api_key: api.rootKey });
    const before = browser.cookies.get(SESSION)!;
    await dance(browser);
    assert.notEqual(browser.cookies.get(SESSION), before);
    assert.equal(
      (await browser.request('GET', '/api/team', undefined, { cookie: `${SESSION}=${before}` })).status,
      401,
    );
    await dance(browser);
    assert.equal((await browser.request('GET', '/api/session')).json.user.id, id);
    assert.equal((await api.call(team.key, 'DELETE', `/api/team/members/${id}`)).status, 200);
    assert.equal((await browser.request('GET', '/api/session')).status, 401);
    assert.equal(await dance(api.browser()), failure('not_a_member'));
  });

  it('refuses unknown people and unverified addresses', async () => {
    const { email } = await member();
    for (const [account, code] of [
      [{ email: `${randomUUID()}@example.org`, email_verified: true }, 'not_a_member'],
      [{ email, email_verified: false }, 'email_not_verified'],
      [{ email, email_verified: 'true' }, 'email_not_verified'],
      [{ email }, 'email_not_verified'],
      [{}, 'email_not_verified'],
      [{ email: email.replace('example', 'example\u212a'), email_verified: true }, 'email_not_verified'],
      [{ email_verified: true }, 'email_not_verified'],
    ] as const) {
      provider.account = account;
      const browser = api.browser();
      await assertRefused(browser, await atProvider(browser, await begin(browser)), code);
    }
  });

  it('leads back to the page that was wanted when it is tried again', async () => {
    const browser = api.browser();
    provider.account = { email: `${randomUUID()}@example.org`, email_verified: true };
    const failed = await dance(browser, '/chat?about=1#x');
    assert.equal(failed, `${failure('not_a_member')}&to=${encodeURIComponent('/chat?about=1#x')}`);
  });

  it('repeats nothing that the provider says in the address', async () => {
    provider.account = undefined;
    const browser = api.browser();
    const callback = await atProvider(browser, await begin(browser));
    assert.match(callback, /error_description=/);
    await assertRefused(browser, callback, 'access_denied');
  });

  it('refuses an answer with another state, of another browser, a second time, or too late', async () => {
    await member();
    const browser = api.browser();
    const other = new URL(await atProvider(browser, await begin(browser)));
    other.searchParams.set('state', 'x'.repeat(43));
    await assertRefused(browser, other.href);

    const theirs = await atProvider(browser, await begin(browser));
    await assertRefused(api.browser(), theirs);
    const mine = api.browser();
    await begin(mine);
    await assertRefused(mine, theirs);

    const again = api.browser();
    const callback = await atProvider(again, await begin(again));
    const flow = again.cookies.get(FLOW)!;
    assert.equal(await locationOf(again, callback), `${api.url}/`);
    again.cookies.clear();
    again.cookies.set(FLOW, flow);
    await assertRefused(again, callback);

    const late = api.browser();
    const inTime = await atProvider(late, await begin(late));
    api.clock.advance(600_000);
    await assertRefused(late, inTime);
  });

  it('refuses an answer to another question: nonce, PKCE, client', async () => {
    await member();
    for (const [name, value] of [
      ['nonce', 'n'.repeat(43)],
      ['code_challenge', 'c'.repeat(43)],
      ['client_id', 'other'],
    ] as const) {
      const browser = api.browser();
      const asked = new URL(await begin(browser));
      asked.searchParams.set(name, value);
      await assertRefused(browser, await atProvider(browser, asked.href));
    }
  });

  it('refuses an answer of another issuer, and a code that another issuer gave', async () => {
    const { email } = await member();
    const browser = api.browser();
    const callback = new URL(await atProvider(browser, await begin(browser)));
    assert.equal(callback.searchParams.get('iss'), provider.issuer);
    callback.searchParams.set('iss', 'http://127.0.0.1:1');
    await assertRefused(browser, callback.href);
    const rogue = await startTestProvider({ redirectUri: `${api.url}${START}/callback` });
    try {
      rogue.account = { email, email_verified: true };
      const asked = new URL(await begin(browser));
      const atRogue = new URL(asked.pathname + asked.search, rogue.issuer).href;
      const answer = new URL(await atProvider(browser, atRogue));
      const flow = browser.cookies.get(FLOW)!;
      await assertRefused(browser, answer.href);
      answer.searchParams.set('iss', provider.issuer);
      browser.cookies.set(FLOW, flow);
      await assertRefused(browser, answer.href);
    } finally {
      await rogue.stop();
    }
  });

  it('refuses what it did not seal, and two of it', async () => {
    await member();
    const browser = api.browser();
    const callback = await atProvider(browser, await begin(browser));
    const flow = browser.cookies.get(FLOW)!;
    for (const cookie of ['', 'x', `${flow.slice(0, -4)}AAAA`, `${flow}; ${FLOW}=${flow}`]) {
      browser.cookies.set(FLOW, cookie);
      await assertRefused(browser, callback);
    }
  });

  it('leads nowhere else in the end', async () => {
    for (const to of [
      '//evil.example',
      '/\\evil.example',
      'https://evil.example',
      '/.//evil.example',
      '/\t/evil',
      '',
      'x',
    ]) {
      const { status, headers } = await api.browser().request('GET', `${START}?to=${encodeURIComponent(to)}`);
      assert.equal(status, 422, to);
      assert.equal(headers.location, undefined);
    }
    const twice = await api.browser().request('GET', `${START}?to=/&to=//evil.example`);
    assert.equal(twice.status, 422);
  });

  it('says so while the provider is down, and works when it is back', async () => {
    await member();
    provider.isDown = true;
    const browser = api.browser();
    assert.equal(await begin(browser), failure('provider_unavailable'));
    provider.isDown = false;
    assert.equal(await dance(browser), `${api.url}/`);
    const callback = await atProvider(browser, await begin(browser));
    provider.isDown = true;
    browser.cookies.delete(SESSION);
    await assertRefused(browser, callback, 'provider_unavailable');
    const { port } = new URL(provider.issuer);
    await provider.stop();
    const oidc = { issuer: `http://127.0.0.1:${port}`, clientId: 'casebook', clientSecret: 'x', name: 'Example ID' };
    api.signIn.provider = createIdentityProvider({ oidc, appUrl: api.url, clock: systemClock });
    assert.equal(await begin(browser), failure('provider_unavailable'));
  });

  it('does not exist where no provider is configured', async () => {
    api.signIn.provider = undefined;
    assert.equal((await api.browser().request('GET', '/api/sign-in')).json.methods.oidc, null);
    for (const path of [START, `${START}/callback?code=x&state=y`])
      assert.equal((await api.browser().request('GET', path)).status, 404);
  });

  it('logs why it failed, and no code, token or secret', async () => {
    await member();
    const browser = api.browser();
    const callback = await atProvider(browser, await begin(browser));
    const flow = browser.cookies.get(FLOW)!;
    await locationOf(browser, callback);
    const secrets = [flow, browser.cookies.get(SESSION)!, provider.clientSecret];
    for (const name of ['code', 'state']) secrets.push(new URL(callback).searchParams.get(name)!);
    browser.cookies.set(FLOW, flow);
    assert.equal(await locationOf(browser, callback), failure('sign_in_failed'));
    const logged = JSON.stringify(api.lines);
    for (const secret of secrets) assert.ok(!logged.includes(secret));
    const reasons = api.lines.filter(({ code }) => code === 'sign_in_failed').map(({ reason }) => String(reason));
    assert.match(reasons.at(-1) ?? '', /invalid_grant/);
  });
});

describe('the configuration of an identity provider', () => {
  const oidc = {
    CASEBOOK_OIDC_ISSUER: 'https://id.example',
    CASEBOOK_OIDC_CLIENT_ID: 'casebook',
    CASEBOOK_OIDC_CLIENT_SECRET: 'secret',
  };

  it('is complete or absent', () => {
    assert.equal(loadConfig({}).oidc, undefined);
    assert.deepEqual(loadConfig(oidc).oidc, {
      issuer: 'https://id.example',
      clientId: 'casebook',
      clientSecret: 'secret',
      name: 'single sign-on',
    });
    for (const name of Object.keys(oidc))
      assert.throws(() => loadConfig({ ...oidc, [name]: '' }), new RegExp(`${name}: must be set`));
  });

  it('allows http on this machine only', () => {
    for (const issuer of ['http://localhost:9000', 'http://127.0.0.1', 'http://[::1]:1/realm'])
      assert.equal(loadConfig({ ...oidc, CASEBOOK_OIDC_ISSUER: issuer }).oidc?.issuer, issuer);
    for (const issuer of [
      'http://id.example',
      'http://127.0.0.1.evil.example',
      'http://10.0.0.1',
      'ftp://id.example',
      'x',
    ])
      assert.throws(() => loadConfig({ ...oidc, CASEBOOK_OIDC_ISSUER: issuer }), /CASEBOOK_OIDC_ISSUER/, issuer);
  });
});
