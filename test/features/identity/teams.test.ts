import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'mocha';
import { anyTeam, forTeam } from '../../../src/db/team-filter.ts';
import { lockTeam, revokeApiKey } from '../../../src/features/identity/credentials.ts';
import { createOperatorLink, Credential, User } from '../../../src/features/identity/index.ts';
import { Conflict } from '../../../src/http/errors.ts';
import { startIdentityApi, type IdentityApi } from './support.ts';

describe('teams', () => {
  let api: IdentityApi;
  before(async () => {
    api = await startIdentityApi();
  });
  after(() => api.stop());

  const newTeam = async (name = `Team ${randomUUID()}`) => {
    const body = { name, admin_email: `${randomUUID()}@example.org`, admin_name: 'Ada' };
    const { status, json } = await api.call(api.rootKey, 'POST', '/api/teams', body);
    assert.equal(status, 200);
    const [id, key, keyId]: string[] = [json.team.id, json.api_key.api_key, json.api_key.id];
    assert.ok(id && key && keyId);
    return { id, key, keyId, ...body };
  };
  const newKey = async (by: string, scopes: string[], more: Record<string, unknown> = {}) => {
    const { status, json } = await api.call(by, 'POST', '/api/api-keys', { name: 'A key', scopes, ...more });
    assert.equal(status, 200, JSON.stringify(json));
    const [id, key]: string[] = [json.id, json.api_key];
    assert.ok(id && key);
    return { id, key, json };
  };

  it('the first key sees who it is', async () => {
    const { status, json } = await api.call(api.rootKey, 'GET', '/api/users/me');
    assert.equal(status, 200);
    assert.equal(json.team.name, 'Default');
    assert.equal(json.role, 'admin');
    assert.deepEqual(json.scopes, ['system:admin']);
    assert.match(json.user.email, /@/);
  });

  it('are created and listed by a key that may administer the system, and no other', async () => {
    const team = await newTeam('Blue');
    const listed = await api.call(api.rootKey, 'GET', '/api/teams');
    assert.deepEqual(listed.json.teams.map(({ name }: { name: string }) => name).slice(0, 2), ['Default', 'Blue']);
    for (const [method, path, body] of [
      ['GET', '/api/teams'],
      ['POST', '/api/teams', { name: 'Mine', admin_email: 'a@example.org', admin_name: 'A' }],
    ] as const) {
      const refused = await api.call(team.key, method, path, body);
      assert.equal(refused.status, 403);
      assert.equal(refused.json.code, 'insufficient_scope');
    }
  });

  it('serializes changes of a team’s members without waiting for whoever adds a row to the team', async () => {
    const team = await newTeam();
    const em = forTeam(api.database.orm.em, team.id);
    await em.transactional(async (adding) => {
      await adding.execute('select from teams where id = ? for key share', [team.id]);
      await em.fork().transactional(async (tx) => {
        await tx.execute(`set local lock_timeout = '2s'`);
        await lockTeam(tx, team.id);
        const second = em.fork().transactional(async (other) => {
          await other.execute(`set local lock_timeout = '50ms'`);
          await lockTeam(other, team.id);
        });
        await assert.rejects(second, /lock timeout/);
      });
    });
  });

  it('are renamed by their admins', async () => {
    const team = await newTeam();
    const renamed = await api.call(team.key, 'PATCH', '/api/team', { name: '  Green ' });
    assert.equal(renamed.json.name, 'Green');
    assert.equal((await api.call(team.key, 'GET', '/api/team')).json.name, 'Green');
    assert.equal((await api.call(team.key, 'PATCH', '/api/team', { name: ' ' })).status, 422);
  });

  describe('API keys', () => {
    it('are shown once, stored as a hash, and listed without it', async () => {
      const team = await newTeam();
      const made = await newKey(team.key, ['investigations:read']);
      assert.match(made.key, /^cb_[\w-]{43}$/);
      const listed = await api.call(team.key, 'GET', '/api/api-keys');
      assert.equal(listed.json.api_keys.length, 2);
      assert.ok(!listed.text.includes(made.key));
      const chat = listed.json.scopes.find(({ scope }: { scope: string }) => scope === 'chats:act');
      assert.equal(chat.allows, 'Allow changes to external systems');
      const shown = listed.json.api_keys.find(({ id }: { id: string }) => id === made.id);
      assert.equal(shown.prefix, made.key.slice(0, 8));
      assert.equal(shown.created_by_key_id, team.keyId);
      assert.equal(shown.revoked_at, null);
      const row = await api.database.orm.em.fork().findOneOrFail(Credential, { id: made.id }, anyTeam);
      assert.equal(row.hash, api.authenticator.hash(made.key));
      assert.ok(!JSON.stringify(row).includes(made.key));
      assert.ok(!listed.text.includes(row.hash));
    });

    it('stop working the moment they are revoked, and revoking twice changes nothing', async () => {
      const team = await newTeam();
      const made = await newKey(team.key, ['team:read']);
      assert.equal((await api.call(made.key, 'GET', '/api/team')).status, 200);
      const revoked = await api.call(team.key, 'DELETE', `/api/api-keys/${made.id}`);
      assert.equal(revoked.status, 200);
      assert.equal((await api.call(made.key, 'GET', '/api/team')).status, 401);
      api.clock.advance(5_000);
      const again = await api.call(team.key, 'DELETE', `/api/api-keys/${made.id}`);
      assert.equal(again.status, 200);
      assert.equal(again.json.revoked_at, revoked.json.revoked_at);
    });

    it('that another process revoked stop working when the memory of them ends', async () => {
      const team = await newTeam();
      const made = await newKey(team.key, ['team:read']);
      assert.equal((await api.call(made.key, 'GET', '/api/team')).status, 200);
      await api.database.orm.em.fork().nativeUpdate(Credential, { id: made.id }, { revokedAt: new Date() }, anyTeam);
      api.clock.advance(1_999);
      assert.equal((await api.call(made.key, 'GET', '/api/team')).status, 200);
      api.clock.advance(1);
      assert.equal((await api.call(made.key, 'GET', '/api/team')).status, 401);
    });

    it('cannot be given scopes that their maker lacks, nor unknown ones', async () => {
      const team = await newTeam();
      const raised = await api.call(team.key, 'POST', '/api/api-keys', { name: 'x', scopes: ['system:admin'] });
      assert.equal(raised.status, 403);
      assert.equal(raised.json.code, 'insufficient_scope');
      const unknown = await api.call(team.key, 'POST', '/api/api-keys', { name: 'x', scopes: ['root'] });
      assert.equal(unknown.status, 422);
      assert.deepEqual(unknown.json.detail[0].loc, ['body', 'scopes', 0]);
      const reader = await newKey(team.key, ['team:read']);
      assert.equal(
        (await api.call(reader.key, 'POST', '/api/api-keys', { name: 'x', scopes: ['team:read'] })).status,
        403,
      );
      assert.equal((await api.call(team.key, 'GET', '/api/api-keys')).json.api_keys.length, 2);
    });

    it('that can manage the team cannot all be revoked, not even at once', async () => {
      const team = await newTeam();
      const last = await api.call(team.key, 'DELETE', `/api/api-keys/${team.keyId}`);
      assert.equal(last.status, 409);
      assert.equal(last.json.code, 'last_admin_key');
      const second = await newKey(team.key, ['team:admin']);
      // Not over HTTP: there the first revocation may end the other key before it is even asked.
      const admin = { credentialId: team.keyId, teamId: team.id, scopes: ['team:admin'] };
      const revoke = (id: string) => revokeApiKey(forTeam(api.database.orm.em, team.id), admin, id, api.clock.now());
      const both = await Promise.allSettled([revoke(second.id), revoke(team.keyId)]);
      assert.equal(both.filter(({ status }) => status === 'fulfilled').length, 1);
      const refused = both.find((result) => result.status === 'rejected');
      assert.ok(refused?.reason instanceof Conflict);
      assert.equal(refused.reason.code, 'last_admin_key');
    });

    it("that may do more than the caller are not the caller's to revoke", async () => {
      const manager = await newKey(api.rootKey, ['team:admin']);
      const me = await api.call(api.rootKey, 'GET', '/api/users/me');
      const refused = await api.call(manager.key, 'DELETE', `/api/api-keys/${me.json.api_key_id}`);
      assert.equal(refused.status, 403);
      assert.equal(refused.json.code, 'insufficient_scope');
      assert.equal((await api.call(api.rootKey, 'GET', '/api/teams')).status, 200);
    });

    it('that can administer the installation cannot all be revoked', async () => {
      await newKey(api.rootKey, ['team:admin']);
      const me = await api.call(api.rootKey, 'GET', '/api/users/me');
      const refused = await api.call(api.rootKey, 'DELETE', `/api/api-keys/${me.json.api_key_id}`);
      assert.equal(refused.status, 409);
      assert.equal(refused.json.code, 'last_admin_key');
      const second = await newKey(api.rootKey, ['system:admin']);
      assert.equal((await api.call(api.rootKey, 'DELETE', `/api/api-keys/${second.id}`)).status, 200);
      assert.equal((await api.call(api.rootKey, 'DELETE', `/api/api-keys/${second.id}`)).status, 200);
    });

    it('have names without control characters', async () => {
      for (const name of ['a\nb', 'a\u001b[31m', 'a\u009bb']) {
        const refused = await api.call(api.rootKey, 'POST', '/api/api-keys', { name, scopes: ['team:read'] });
        assert.equal(refused.status, 422);
        assert.deepEqual(refused.json.detail[0].loc, ['body', 'name']);
      }
      const { json } = await newKey(api.rootKey, ['team:read'], { name: ' Zoë’s 👩‍🚒 key ' });
      assert.equal(json.name, 'Zoë’s 👩‍🚒 key');
    });

    it('note their last use to the minute', async () => {
      const team = await newTeam();
      const made = await newKey(team.key, ['team:read']);
      const used = async () => {
        await api.authenticator.idle();
        const { json } = await api.call(team.key, 'GET', '/api/api-keys');
        return json.api_keys.find(({ id }: { id: string }) => id === made.id).last_used_at;
      };
      assert.equal(await used(), null);
      await api.call(made.key, 'GET', '/api/team');
      const first = await used();
      assert.equal(first, api.clock.now().toISOString());
      api.clock.advance(30_000);
      await api.call(made.key, 'GET', '/api/team');
      assert.equal(await used(), first);
      api.clock.advance(30_000);
      await api.call(made.key, 'GET', '/api/team');
      assert.equal(await used(), api.clock.now().toISOString());
    });

    it('answer 404 for an unknown id and 422 for an invalid one', async () => {
      const unknown = await api.call(api.rootKey, 'DELETE', `/api/api-keys/${randomUUID()}`);
      assert.equal(unknown.status, 404);
      const noVersion = await api.call(api.rootKey, 'DELETE', '/api/api-keys/11111111-1111-1111-1111-111111111111');
      assert.equal(noVersion.status, 404);
      const invalid = await api.call(api.rootKey, 'DELETE', '/api/api-keys/1%27%20or%201=1');
      assert.equal(invalid.status, 422);
    });
  });

  describe('members', () => {
    it('are added, listed and removed; their keys go with them', async () => {
      const team = await newTeam();
      const added = await api.call(team.key, 'POST', '/api/team/members', { email: 'Bo@Example.org', name: 'Bo' });
      assert.equal(added.status, 200);
      assert.equal(added.json.email, 'bo@example.org');
      assert.equal(added.json.role, 'member');
      const bo = await newKey(team.key, ['team:read'], { user_id: added.json.user_id });
      const me = await api.call(bo.key, 'GET', '/api/users/me');
      assert.equal(me.json.user.name, 'Bo');
      assert.equal(me.json.role, 'member');
      const twice = await api.call(team.key, 'POST', '/api/team/members', { email: 'bo@example.org', name: 'Bo' });
      assert.equal(twice.status, 409);
      const removed = await api.call(team.key, 'DELETE', `/api/team/members/${added.json.user_id}`);
      assert.deepEqual(removed.json, { user_id: added.json.user_id, removed: true });
      assert.equal((await api.call(bo.key, 'GET', '/api/users/me')).status, 401);
      assert.equal((await api.call(team.key, 'DELETE', `/api/team/members/${added.json.user_id}`)).status, 404);
    });

    it('are the same user in every team, also when two teams add them at once', async () => {
      const teams = await Promise.all([newTeam(), newTeam(), newTeam()]);
      const email = `${randomUUID()}@example.org`;
      const added = await Promise.all(
        teams.map(({ key }) => api.call(key, 'POST', '/api/team/members', { email, name: 'Cy' })),
      );
      assert.deepEqual(
        added.map(({ status }) => status),
        [200, 200, 200],
      );
      assert.equal(new Set(added.map(({ json }) => json.user_id)).size, 1);
      assert.equal(await api.database.orm.em.fork().count(User, { email }), 1);
    });

    it('include an admin always', async () => {
      const team = await newTeam();
      const { json } = await api.call(team.key, 'GET', '/api/team/members');
      assert.equal(json.members.length, 1);
      const refused = await api.call(team.key, 'DELETE', `/api/team/members/${json.members[0].user_id}`);
      assert.equal(refused.status, 409);
      assert.equal(refused.json.code, 'last_admin');
    });

    it('do not take the last key that can manage the team with them, nor one that may do more than the caller', async () => {
      const team = await newTeam();
      const { json } = await api.call(team.key, 'GET', '/api/team/members');
      const founder: string = json.members[0].user_id;
      const deputy = { email: `${randomUUID()}@example.org`, name: 'Di', role: 'admin' };
      await api.call(team.key, 'POST', '/api/team/members', deputy);
      const last = await api.call(team.key, 'DELETE', `/api/team/members/${founder}`);
      assert.equal(last.status, 409);
      assert.equal(last.json.code, 'last_admin_key');
      // A key of the founder's would go with them.
      const hash = api.authenticator.hash;
      const expiresAt = new Date(api.clock.now().getTime() + 60_000);
      const link = await createOperatorLink(api.database.orm.em, { hash, expiresAt, email: deputy.email });
      const browser = api.browser();
      await browser.signIn({ link: link.token });
      const made = await browser.request('POST', '/api/api-keys', { name: 'Own', scopes: ['team:admin'] });
      const other = { key: made.json.api_key };
      assert.equal((await api.call(other.key, 'DELETE', `/api/team/members/${founder}`)).status, 200);
      assert.equal((await api.call(team.key, 'GET', '/api/team')).status, 401);

      const root = await api.call(api.rootKey, 'GET', '/api/users/me');
      const manager = await newKey(api.rootKey, ['team:admin']);
      await api.call(manager.key, 'POST', '/api/team/members', { ...deputy, email: `${randomUUID()}@example.org` });
      await newKey(api.rootKey, ['system:admin'], { user_id: root.json.user.id });
      const refused = await api.call(manager.key, 'DELETE', `/api/team/members/${root.json.user.id}`);
      assert.equal(refused.status, 403);
      assert.equal(refused.json.code, 'insufficient_scope');
    });

    it('of another team cannot have a key @never-forgiven', async () => {
      const [team, other] = [await newTeam(), await newTeam()];
      const { json } = await api.call(other.key, 'GET', '/api/team/members');
      const foreign = { name: 'x', scopes: ['team:read'], user_id: json.members[0].user_id };
      const refused = await api.call(team.key, 'POST', '/api/api-keys', foreign);
      assert.equal(refused.status, 422);
      assert.deepEqual(refused.json.detail[0].loc, ['body', 'user_id']);
    });
  });
});
