/** What code hosts report: whose it is, whether it is genuine, and what follows. Nobody carries anything out. */
import assert from 'node:assert/strict';
import { createHmac, randomUUID } from 'node:crypto';
import { anyTeam, forTeam } from '../../../src/db/team-filter.ts';
import { Repository } from '../../../src/features/code-hosts/entities.ts';
import { Effect } from '../../../src/features/effects/index.ts';
import { Team } from '../../../src/features/identity/index.ts';
import type { FamilyName } from '../../../src/features/integrations/entities.ts';
import { createVault } from '../../../src/features/integrations/vault.ts';
import { createSecretBox } from '../../../src/platform/secrets.ts';
import { startApiOverRows, type ApiOverRows } from '../../support/api-over-rows.ts';
import { createIntegration } from '../../support/integration-rows.ts';

const KEY = Buffer.alloc(32, 9);
const vault = createVault(createSecretBox([KEY]));
const OLD = 'a'.repeat(40);
const NEW = 'b'.repeat(40);

describe('code hosts: webhooks', () => {
  let api: ApiOverRows;
  before(async () => {
    api = await startApiOverRows({ CASEBOOK_SECRET_KEY: KEY.toString('hex'), CASEBOOK_RATE_LIMIT: '30' });
  });
  after(() => api.stop());

  let made = 0;
  const connect = async ({
    family = 'gitea',
    secret = 'the-secret',
    fullName = 'acme/shop',
    hostId = String(++made),
    teamId = api.teamId,
    enabled = true,
  }: Partial<Record<'secret' | 'fullName' | 'hostId' | 'teamId', string>> & {
    family?: FamilyName;
    enabled?: boolean;
  } = {}): Promise<Repository> => {
    const em = forTeam(api.database.orm.em, teamId);
    const integration = createIntegration(em, vault, {
      teamId,
      family,
      name: `host ${++made}`,
      settings: { url: 'https://code.example.org' },
      secrets: { token: 't', webhook_secret: secret },
    });
    integration.enabled = enabled;
    const row = em.create(Repository, {
      teamId,
      integrationId: integration.id,
      hostId,
      fullName,
      defaultBranch: 'main',
      cloneUrl: 'https://code.example.org/acme/shop.git',
      webUrl: 'https://code.example.org/acme/shop',
      isPrivate: true,
      isArchived: false,
      webhookId: '1',
      webhookDueAt: new Date(Date.now() + 3_600_000),
      head: null,
      wantedAt: null,
      syncedAt: null,
      dueAt: new Date(Date.now() + 3_600_000),
      error: null,
      sizeBytes: null,
    });
    await em.flush();
    return row;
  };
  const push = ({ hostId, fullName }: Repository): object => ({
    ref: 'refs/heads/main',
    before: OLD,
    after: NEW,
    repository: { id: Number(hostId), full_name: fullName },
  });
  const deliver = async (
    body: object | string,
    { event = 'push', secret = 'the-secret', delivery = randomUUID().slice(0), headers = {} } = {},
  ): Promise<{ status: number; body: Record<string, unknown> }> => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const response = await fetch(`${api.url}/api/workspace/webhook/codehost-a`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-github-event': event,
        'x-gitea-event': event,
        'x-github-delivery': delivery,
        'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`,
        ...headers,
      },
      body: text,
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const row = ({ id }: Repository) => api.database.orm.em.fork().findOneOrFail(Repository, { id }, anyTeam);
  const again = ({ id }: Repository) =>
    api.database.orm.em.fork().nativeUpdate(Repository, { id }, { wantedAt: null }, anyTeam);

  it('a push, a new branch and a deleted one have the mirror fetched; the same delivery again does not', async () => {
    const repository = await connect();
    const { hostId, fullName } = repository;
    const about = { repository: { id: Number(hostId), full_name: fullName }, ref: 'feature', ref_type: 'branch' };
    for (const [event, body] of [
      ['push', push(repository)],
      ['create', about],
      ['delete', about],
    ] as const) {
      const delivery = randomUUID();
      assert.deepEqual(await deliver(body, { event, delivery }), {
        status: 200,
        body: { ignored: false, duplicate: false },
      });
      assert.ok((await row(repository)).wantedAt, event);
      await again(repository);
      assert.deepEqual((await deliver(body, { event, delivery })).body, { ignored: false, duplicate: true });
      assert.equal((await row(repository)).wantedAt, null, event);
    }
  });

  it('other events are taken, and want nothing', async () => {
    const repository = await connect();
    const body = { ...push(repository), pull_request: { number: 3 } };
    assert.equal((await deliver(body, { event: 'pull_request' })).status, 200);
    assert.equal((await deliver(body, { event: 'ping' })).status, 200);
    assert.equal((await row(repository)).wantedAt, null);
  });

  it('a wrong signature is 401 and changes nothing: another secret, another body, none, of another connection', async () => {
    const repository = await connect();
    await connect({ secret: 'another-secret', fullName: 'acme/other' });
    const body = push(repository);
    assert.equal((await deliver(body, { secret: 'wrong' })).status, 401);
    assert.equal((await deliver(body, { secret: 'another-secret' })).status, 401);
    const signed = createHmac('sha256', 'the-secret').update(JSON.stringify(body)).digest('hex');
    const changed = JSON.stringify({ ...body, after: OLD });
    for (const signature of [`sha256=${signed}`, `sha1=${signed}`, 'sha256=', ''])
      assert.equal((await deliver(changed, { headers: { 'x-hub-signature-256': signature } })).status, 401, signature);
    assert.equal((await row(repository)).wantedAt, null);
    assert.equal(
      await api.database.orm.em.fork().count(Effect, { key: { $like: `webhook:${repository.id}:%` } }, anyTeam),
      0,
    );
  });

  it('the signature is of the bytes, not of what they mean', async () => {
    const repository = await connect();
    const text = `  ${JSON.stringify(push(repository), null, 3)}\n\n`;
    assert.equal((await deliver(text)).status, 200);
    assert.ok((await row(repository)).wantedAt);
  });

  it('GitLab’s token proves a delivery, and only of GitLab', async () => {
    const repository = await connect({ family: 'codehost-b', fullName: 'group/sub/shop' });
    const body = {
      object_kind: 'push',
      ref: 'refs/heads/main',
      before: OLD,
      after: NEW,
      project: { id: Number(repository.hostId), path_with_namespace: 'group/sub/shop' },
    };
    const send = (token: string) =>
      fetch(`${api.url}/api/workspace/webhook/codehost-a`, {
        method: 'POST',
        headers: { 'x-gitlab-event': 'Push Hook', 'x-gitlab-token': token, 'idempotency-key': randomUUID() },
        body: JSON.stringify(body),
      });
    assert.equal((await send('wrong')).status, 401);
    assert.equal((await send('the-secret')).status, 200);
    assert.ok((await row(repository)).wantedAt);
    // Gitea's events are for Gitea's connections.
    assert.deepEqual((await deliver({ ...push(repository) })).body, { ignored: true, duplicate: false });
  });

  it('a repository that nobody has connected is ignored, and so is one that is turned off or disconnected', async () => {
    const unknown = { hostId: '987654', fullName: 'nobody/here' } as Repository;
    const off = await connect({ enabled: false });
    const gone = await connect();
    await forTeam(api.database.orm.em, api.teamId).nativeUpdate(Repository, { id: gone.id }, { integrationId: null });
    for (const repository of [unknown, off, gone])
      assert.deepEqual(await deliver(push(repository)), { status: 200, body: { ignored: true, duplicate: false } });
    assert.equal((await row(off)).wantedAt, null);
  });

  it('reaches every team that has connected the repository with that secret, and no other', async () => {
    const em = api.database.orm.em.fork();
    const teamId = em.create(Team, { name: 'Another' }).id;
    await em.flush();
    const mine = await connect({ hostId: '4711' });
    const theirs = await connect({ hostId: '4711', teamId });
    const another = await connect({ hostId: '4711', teamId, secret: 'another-secret' });
    const renamed = await connect({ hostId: '4711', teamId, fullName: 'acme/renamed', secret: 'a-third-secret' });
    assert.equal((await deliver(push(mine))).status, 200);
    assert.ok((await row(mine)).wantedAt);
    assert.ok((await row(theirs)).wantedAt);
    assert.equal((await row(another)).wantedAt, null);
    // It was renamed since it was listed.
    assert.equal((await deliver(push(mine), { secret: 'a-third-secret' })).status, 200);
    assert.ok((await row(renamed)).wantedAt);
  });

  it('garbage is 422: no event, no JSON, no repository, hostile values', async () => {
    const repository = await connect();
    for (const body of [
      '',
      'null',
      '[]',
      '{',
      '{}',
      '"x"',
      '{"repository":{}}',
      JSON.stringify({ repository: { id: {}, full_name: 1 } }),
    ])
      assert.equal((await deliver(body)).status, 422, body);
    assert.equal((await deliver({ ...push(repository), ref: 7 })).status, 422);
    const installation = await deliver({ action: 'created', installation: { id: 1 } }, { event: 'installation' });
    assert.deepEqual([installation.status, installation.body], [200, { ignored: true, duplicate: false }]);
    const noEvent = await fetch(`${api.url}/api/workspace/webhook/codehost-a`, { method: 'POST', body: '{}' });
    assert.equal(noEvent.status, 422);
    const { status } = await fetch(`${api.url}/api/workspace/webhook/codehost-a`, {
      method: 'POST',
      headers: { 'x-github-event': 'push', 'content-type': 'application/json' },
      body: Buffer.from([0xff, 0xfe, 0x00]),
    });
    assert.equal(status, 422);
    assert.deepEqual((await deliver({ repository: { id: '1\0', full_name: 'a\u202e' } }, { event: 'ping' })).body, {
      ignored: true,
      duplicate: false,
    });
  });

  it('is not limited like a person: a host has one address', async () => {
    const repository = await connect();
    const answers = await Promise.all(Array.from({ length: 60 }, () => deliver(push(repository))));
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
  });

  it('is refused beyond a size', async () => {
    const repository = await connect();
    const { status } = await deliver({ ...push(repository), text: 'x'.repeat(9 * 1_048_576) });
    assert.equal(status, 413);
  });
});
