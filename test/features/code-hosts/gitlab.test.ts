/** GitLab over the API: consent, repositories, webhooks, resync and removal, against a server that speaks its protocols. */
import assert from 'node:assert/strict';
import { forTeam } from '../../../src/db/team-filter.ts';
import { Repository } from '../../../src/features/code-hosts/entities.ts';
import { Integration } from '../../../src/features/integrations/entities.ts';
import { deliverRevocations } from '../../../src/features/integrations/oauth/revocation.ts';
import { startApiOverRows, type ApiOverRows } from '../../support/api-over-rows.ts';
import { startGitLabServer, type GitLabServer } from '../../support/gitlab-server.ts';

const PATH = '/api/codehost-b';
const APP = 'http://127.0.0.1:3000';

describe('connecting GitLab', () => {
  let gitlab: GitLabServer;
  let api: ApiOverRows;

  before(async () => {
    gitlab = await startGitLabServer();
    gitlab.addProject('shop/checkout', { ann: 40 });
    gitlab.addProject('shop/backend/prices', { ann: 30 });
    gitlab.addProject('others/secret', { bob: 40 });
    api = await startApiOverRows({
      CASEBOOK_GITLAB_URL: gitlab.url,
      GITLAB_CLIENT_ID: gitlab.oauth.client.id,
      GITLAB_CLIENT_SECRET: gitlab.oauth.client.secret,
      CASEBOOK_APP_URL: APP,
      // So that a host may report to it.
      CASEBOOK_OUTBOUND_ALLOW: '127.0.0.1',
    });
  });
  after(async () => {
    await api?.stop();
    await gitlab?.stop();
  });

  const em = () => forTeam(api.database.orm.em, api.teamId);
  const begin = async (body: object = {}) => {
    const answer = await api.request('POST', `${PATH}/oauth/url`, body);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body as { authorization_url: string; state: string };
  };
  /** What the browser brings back. */
  const consent = async (url: string): Promise<{ code: string; state: string }> => {
    const response = await fetch(url, { redirect: 'manual' });
    const { searchParams } = new URL(response.headers.get('location') ?? 'http://none');
    return { code: searchParams.get('code') ?? '', state: searchParams.get('state') ?? '' };
  };
  const callback = (body: object, key?: string) => api.request('POST', `${PATH}/oauth/callback`, body, key);
  const connect = async () => {
    const { authorization_url } = await begin();
    return callback(await consent(authorization_url));
  };
  const status = async () => (await api.get(`${PATH}/status`)).body;
  const names = async () =>
    (await api.get('/api/code-hosts/repositories')).body.repositories.map(
      (one: { full_name: string }) => one.full_name,
    );

  it('says that nothing is connected', async () => {
    assert.deepEqual(await status(), {
      connected: false,
      status: 'not_connected',
      error: null,
      last_checked_at: null,
      code_host: null,
    });
    const resync = await api.request('POST', `${PATH}/resync`);
    assert.deepEqual([resync.status, resync.body.code], [409, 'not_connected']);
    assert.deepEqual((await api.request('DELETE', `${PATH}/`)).body, { removed: false });
  });

  it('asks for consent with state, PKCE and the scope api, and stores nothing yet', async () => {
    const { authorization_url, state } = await begin();
    const { origin, pathname, searchParams: asked } = new URL(authorization_url);
    assert.deepEqual([origin, pathname], [gitlab.url, '/oauth/authorize']);
    assert.deepEqual(
      [asked.get('state'), asked.get('code_challenge_method'), asked.get('scope'), asked.get('redirect_uri')],
      [state, 'S256', 'api', `${APP}/integrations/callback`],
    );
    assert.ok((asked.get('code_challenge') ?? '').length >= 43);
    assert.equal((await status()).connected, false);
    assert.deepEqual((await api.get('/api/code-hosts')).body.code_hosts, []);
  });

  it('refuses a redirect to elsewhere, and half an application', async () => {
    for (const [body, field] of [
      [{ redirect_uri: 'https://evil.example/callback' }, 'redirect_uri'],
      [{ client_secret: 'gloas-x' }, 'client_id'],
      [{ unknown: 1 }, 'unknown'],
    ] as const) {
      const answer = await api.request('POST', `${PATH}/oauth/url`, body);
      assert.deepEqual([answer.status, answer.body.detail[0].loc[1]], [422, field], JSON.stringify(answer.body));
    }
  });

  it('uses a state for its caller only, once, and refuses a code that GitLab does not know', async () => {
    const { authorization_url } = await begin();
    const back = await consent(authorization_url);
    assert.equal((await callback({ ...back, state: `${back.state}x` })).status, 422, 'another state');
    assert.equal((await callback(back, await api.keyWith('code-hosts:write'))).status, 422, "another caller's");
    assert.equal((await callback(back)).status, 422, 'it was taken by then');
    const again = await begin();
    const refused = await callback({ code: 'made-up', state: again.state });
    assert.deepEqual([refused.status, refused.body.detail[0].loc], [422, ['body', 'code']]);
    assert.equal((await status()).status, 'not_connected');
  });

  it('stores nothing when GitLab does not answer', async () => {
    for (const target of ['token', 'api']) {
      const { authorization_url } = await begin();
      const back = await consent(authorization_url);
      gitlab.always(target, { status: 502 });
      const answer = await callback(back);
      gitlab.always(target, undefined);
      assert.deepEqual([answer.status, answer.body.code], [503, 'vendor_unreachable'], JSON.stringify(answer.body));
      assert.equal((await status()).connected, false);
    }
  });

  it('connects, lists the repositories that the person may read, and registers webhooks where it may', async () => {
    const { status: code, body } = await connect();
    assert.deepEqual([code, body.status], [200, 'connected'], JSON.stringify(body));
    assert.deepEqual(await names(), ['shop/backend/prices', 'shop/checkout']);
    const { code_host: host, webhook } = body;
    assert.deepEqual([host.repositories, host.webhooks, host.url], [2, 1, gitlab.url]);
    assert.equal(webhook.url, `${APP}/api/workspace/webhook/codehost-a`);
    // A developer may not register webhooks: the person sets that one up by hand.
    assert.deepEqual([webhook.registered, typeof webhook.secret], [false, 'string']);
    assert.match(webhook.problem, /403/u);
    const [hook] = gitlab.projects[0]!.hooks;
    assert.deepEqual([hook?.url, hook?.token], [webhook.url, webhook.secret]);
    assert.deepEqual(hook?.events.toSorted(), [
      'merge_requests_events',
      'pipeline_events',
      'push_events',
      'tag_push_events',
    ]);
    assert.ok(!JSON.stringify((await api.get('/api/code-hosts')).body).includes(webhook.secret), 'shown once');
    const found = await status();
    assert.deepEqual([found.connected, found.status, found.code_host.id], [true, 'connected', host.id]);
    assert.match(found.code_host.webhook_error, /403/u);
  });

  it('is a source of changes like any other', async () => {
    const { body } = await api.get('/api/integrations');
    const [one] = body.integrations;
    assert.deepEqual([one.vendor, one.source_id, one.capabilities], ['GitLab', 'integration:gitlab', ['changes']]);
  });

  it('follows new, renamed and removed repositories, and wants every mirror again', async () => {
    const [checkout, prices] = gitlab.projects;
    const before = await em().findOneOrFail(Repository, { fullName: 'shop/checkout' });
    await em().nativeUpdate(Repository, {}, { wantedAt: null });
    checkout!.path = 'shop/till';
    prices!.members.delete('ann');
    gitlab.addProject('shop/new', { ann: 40 });
    const { status: code, body } = await api.request('POST', `${PATH}/resync`);
    assert.equal(code, 200, JSON.stringify(body));
    assert.deepEqual([body.repositories, body.webhooks, body.wanted], [2, 2, 2]);
    assert.deepEqual(await names(), ['shop/new', 'shop/till']);
    const after = await em().findOneOrFail(Repository, { id: before.id });
    assert.deepEqual([after.fullName, after.hostId], ['shop/till', before.hostId]);
    assert.ok(after.wantedAt);
    const gone = await em().findOneOrFail(Repository, { fullName: 'shop/backend/prices' });
    assert.deepEqual([gone.integrationId, gone.webhookId], [null, null], 'its mirror is to be collected');
  });

  it('keeps what it knows when GitLab is away, and says so', async () => {
    gitlab.always('api', { status: 503 });
    const answer = await api.request('POST', `${PATH}/resync`);
    gitlab.always('api', { status: 429, headers: { 'retry-after': '17' } });
    const limited = await fetch(`${api.url}${PATH}/resync`, { method: 'POST', headers: { 'x-api-key': api.apiKey } });
    gitlab.always('api', undefined);
    assert.deepEqual([answer.status, answer.body.code], [503, 'vendor_unreachable']);
    assert.deepEqual([limited.status, limited.headers.get('retry-after')], [503, '17']);
    assert.deepEqual(await names(), ['shop/new', 'shop/till']);
  });

  it('replaces the tokens, and keeps the id and the webhook secret, when it is connected again', async () => {
    const [hook] = gitlab.projects[0]!.hooks;
    const before = await em().findOneOrFail(Integration, { family: 'codehost-b' });
    const { status: code, body } = await connect();
    assert.deepEqual([code, body.code_host.id], [200, before.id]);
    assert.equal(gitlab.projects[0]!.hooks[0]?.token, hook?.token);
    assert.equal(body.webhook.registered, true);
    assert.equal(body.webhook.secret, null, 'nobody needs it');
    const { revocations, vault } = api.api.deps.integrations;
    const old = vault.open(before)['access_token'];
    const { access_token: current } = vault.open(await em().findOneOrFail(Integration, { id: before.id }));
    assert.ok(gitlab.oauth.live().includes(String(old)));
    await deliverRevocations({ ...revocations, clock: { now: () => new Date(Date.now() + 120_000) } });
    const live = gitlab.oauth.live();
    assert.deepEqual([live.includes(String(old)), live.includes(String(current))], [false, true]);
  });

  it('says that it has to be connected again once GitLab revokes the consent', async () => {
    gitlab.oauth.revokeAll();
    const answer = await api.request('POST', `${PATH}/resync`);
    assert.deepEqual([answer.status, answer.body.code], [409, 'needs_reconnect'], JSON.stringify(answer.body));
    assert.equal((await connect()).status, 200);
  });

  it('revokes tokens and webhooks when it is removed, and leaves mirrors to be collected', async () => {
    const { live } = gitlab.oauth;
    assert.ok(live.call(gitlab.oauth).length > 0);
    assert.deepEqual((await api.request('DELETE', `${PATH}/`)).body, { removed: true });
    const { revocations } = api.api.deps.integrations;
    assert.ok(gitlab.oauth.live().length > 0, 'webhooks are removed first');
    const later = { now: () => new Date(Date.now() + 120_000) };
    await deliverRevocations({ ...revocations, clock: later });
    assert.deepEqual(gitlab.oauth.live(), []);
    assert.deepEqual(
      gitlab.projects.flatMap(({ hooks }) => hooks),
      [],
    );
    assert.deepEqual(await names(), []);
    assert.equal(await em().count(Repository, { integrationId: { $ne: null } }), 0);
    assert.ok((await em().count(Repository, {})) > 0);
    assert.deepEqual((await api.request('DELETE', `${PATH}/`)).body, { removed: false });
  });
});
