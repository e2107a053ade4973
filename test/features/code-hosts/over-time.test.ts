/** What happens to code hosts over time: tokens are renewed once, repositories are listed again, failures are told. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { CodeHostError } from '@casebook/connectors';
import { composeRooms, openCore, type House } from '../../../src/compose.ts';
import { forTeam } from '../../../src/db/team-filter.ts';
import { Listing, Repository } from '../../../src/features/code-hosts/entities.ts';
import { listDue, listRepositories } from '../../../src/features/code-hosts/listing.ts';
import { listFirst } from '../../../src/features/code-hosts/service.ts';
import { removeWebhooks } from '../../../src/features/code-hosts/webhook-registration.ts';
import { Integration } from '../../../src/features/integrations/entities.ts';
import { recordedLog, testConfig } from '../../http/support/api.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { startGitLabServer, type GitLabServer } from '../../support/gitlab-server.ts';
import { createIntegration } from '../../support/integration-rows.ts';

const TEAM = '00000000-0000-4000-8000-000000000001';
const KEY = randomBytes(32).toString('hex');

describe('code hosts over time', () => {
  let database: TestDatabase;
  let gitlab: GitLabServer;
  /** As two worker processes have it. */
  let workers: House[];

  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database?.drop());

  beforeEach(async () => {
    gitlab = await startGitLabServer();
    gitlab.addProject('shop/checkout');
    const config = testConfig({
      DATABASE_URL: database.url,
      TEMPORAL_ADDRESS: '127.0.0.1:1',
      CASEBOOK_SECRET_KEY: KEY,
      CASEBOOK_OUTBOUND_ALLOW: '127.0.0.1',
      CASEBOOK_GITLAB_URL: gitlab.url,
      CASEBOOK_APP_URL: 'http://127.0.0.1:3000',
    });
    const { log } = recordedLog('silent');
    workers = [composeRooms(await openCore(config, log)), composeRooms(await openCore(config, log))];
    await em().nativeDelete(Repository, {});
    await em().nativeDelete(Listing, {});
    await em().nativeDelete(Integration, {});
  });
  afterEach(async () => {
    for (const { closing } of workers) await closing.disposeAsync();
    await gitlab.stop();
  });

  const em = () => forTeam(database.orm.em, TEAM);
  const only = () => em().findOneOrFail(Integration, {});
  const names = async () => (await workers[0]!.codeHosts.list(em())).map(({ fullName }) => fullName);
  const { signal: working } = new AbortController();
  const sweep = () => Promise.all(workers.map(({ codeHostListings }) => listDue(codeHostListings, working)));
  const due = () => em().nativeUpdate(Listing, {}, { dueAt: new Date(0) });
  const listings = () => gitlab.requests.filter(({ path }) => path.startsWith('/api/v4/projects?')).length;

  /** A connection whose access token has some time left. */
  async function connected(secondsLeft = 7_200): Promise<void> {
    const { oauth } = gitlab;
    const access_token = oauth.issue();
    const { refresh } = oauth.tokens.get(access_token)!;
    const manager = em();
    createIntegration(manager, workers[0]!.integrations.vault, {
      teamId: TEAM,
      family: 'codehost-b',
      name: 'gitlab',
      settings: { url: gitlab.url, redirect_uri: oauth.client.redirectUris[0] },
      secrets: {
        client_id: oauth.client.id,
        client_secret: oauth.client.secret,
        access_token,
        refresh_token: refresh,
        expires_at: Date.now() + secondsLeft * 1_000,
        webhook_secret: 'the secret of the webhooks',
      },
    });
    await manager.flush();
  }

  it('renews a token once, however many processes need it, though each refresh ends the tokens before', async () => {
    await connected(30);
    const row = await only();
    const opened = workers.flatMap(({ integrations }) => Array.from({ length: 5 }, () => integrations.codeHost(row)));
    const call = { signal: new AbortController().signal };
    for (const host of await Promise.all(opened)) assert.equal((await host.account(call)).login, 'ann');
    assert.equal(gitlab.oauth.refreshes, 1);
    assert.equal(gitlab.oauth.live().length, 1);
    const { password } = await (await workers[1]!.integrations.codeHost(await only())).gitCredential(call);
    assert.deepEqual([password], gitlab.oauth.live());
  });

  it('says that the consent was revoked, and that the server is away, in the words of code hosts', async () => {
    const reasonOf = async () => {
      try {
        await workers[0]!.integrations.codeHost(await only());
        return undefined;
      } catch (error) {
        assert.ok(error instanceof CodeHostError, String(error));
        return error.reason;
      }
    };
    await connected(-30);
    gitlab.always('token', { status: 503 });
    assert.equal(await reasonOf(), 'unavailable');
    gitlab.always('token', undefined);
    gitlab.oauth.revokeAll();
    assert.equal(await reasonOf(), 'unauthorized');
    assert.equal((await only()).status, 'needs_reconnect');
  });

  it('lists what a process that was killed had connected, in one process, and again when it is due', async () => {
    await connected();
    await sweep();
    assert.deepEqual(await names(), ['shop/checkout']);
    assert.equal(listings(), 1);
    gitlab.addProject('shop/prices');
    await sweep();
    assert.equal(listings(), 1, 'not before it is due');
    await due();
    await sweep();
    assert.equal(listings(), 2);
    assert.deepEqual(await names(), ['shop/checkout', 'shop/prices']);
    assert.deepEqual(
      gitlab.projects.map(({ hooks }) => hooks.map(({ token }) => token)),
      [['the secret of the webhooks'], ['the secret of the webhooks']],
    );
  });

  it('lists soon what a person who connects it has not seen listed, and says why until then', async () => {
    await connected();
    const { codeHostListings } = workers[0]!;
    const { signal } = new AbortController();
    const killed = { ...codeHostListings, open: () => Promise.reject(new Error('as if killed')) };
    await assert.rejects(listFirst(killed, em(), await only(), signal), /as if killed/u);
    assert.ok((await em().findOneOrFail(Listing, {})).dueAt.getTime() < Date.now() + 90_000);
    const slow = { ...codeHostListings, open: () => Promise.reject(new CodeHostError('unavailable', 'Away.')) };
    assert.equal((await listFirst(slow, em(), await only(), signal)).error, 'Away.');
    assert.equal((await em().findOneOrFail(Listing, {})).error, 'Away.');
    await sweep();
    assert.deepEqual(await names(), ['shop/checkout']);
    const { error, dueAt } = await em().findOneOrFail(Listing, {});
    assert.equal(error, null);
    assert.ok(dueAt.getTime() > Date.now() + 600_000);
  });

  it('waits in a sweep for a host that takes minutes, and leaves it to the next worker when its own stops', async () => {
    await connected();
    const { codeHostListings, integrations } = workers[0]!;
    const real = await integrations.codeHost(await only());
    const { timeout } = AbortSignal;
    const timeouts: { ms: number; controller: AbortController }[] = [];
    const passing = (passed: number) => {
      for (const { ms, controller } of timeouts) if (ms <= passed) controller.abort(new Error(`${ms} ms are over`));
    };
    const stopping = new AbortController();
    const slow = (meanwhile: () => void) => async (): Promise<typeof real> => ({
      ...real,
      async *repositories(call) {
        meanwhile();
        call.signal.throwIfAborted();
        yield* real.repositories({ signal: working });
      },
    });
    AbortSignal.timeout = (ms) => {
      const controller = new AbortController();
      timeouts.push({ ms, controller });
      return controller.signal;
    };
    try {
      await listDue({ ...codeHostListings, open: slow(() => passing(4 * 60_000)) }, stopping.signal);
      assert.ok((await em().findOneOrFail(Listing, {})).listedAt);
      await due();
      await listDue({ ...codeHostListings, open: slow(() => stopping.abort(new Error('stop'))) }, stopping.signal);
    } finally {
      AbortSignal.timeout = timeout;
    }
    const { error, dueAt } = await em().findOneOrFail(Listing, {});
    assert.equal(error, null);
    assert.ok(dueAt <= new Date());
  });

  it('asks again for a webhook that the host refused only when a person does, or much later', async () => {
    await connected();
    gitlab.addProject('shop/prices', { ann: 30 });
    const asked = () => gitlab.requests.filter(({ path }) => /shop%2Fprices\/hooks/iu.test(path)).length;
    await sweep();
    assert.equal(asked(), 1);
    await due();
    await sweep();
    assert.equal(listings(), 2);
    assert.equal(asked(), 1);
    assert.match((await em().findOneOrFail(Listing, {})).webhookError ?? '', /answered 403/u, 'still known');
    const { signal } = new AbortController();
    const { codeHostListings } = workers[0]!;
    await listRepositories(codeHostListings, em(), await only(), { signal, again: 'refused' });
    assert.equal(asked(), 2);
    assert.equal(gitlab.requests.filter(({ path }) => /shop%2Fcheckout\/hooks/iu.test(path)).length, 2, 'only those');
    const long = new Date(Date.now() + 7 * 3_600_000);
    await listRepositories({ ...codeHostListings, clock: { now: () => long } }, em(), await only(), { signal });
    assert.equal(asked(), 3);
  });

  it('registers no further webhook once the host limits requests, whatever else is refused', async () => {
    await connected();
    for (let n = 0; n < 20; n++) gitlab.addProject(`shop/other-${n}`);
    const { codeHostListings, integrations } = workers[0]!;
    const real = await integrations.codeHost(await only());
    const { promise: full, resolve: fill } = Promise.withResolvers<void>();
    let calls = 0;
    const host: typeof real = {
      ...real,
      async registerWebhook() {
        const isFirst = (calls += 1) === 1;
        if (calls === 4) fill();
        await full;
        throw new CodeHostError(isFirst ? 'limited' : 'forbidden', 'Not now.');
      },
    };
    const { signal } = new AbortController();
    await listRepositories({ ...codeHostListings, open: async () => host }, em(), await only(), { signal });
    assert.equal(calls, 4, 'those that were under way');
  });

  it('removes every webhook that it may, whatever becomes of the others', async () => {
    await connected();
    const real = await workers[0]!.integrations.codeHost(await only());
    const hooks = Array.from({ length: 10 }, (_, n) => ({ fullName: `shop/${n}`, webhookId: '1' }));
    const tried: string[] = [];
    const refusing = (reason: CodeHostError['reason']) => async () => ({
      ...real,
      async removeWebhook(fullName: string) {
        tried.push(fullName);
        throw new CodeHostError(reason, 'No.');
      },
    });
    const { log } = workers[0]!.codeHostListings;
    await removeWebhooks(hooks, refusing('forbidden'), log);
    assert.equal(tried.length, 10);
    tried.length = 0;
    await removeWebhooks(hooks, refusing('unavailable'), log);
    assert.ok(tried.length <= 4, 'none but those that were under way');
  });

  it('keeps everything while the host does not list it, and says why', async () => {
    await connected();
    gitlab.addProject('shop/prices');
    await sweep();
    await due();
    gitlab.always('api', { status: 500 });
    await sweep();
    const { error, dueAt } = await em().findOneOrFail(Listing, {});
    assert.match(error ?? '', /answered 500/u);
    assert.ok(dueAt > new Date());
    assert.deepEqual(await names(), ['shop/checkout', 'shop/prices']);
    gitlab.always('api', undefined);
    await due();
    await sweep();
    assert.equal((await em().findOneOrFail(Listing, {})).error, null);
  });

  it('leaves alone what is turned off, and what has to be connected again', async () => {
    await connected();
    await sweep();
    await due();
    await em().nativeUpdate(Integration, {}, { enabled: false });
    await sweep();
    assert.deepEqual(await names(), []);
    const all = em().find(Repository, {});
    await assert.rejects(workers[0]!.codeHosts.hostOf((await all)[0]!), /turned off/u);
    await em().nativeUpdate(Integration, {}, { enabled: true, status: 'needs_reconnect' });
    await sweep();
    assert.equal(listings(), 1);
    assert.deepEqual(await names(), ['shop/checkout']);
  });

  it('takes nothing away when a host lists more than is followed, and says so', async () => {
    await connected();
    await sweep();
    const { codeHostListings, integrations } = workers[0]!;
    const real = await integrations.codeHost(await only());
    const listed = { defaultBranch: 'main', cloneUrl: 'x', webUrl: 'x', isPrivate: true, isArchived: false };
    const host: typeof real = {
      ...real,
      async *repositories() {
        for (let id = 0; id < 2_001; id++) yield { ...listed, id: `other-${id}`, fullName: `shop/other-${id}` };
      },
    };
    const open = () => Promise.resolve(host);
    const webhookOf = () => ({ url: 'x', secret: 'x', problem: 'not here' });
    const { signal } = new AbortController();
    const deps = { ...codeHostListings, open, webhookOf };
    const { repositories, error } = await listRepositories(deps, em(), await only(), { signal });
    assert.equal(repositories, 2_000);
    assert.match(error ?? '', /more than 2000/u);
    assert.ok((await names()).includes('shop/checkout'));
  });

  it('leaves out names that could become other paths, and keeps a repository that is made anew apart', async () => {
    await connected();
    const unusable = ['shop/..', 'shop/...', 'shop/.git', '-x/y', 'shop/x.git', 'shop/a b', 'shop/\0'];
    for (const path of unusable) gitlab.addProject(path);
    for (const branch of ['a..b', '-x\0', 'a\0', 'a.lock']) gitlab.addProject('shop/branch').defaultBranch = branch;
    gitlab.addProject('shop/.github');
    await sweep();
    assert.deepEqual(await names(), ['shop/.github', 'shop/checkout']);
    const { error } = await em().findOneOrFail(Listing, {});
    assert.match(error ?? '', /^Left out, .*: "shop\/\.\.", .*"-x\/y", .* and 6 more\.$/u);
    const before = await em().findOneOrFail(Repository, { fullName: 'shop/checkout' });
    gitlab.projects.shift();
    gitlab.addProject('shop/checkout');
    await due();
    await sweep();
    const all = await em().find(Repository, { fullName: 'shop/checkout' }, { orderBy: { createdAt: 'asc' } });
    assert.deepEqual(
      all.map(({ id, integrationId }) => [id === before.id, integrationId === null]),
      [
        [true, true],
        [false, false],
      ],
    );
    const { codeHosts } = workers[0]!;
    assert.equal((await codeHosts.find(em(), 'Shop/Checkout')).id, all[1]!.id, 'in any capitals');
    await assert.rejects(codeHosts.find(em(), 'shop/missing'), { code: 'repository_not_found' });
  });
});
