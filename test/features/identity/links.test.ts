import type { Pepper } from '../../../src/platform/secrets.ts';
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'mocha';
import { anyTeam } from '../../../src/db/team-filter.ts';
import { Credential, createOperatorLink, localPath, purgeSignIns } from '../../../src/features/identity/index.ts';
import { grants } from '../../../src/http/authenticate.ts';
import { startIdentityApi, type Browser, type IdentityApi, ROLE_SCOPES } from './support.ts';

describe('a one-time link', () => {
  let api: IdentityApi & { pepper: Pepper };
  before(async () => {
    api = await startIdentityApi();
  });
  after(() => api.stop());

  const newLink = async (key: string, body: Record<string, unknown> = {}): Promise<string> => {
    const { status, json, text } = await api.call(key, 'POST', '/api/sign-in-links', body);
    assert.equal(status, 200, text);
    return json.token;
  };
  const operatorLink = async (email: string): Promise<string> => {
    const expiresAt = new Date(api.clock.now().getTime() + 60_000);
    return (await createOperatorLink(api.database.orm.em, { hash: api.authenticator.hash, expiresAt, email })).token;
  };
  const statusOf = async (link: string): Promise<number> => (await api.browser().signIn({ link })).status;
  // oxlint-disable-next-line typescript/no-explicit-any -- as it came
  const signedIn = async (link: string): Promise<{ browser: Browser; session: any }> => {
    const browser = api.browser();
    const { status, json, text } = await browser.signIn({ link });
    assert.equal(status, 200, text);
    return { browser, session: json };
  };

  it('leads to a page, with the token where no server sees it, and is not stored', async () => {
    const { json } = await api.call(api.rootKey, 'POST', '/api/sign-in-links', { path: '/investigation/1?tab=graph' });
    assert.equal(json.url, `http://app.example/investigation/1?tab=graph#link=${json.token}`);
    assert.match(json.token, /^cb_link_[\w-]{43}$/);
    assert.equal(Date.parse(json.expires_at) - api.clock.now().getTime(), 3_600_000);
    const stored = await api.database.orm.em.fork().find(Credential, { kind: 'link' }, anyTeam);
    assert.ok(stored.length > 0 && !JSON.stringify(stored).includes(json.token.slice(8)));
  });

  it('gives what its maker has, and the session is counted by itself', async () => {
    const { browser, session } = await signedIn(await newLink(api.rootKey));
    assert.deepEqual(session['scopes'], ['system:admin']);
    assert.equal(session['signed_in_with'], 'link');
    assert.equal(session['api_key_id'], null);
    const me = await browser.request('GET', '/api/users/me');
    assert.equal(me.json.api_key_id, session['id']);
    assert.equal(me.json.user.email, 'admin@casebook.invalid', 'it acts for whom the key acts');
    assert.equal((await browser.request('GET', '/api/teams')).status, 200);
  });

  it('for a member gives what their role allows', async () => {
    const team = await api.newTeam();
    for (const [role, id] of [
      ['admin', team.userId],
      ['member', (await api.newMember(team.key)).id],
    ] as const) {
      const { session } = await signedIn(await newLink(team.key, { user_id: id }));
      assert.deepEqual(session['scopes'], ROLE_SCOPES[role]);
      assert.equal(session['role'], role);
      assert.equal(session['user'].id, id);
    }
    for (const scope of ['chats:act', 'satellites:act', 'satellites:write', 'team:admin', 'system:admin'])
      assert.ok(!grants(ROLE_SCOPES.member, scope), scope);
  });

  it('is made by admins only, and for members of their team only', async () => {
    const [team, other] = [await api.newTeam(), await api.newTeam()];
    const reader = await api.newKey(team.key, [...ROLE_SCOPES.member]);
    assert.equal((await api.call(reader.key, 'POST', '/api/sign-in-links', {})).status, 403);
    const foreign = await api.call(team.key, 'POST', '/api/sign-in-links', { user_id: other.userId });
    assert.equal(foreign.status, 422);
    assert.deepEqual(foreign.json.detail[0].loc, ['body', 'user_id']);
    const { browser } = await signedIn(await newLink(team.key));
    assert.equal((await browser.request('GET', '/api/team')).json.id, team.id);
  });

  it('works once', async () => {
    const link = await newLink(api.rootKey);
    assert.equal(await statusOf(link), 200);
    assert.equal(await statusOf(link), 401);
  });

  it('that many use at the same moment signs one of them in', async () => {
    const link = await newLink(api.rootKey);
    const before = await api.database.orm.em.fork().count(Credential, { kind: 'session' }, anyTeam);
    const statuses = await Promise.all(Array.from({ length: 8 }, () => statusOf(link)));
    assert.deepEqual(
      statuses.toSorted((a, b) => a - b),
      [200, ...Array(7).fill(401)],
    );
    assert.equal(await api.database.orm.em.fork().count(Credential, { kind: 'session' }, anyTeam), before + 1);
  });

  it('may be used again in the attempt it was used in, whose answer may have been lost, and for two minutes', async () => {
    const link = await newLink(api.rootKey);
    const [attempt, another] = [randomUUID(), randomUUID()];
    const lost = api.browser();
    assert.equal((await lost.signIn({ link, attempt })).status, 200);
    for (const use of [{ link }, { link, attempt: another }, { link, attempt: 'none' }])
      assert.notEqual((await api.browser().signIn(use)).status, 200);
    const browser = api.browser();
    assert.equal((await browser.signIn({ link, attempt })).status, 200);
    assert.equal((await browser.request('GET', '/api/team')).status, 200);
    assert.equal((await lost.request('GET', '/api/team')).status, 401, 'there is one session, the last');
    api.clock.advance(120_000);
    assert.equal((await api.browser().signIn({ link, attempt })).status, 401);
  });

  it('ends in time', async () => {
    const links = [
      await newLink(api.rootKey, { expires_in_seconds: 60 }),
      await newLink(api.rootKey, { expires_in_seconds: 60 }),
    ];
    api.clock.advance(59_999);
    assert.equal(await statusOf(links[0]!), 200);
    api.clock.advance(1);
    assert.equal(await statusOf(links[1]!), 401);
    for (const expires_in_seconds of [59, 604_801, 1.5, '60'])
      assert.equal((await api.call(api.rootKey, 'POST', '/api/sign-in-links', { expires_in_seconds })).status, 422);
    assert.equal(await statusOf(await newLink(api.rootKey, { expires_in_seconds: 604_800 })), 200);
  });

  it('ends with the key that made it, also through a session, and so do the sessions', async () => {
    const team = await api.newTeam();
    const key = await api.newKey(team.key, ['team:admin']);
    const first = await signedIn(await newLink(key.key));
    const { json } = await first.browser.request('POST', '/api/sign-in-links', {});
    const second = await signedIn(json.token);
    const unused = [
      await newLink(key.key),
      (await second.browser.request('POST', '/api/sign-in-links', {})).json.token,
    ];
    assert.equal((await second.browser.request('GET', '/api/team')).status, 200);
    await first.browser.request('DELETE', '/api/session');
    assert.equal((await second.browser.request('GET', '/api/team')).status, 200, 'signing out ends one session only');
    assert.equal((await api.call(team.key, 'DELETE', `/api/api-keys/${key.id}`)).status, 200);
    assert.equal((await second.browser.request('GET', '/api/team')).status, 401);
    for (const link of unused) assert.equal(await statusOf(link), 401);
  });

  it('ends with the membership of its user, and of its creator', async () => {
    const team = await api.newTeam();
    const [admin, member] = [await api.newMember(team.key, 'admin'), await api.newMember(team.key)];
    const ofAdmin = await signedIn(await operatorLink(admin.email));
    const made = await ofAdmin.browser.request('POST', '/api/sign-in-links', { user_id: member.id });
    const forMember = await newLink(team.key, { user_id: member.id });
    for (const id of [admin.id, member.id])
      assert.equal((await api.call(team.key, 'DELETE', `/api/team/members/${id}`)).status, 200);
    assert.equal((await ofAdmin.browser.request('GET', '/api/session')).status, 401);
    for (const link of [made.json.token, forMember]) assert.equal(await statusOf(link), 401);
  });

  it('of an admin does not prevent their removal once its session has ended', async () => {
    const { id } = await api.newMember(api.rootKey);
    const admin = await api.newKey(api.rootKey, ['team:admin']);
    const ofMember = await api.newKey(api.rootKey, ['system:admin'], { user_id: id });
    await signedIn(await newLink(ofMember.key));
    await api.call(api.rootKey, 'DELETE', `/api/api-keys/${ofMember.id}`);
    const em = api.database.orm.em.fork();
    await em.nativeUpdate(Credential, { userId: id, kind: 'session' }, { revokedAt: null }, anyTeam);
    const remove = () => api.call(admin.key, 'DELETE', `/api/team/members/${id}`);
    assert.equal((await remove()).status, 403);
    api.clock.advance(168 * 3_600_000);
    assert.equal((await remove()).status, 200);
  });

  it('does not come back with somebody who left and joined again, perhaps in another role', async () => {
    const team = await api.newTeam();
    const admin = await api.newMember(team.key, 'admin');
    const { browser } = await signedIn(await operatorLink(admin.email));
    const own = (await browser.request('POST', '/api/sign-in-links', {})).json.token;
    const forThem = await operatorLink(admin.email);
    assert.equal((await api.call(team.key, 'DELETE', `/api/team/members/${admin.id}`)).status, 200);
    const again = { email: admin.email, name: 'Back', role: 'member' };
    const joined = await api.call(team.key, 'POST', '/api/team/members', again);
    assert.equal(joined.json.user_id, admin.id, joined.text);
    for (const link of [own, forThem]) assert.equal(await statusOf(link), 401);
    const { session } = await signedIn(await newLink(team.key, { user_id: admin.id }));
    assert.deepEqual(session['scopes'], ROLE_SCOPES.member);
  });

  it('is not made in a session that was revoked elsewhere a moment ago, nor is an API key', async () => {
    const elsewhere = await startIdentityApi({ beside: api });
    try {
      const team = await api.newTeam();
      const { browser, session } = await signedIn(await newLink(team.key));
      assert.equal((await browser.request('GET', '/api/team')).status, 200);
      assert.equal((await elsewhere.call(team.key, 'DELETE', `/api/sessions/${session['id']}`)).status, 200);
      assert.equal((await browser.request('GET', '/api/team')).status, 200, 'this process still believes it');
      assert.equal((await browser.request('POST', '/api/sign-in-links', {})).status, 401);
      const keys = { name: 'stays', scopes: ['team:read'] };
      assert.equal((await browser.request('POST', '/api/api-keys', keys)).status, 401);
      const key = await api.newKey(team.key, ['team:admin']);
      assert.equal((await api.call(key.key, 'GET', '/api/team')).status, 200);
      assert.equal((await elsewhere.call(team.key, 'DELETE', `/api/api-keys/${key.id}`)).status, 200);
      assert.equal((await api.call(key.key, 'GET', '/api/team')).status, 200);
      for (const [path, body] of [
        ['/api/sign-in-links', {}],
        ['/api/api-keys', keys],
      ] as const)
        assert.equal((await api.call(key.key, 'POST', path, body)).status, 401, path);
    } finally {
      await elsewhere.stop();
    }
  });

  it('takes what its maker typed, and nothing that looks like it', async () => {
    const team = await api.newTeam();
    for (const body of [
      { user: team.userId },
      { user_id: 'x' },
      { path: 'https://evil.example' },
      { path: '//evil.example' },
      { path: '/a#link=x' },
      { path: '' },
    ])
      assert.equal((await api.call(team.key, 'POST', '/api/sign-in-links', body)).status, 422, JSON.stringify(body));
  });

  it('is made by an operator with access to the database', async () => {
    const hash = api.authenticator.hash;
    const expiresAt = new Date(api.clock.now().getTime() + 60_000);
    const admin = await signedIn((await createOperatorLink(api.database.orm.em, { hash, expiresAt })).token);
    assert.deepEqual(admin.session['scopes'], ['system:admin']);
    const { email } = await api.newMember(api.rootKey);
    const member = await createOperatorLink(api.database.orm.em, { hash, expiresAt, email: email.toUpperCase() });
    assert.deepEqual((await signedIn(member.token)).session['scopes'], ROLE_SCOPES.member);
    await assert.rejects(createOperatorLink(api.database.orm.em, { hash, expiresAt, email: 'x@y.z' }), /member/);
  });

  it('is deleted once expired, and so are sessions; others are kept', async () => {
    const { session, browser } = await signedIn(await newLink(api.rootKey));
    const open = await newLink(api.rootKey);
    const em = () => api.database.orm.em.fork();
    const { createdByCredentialId: linkId } = await em().findOneOrFail(Credential, { id: session['id'] }, anyTeam);
    await purgeSignIns(em(), api.clock.now());
    assert.equal((await browser.request('GET', '/api/session')).status, 200);
    assert.equal(await statusOf(open), 200);
    await browser.request('DELETE', '/api/session');
    await purgeSignIns(em(), new Date(api.clock.now().getTime() + 1));
    assert.equal(await em().count(Credential, { id: session['id'] }, anyTeam), 0);
    assert.equal(await em().count(Credential, { id: String(linkId) }, anyTeam), 0, 'nor its link');
    assert.ok((await em().count(Credential, { kind: 'key' }, anyTeam)) > 0);
  });
});

describe('a path of our own', () => {
  it('is distinguished from everything that may lead elsewhere', () => {
    for (const path of ['/', '/investigation/1?a=b#c', '/a//b', '/@evil.example', '/http://evil.example'])
      assert.equal(localPath(path), path);
    assert.equal(localPath('/für'), '/f%C3%BCr');
    assert.equal(localPath('/a/../b'), '/b');
    for (const path of [
      '',
      'a',
      '//evil.example',
      '/\\evil.example',
      '\\\\evil.example',
      '/a\\b',
      '/\t/evil.example',
      '/\n/evil.example',
      '\t//evil.example',
      ' //evil.example',
      '/.//evil.example',
      '/a/..//evil.example',
      '/%2e//evil.example',
      '/%2e%2e//evil.example',
      'https://evil.example',
      'javascript:alert(1)',
      `/${'a'.repeat(2_000)}`,
    ])
      assert.equal(localPath(path), undefined, JSON.stringify(path));
  });
});
