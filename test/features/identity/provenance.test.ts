import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { anyTeam, forTeam } from '../../../src/db/team-filter.ts';
import { revokeApiKey } from '../../../src/features/identity/credentials.ts';
import { createOperatorLink, Membership } from '../../../src/features/identity/index.ts';
import { addMember, listMembers, removeMember } from '../../../src/features/identity/members.ts';
import { revokeSession } from '../../../src/features/identity/sessions.ts';
import { createTeam, renameTeam } from '../../../src/features/identity/teams.ts';
import { revokeToken } from '../../../src/features/satellites/tokens.ts';
import { startIdentityApi, type Browser, type IdentityApi, ROLE_SCOPES } from './support.ts';

describe('what came from a credential', () => {
  let api: IdentityApi;
  before(async () => {
    api = await startIdentityApi();
  });
  after(() => api.stop());

  const admins = async () => {
    const team = await api.newTeam();
    const { id, email } = await api.newMember(team.key, 'admin');
    const browser = await signedIn(await operatorLink(email));
    return { team, id, email, browser };
  };
  const operatorLink = async (email: string): Promise<string> => {
    const expiresAt = new Date(api.clock.now().getTime() + 60_000);
    return (await createOperatorLink(api.database.orm.em, { hash: api.authenticator.hash, expiresAt, email })).token;
  };
  const signedIn = async (link: string): Promise<Browser> => {
    const browser = api.browser();
    const { status, text } = await browser.signIn({ link });
    assert.equal(status, 200, text);
    return browser;
  };
  const keyBy = async (browser: Browser, more: Record<string, unknown> = {}) => {
    const body = { name: 'Made', scopes: ['team:admin'], ...more };
    const { status, json, text } = await browser.request('POST', '/api/api-keys', body);
    assert.equal(status, 200, text);
    return { id: String(json.id), key: String(json.api_key) };
  };
  const linkBy = async (key: string, body = {}) =>
    String((await api.call(key, 'POST', '/api/sign-in-links', body)).json.token);
  const statusOf = async (key: string) => (await api.call(key, 'GET', '/api/team')).status;

  it('goes with a removed admin: keys for programs, keys made with those, sessions and links of either', async () => {
    const { team, id, browser } = await admins();
    const member = await api.newMember(team.key);
    const program = await keyBy(browser);
    const second = await api.newKey(program.key, ['team:admin']);
    const ofMember = await api.newKey(second.key, ['team:read'], { user_id: member.id });
    const session = await signedIn(await linkBy(second.key));
    const asMember = await signedIn(await linkBy(program.key, { user_id: member.id }));
    const pending = [await linkBy(second.key), await linkBy(program.key, { user_id: member.id })];
    await browser.request('DELETE', '/api/session');
    assert.equal(await statusOf(program.key), 200, 'signing out revokes nothing');
    assert.equal((await api.call(team.key, 'DELETE', `/api/team/members/${id}`)).status, 200);
    for (const { key } of [program, second, ofMember]) assert.equal(await statusOf(key), 401);
    for (const one of [session, asMember]) assert.equal((await one.request('GET', '/api/team')).status, 401);
    for (const link of pending) assert.equal((await api.browser().signIn({ link })).status, 401);
    assert.equal(await statusOf(team.key), 200);
  });

  it('goes with a key: keys made with it and theirs, however many', async () => {
    const team = await api.newTeam();
    const first = await api.newKey(team.key, ['team:admin']);
    let last = first;
    for (let i = 0; i < 5; i++) last = await api.newKey(last.key, ['team:admin']);
    assert.equal((await api.call(team.key, 'DELETE', `/api/api-keys/${first.id}`)).status, 200);
    assert.equal(await statusOf(last.key), 401);
    const { json } = await api.call(team.key, 'GET', '/api/api-keys');
    assert.equal(json.api_keys.filter((key: { revoked_at: string | null }) => key.revoked_at === null).length, 1);
  });

  it('goes with a session that is ended for it, but not with one that signs out', async () => {
    const { team, browser } = await admins();
    const { json } = await browser.request('GET', '/api/session');
    const made = await keyBy(browser);
    assert.equal((await api.call(team.key, 'DELETE', `/api/sessions/${json.id}`)).status, 200);
    assert.equal(await statusOf(made.key), 401);
  });

  it('that was revoked changes nothing more, although an API process still trusts it', async () => {
    const team = await api.newTeam();
    const [session, { id: member }] = [await signedIn(await linkBy(team.key)), await api.newMember(team.key)];
    const { json } = await session.request('GET', '/api/session');
    const revoked = await api.newKey(team.key, ['team:admin']);
    assert.equal((await api.call(team.key, 'DELETE', `/api/api-keys/${revoked.id}`)).status, 200);

    // Its request was authenticated before: over HTTP it would be refused by now.
    const principal = { credentialId: revoked.id, teamId: team.id, scopes: ['system:admin'] };
    const em = () => forTeam(api.database.orm.em, team.id);
    const now = api.clock.now();
    const person = { email: 'mallory@example.org', name: 'Mallory', role: 'admin' as const };
    const another = { name: 'Another', adminEmail: person.email, adminName: person.name };
    const changes = {
      addMember: () => addMember(em(), principal, person),
      removeMember: () => removeMember(em(), principal, member, now),
      revokeApiKey: () => revokeApiKey(em(), principal, team.keyId, now),
      revokeSession: () => revokeSession(em(), principal, String(json.id), now),
      revokeToken: () => revokeToken(em(), principal, team.keyId, now),
      createTeam: () => createTeam(em(), principal, another, api.authenticator.hash),
      renameTeam: () => renameTeam(em(), principal, 'Renamed'),
    };
    for (const [name, change] of Object.entries(changes))
      await assert.rejects(change(), { name: 'Unauthorized' }, name);
    assert.equal((await listMembers(em())).length, 2);
    assert.equal(await statusOf(team.key), 200);
    assert.equal((await session.request('GET', '/api/team')).status, 200);
  });

  it('is no other admin: neither a link nor a key acts for one', async () => {
    const { team, browser } = await admins();
    for (const [path, body] of [
      ['/api/sign-in-links', { user_id: team.userId }],
      ['/api/api-keys', { name: 'Mine', scopes: ['team:read'], user_id: team.userId }],
    ] as const) {
      const refused = await browser.request('POST', path, body);
      assert.deepEqual([refused.status, refused.json.code], [403, 'another_admin']);
      assert.equal((await api.call(team.key, 'POST', path, body)).status, 200, 'their own');
    }
  });

  it('takes the place of what it rotates, and inherits where that came from', async () => {
    const { team, id, browser } = await admins();
    const old = await keyBy(browser);
    const leaked = await api.newKey(old.key, ['team:admin']);
    const next = await api.newKey(old.key, ['team:admin']);
    assert.equal((await api.call(next.key, 'DELETE', `/api/api-keys/${old.id}`)).status, 200);
    assert.deepEqual([await statusOf(next.key), await statusOf(old.key), await statusOf(leaked.key)], [200, 401, 401]);
    assert.equal((await api.call(team.key, 'DELETE', `/api/team/members/${id}`)).status, 200);
    assert.equal(await statusOf(next.key), 401);
  });

  it('may do what the role allows, also when the role changes or ends in the database', async () => {
    const { team, id, browser } = await admins();
    const em = api.database.orm.em.fork();
    await em.nativeUpdate(Membership, { teamId: team.id, userId: id }, { role: 'member' }, anyTeam);
    api.clock.advance(2_000);
    assert.deepEqual((await browser.request('GET', '/api/session')).json.scopes, ROLE_SCOPES.member);
    assert.equal((await browser.request('GET', '/api/api-keys')).status, 403);
    await em.nativeDelete(Membership, { teamId: team.id, userId: id }, anyTeam);
    api.clock.advance(2_000);
    assert.equal((await browser.request('GET', '/api/team')).status, 401);
  });
});

describe('keys that expire', () => {
  it('are refused with the time, and so is what came from them', async () => {
    const api = await startIdentityApi();
    try {
      const expires_at = new Date(api.clock.now().getTime() + 60_000).toISOString();
      const key = await api.newKey(api.rootKey, ['team:admin'], { expires_at });
      const later = new Date(api.clock.now().getTime() + 3_600_000).toISOString();
      const child = await api.newKey(key.key, ['team:admin'], { expires_at: later });
      const browser = api.browser();
      assert.equal((await browser.signIn({ api_key: key.key })).json.expires_at, expires_at);
      const listed = await api.call(api.rootKey, 'GET', '/api/api-keys');
      const ends = new Map(
        listed.json.api_keys.map((one: { id: string; expires_at: string }) => [one.id, one.expires_at]),
      );
      assert.deepEqual([ends.get(key.id), ends.get(child.id)], [expires_at, expires_at]);
      assert.equal((await api.call(key.key, 'GET', '/api/team')).status, 200);
      api.clock.advance(60_000);
      for (const { key: text } of [key, child]) {
        const refused = await api.call(text, 'GET', '/api/team');
        assert.deepEqual([refused.status, refused.json.detail], [401, `The API key expired at ${expires_at}.`]);
      }
      assert.match((await api.browser().signIn({ api_key: key.key })).json.detail, /expired at/);
      assert.equal((await browser.request('GET', '/api/team')).status, 401);
      const past = { name: 'x', scopes: ['team:read'], expires_at };
      assert.equal((await api.call(api.rootKey, 'POST', '/api/api-keys', past)).status, 422);
    } finally {
      await api.stop();
    }
  });
});

describe('the name of a member', () => {
  it('is what their team calls them: another team learns it from no address', async () => {
    const api = await startIdentityApi();
    try {
      const [first, second] = [await api.newTeam(), await api.newTeam()];
      const { email } = await api.newMember(first.key);
      const added = await api.call(second.key, 'POST', '/api/team/members', { email, name: 'Whoever', role: 'member' });
      assert.equal(added.json.name, 'Whoever');
      const names = async (key: string) =>
        (await api.call(key, 'GET', '/api/team/members')).json.members.map((one: { name: string }) => one.name);
      assert.deepEqual(await names(first.key), ['Ada', 'Bo']);
      assert.deepEqual(await names(second.key), ['Ada', 'Whoever']);
    } finally {
      await api.stop();
    }
  });
});
