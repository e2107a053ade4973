import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CodeHostError } from '@casebook/connectors';
import { mirrorAt, type BareMirror, type MirrorOptions } from '../../../src/features/code-hosts/mirrors/bare.ts';
import { callRemote } from '../../../src/platform/git/index.ts';
import { createOutbound } from '../../../src/platform/outbound/index.ts';
import { startGitHttp, type GitHttp, type HostedRepository } from '../../support/git-http.ts';
import { LONG_TIMEOUTS } from '../../support/timeouts.ts';

const credential = { username: 'casebook', password: 'sekret/+%token' };
const { network } = createOutbound({ allow: ['127.0.0.1', 'localhost', 'code.example.org'] });

describe('code hosts: bare mirrors', () => {
  let host: GitHttp;
  let directory: string;
  before(async () => {
    host = await startGitHttp(credential);
    directory = mkdtempSync(join(tmpdir(), 'casebook-mirrors-'));
  });
  after(async () => {
    await host.close();
    rmSync(directory, { recursive: true, force: true });
  });
  afterEach(() => {
    host.answer = undefined;
  });

  const mirror = (options: Partial<MirrorOptions> = {}): BareMirror =>
    mirrorAt({ directory, gitTimeoutMs: LONG_TIMEOUTS.gitMs, ...options }, randomUUID(), randomUUID());
  const remoteOf = ({ cloneUrl }: HostedRepository) => ({ url: cloneUrl, credential, network });
  let created = 0;
  const repository = (): HostedRepository => host.create(`acme/r${created++}`);
  const refsOf = async (bare: BareMirror): Promise<string[]> =>
    (await bare.git(['for-each-ref', '--format=%(refname) %(objectname)', 'refs/heads', 'refs/tags'])).stdout
      .toString()
      .trim()
      .split('\n');
  const failure = async (work: Promise<unknown>): Promise<CodeHostError> => {
    const error: unknown = await work.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof CodeHostError, String(error));
    return error;
  };

  it('has the branches and tags of the host, follows forced pushes and deletions, and says whether it is current', async () => {
    const there = repository();
    const first = there.commit({ 'a.txt': 'one\n' });
    there.commit({ 'b.txt': 'two\n' }, { branch: 'feature/x', parent: first });
    there.git(['tag', 'v1', first]);
    const bare = mirror();
    assert.equal(await bare.isCurrent(remoteOf(there)), false);
    await bare.fetch(remoteOf(there));
    const hosted = there.git(['for-each-ref', '--format=%(refname) %(objectname)']).split('\n');
    assert.deepEqual(await refsOf(bare), hosted);
    assert.equal(await bare.isCurrent(remoteOf(there)), true);

    const forced = there.commit({ 'c.txt': 'other\n' }, { parent: null });
    there.git(['update-ref', '-d', 'refs/heads/feature/x']);
    there.git(['tag', '-f', 'v1', forced]);
    assert.equal(await bare.isCurrent(remoteOf(there)), false);
    await bare.fetch(remoteOf(there));
    assert.deepEqual(await refsOf(bare), [`refs/heads/main ${forced}`, `refs/tags/v1 ${forced}`]);
    assert.equal(await bare.head('main'), forced);
    // What was forced away stays readable for a while.
    assert.equal(await bare.resolve(first), first);
    assert.equal((await failure(bare.head('feature/x'))).reason, 'not_found');
    assert.ok((await bare.size()) > 0);
  });

  it('follows a branch that makes way for branches below its name, and back', async () => {
    const there = repository();
    const commit = there.commit({ a: '1' });
    there.git(['update-ref', 'refs/heads/a', commit]);
    const bare = mirror();
    await bare.fetch(remoteOf(there));
    there.git(['update-ref', '-d', 'refs/heads/a']);
    there.git(['update-ref', 'refs/heads/a/b', commit]);
    await bare.fetch(remoteOf(there));
    assert.deepEqual(await refsOf(bare), [`refs/heads/a/b ${commit}`, `refs/heads/main ${commit}`]);
    there.git(['update-ref', '-d', 'refs/heads/a/b']);
    there.git(['update-ref', 'refs/heads/a', commit]);
    await bare.fetch(remoteOf(there));
    assert.deepEqual(await refsOf(bare), [`refs/heads/a ${commit}`, `refs/heads/main ${commit}`]);
  });

  it('takes an empty repository', async () => {
    const there = repository();
    const bare = mirror();
    await bare.fetch(remoteOf(there));
    assert.equal((await failure(bare.head('main'))).reason, 'not_found');
    await bare.collect(Date.now());
  });

  it('pushes branches of Casebook only, never by force, and repeats harmlessly', async () => {
    const there = repository();
    const base = there.commit({ a: '1' });
    const bare = mirror();
    await bare.fetch(remoteOf(there));
    const made = (message: string): string =>
      execFileSync('git', [`--git-dir=${bare.gitDir}`, 'commit-tree', `${base}^{tree}`, '-p', base, '-m', message], {
        encoding: 'utf8',
        env: {
          PATH: process.env['PATH'],
          GIT_AUTHOR_NAME: 'C',
          GIT_AUTHOR_EMAIL: 'c@x',
          GIT_COMMITTER_NAME: 'C',
          GIT_COMMITTER_EMAIL: 'c@x',
        },
      }).trim();
    const commit = made('one');
    const refspec = `${commit}:refs/heads/casebook/pr-1`;
    await bare.push(remoteOf(there), [refspec]);
    await bare.push(remoteOf(there), [refspec]);
    assert.equal(there.git(['rev-parse', 'refs/heads/casebook/pr-1']), commit);
    assert.equal(
      (await failure(bare.push(remoteOf(there), [`${made('two')}:refs/heads/casebook/pr-1`]))).reason,
      'conflict',
    );
    for (const refused of [
      `${commit}:refs/heads/main`,
      `+${commit}:refs/heads/casebook/pr-1`,
      ':refs/heads/casebook/pr-1',
      `${commit}:refs/heads/casebook/../main`,
      `${commit}:refs/heads/casebook/`,
      `${commit}:refs/tags/casebook/v1`,
      '--upload-pack=touch /tmp/x',
      `main:refs/heads/casebook/x`,
    ]) {
      const { reason } = await failure(bare.push(remoteOf(there), [refspec, refused]));
      assert.equal(reason, 'invalid', refused);
    }
    assert.equal(there.git(['rev-parse', 'refs/heads/main']), base);
  });

  it('says what the host answered, in the host’s errors', async () => {
    const there = repository();
    there.commit({ a: '1' });
    const bare = mirror();
    const withStatus = async (status: number, headers: Record<string, string> = {}): Promise<CodeHostError> => {
      host.answer = (_request, response) => {
        response.writeHead(status, headers).end(`echo ${credential.password}`);
        return true;
      };
      return failure(bare.fetch(remoteOf(there)));
    };
    assert.equal((await withStatus(403)).reason, 'forbidden');
    assert.equal((await withStatus(404)).reason, 'not_found');
    assert.equal((await withStatus(429)).reason, 'limited');
    assert.equal((await withStatus(503)).reason, 'unavailable');
    const moved = await withStatus(301, { location: `${host.url}/elsewhere.git/info/refs` });
    assert.equal(moved.reason, 'not_found');
    assert.ok(!host.requests.some(({ url }) => url.startsWith('/elsewhere')), 'a redirect was followed');
    host.answer = undefined;
    const wrong = { url: there.cloneUrl, credential: { username: 'casebook', password: 'old' }, network };
    assert.equal((await failure(bare.fetch(wrong))).reason, 'unauthorized');
    assert.equal((await failure(bare.fetch({ url: there.cloneUrl, network }))).reason, 'unauthorized');
  });

  it('keeps the credential out of arguments, files and messages, also when the host repeats it', async () => {
    const there = repository();
    there.commit({ a: '1' });
    const log = join(directory, 'arguments.log');
    const program = join(directory, 'git-watched');
    writeFileSync(program, `#!/bin/sh\necho "$@" >> '${log}'\nexec git "$@"\n`, { mode: 0o755 });
    const bare = mirror({ program });
    await bare.fetch(remoteOf(there));
    host.answer = (_request, response) => {
      const line = `ERR ${credential.password}\n`;
      const packet = (line.length + 4).toString(16).padStart(4, '0') + line;
      response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' });
      response.end(packet);
      return true;
    };
    const error = await failure(bare.fetch(remoteOf(there)));
    const secrets = [
      credential.password,
      Buffer.from(`${credential.username}:${credential.password}`).toString('base64'),
    ];
    const files = readdirSync(bare.gitDir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
    for (const text of [
      JSON.stringify(error),
      error.message,
      error.stack ?? '',
      String(error.cause),
      readFileSync(log, 'utf8'),
      ...files,
    ])
      for (const secret of secrets) assert.ok(!text.includes(secret), text.slice(0, 500));
    assert.equal((await bare.git(['remote'])).stdout.toString(), '');
  });

  it('goes only where the outbound guard allows, to the address that it resolved, and over HTTP only', async () => {
    const there = repository();
    there.commit({ a: '1' });
    const strict = createOutbound({ allow: [] }).network;
    assert.equal((await failure(mirror().fetch({ ...remoteOf(there), network: strict }))).reason, 'invalid');
    for (const url of [
      'ssh://code.example.org/a.git',
      'file:///etc',
      'git://code.example.org/a.git',
      'ext::sh -c touch% /tmp/pwned',
      '--upload-pack=touch /tmp/pwned',
      'https://user:pass@code.example.org/a.git',
    ])
      assert.equal((await failure(mirror().fetch({ url, credential, network }))).reason, 'invalid', url);
    // The name is no name that the machine knows: only the pinned address can be what was reached.
    const resolving = createOutbound({
      allow: ['code.example.org'],
      resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    }).network;
    const { port } = new URL(host.url);
    const bare = mirror();
    await bare.fetch({
      url: `http://code.example.org:${port}${new URL(there.cloneUrl).pathname}`,
      credential,
      network: resolving,
    });
    assert.equal(await bare.head('main'), there.git(['rev-parse', 'main']));
  });

  it('waits for a host that prepares a large pack and sends only a sign of life every five seconds', async () => {
    const { env } = await callRemote({ url: host.url, network }, '/nonexistent');
    const settings = new Map(
      Array.from({ length: Number(env['GIT_CONFIG_COUNT']) }, (_, n) => [
        env[`GIT_CONFIG_KEY_${n}`],
        Number(env[`GIT_CONFIG_VALUE_${n}`]),
      ]),
    );
    // Five bytes each, between which Git must not give up.
    assert.ok(settings.get('http.lowSpeedLimit')! <= 1 && settings.get('http.lowSpeedTime')! >= 300);
  });

  it('clears away what killed processes left: locks, half-written packs, kept packs', async () => {
    const there = repository();
    there.commit({ a: '1' });
    const bare = mirror({ staleMs: 60_000, transferTimeoutMs: 20 * 60_000 });
    await bare.fetch(remoteOf(there));
    there.commit({ a: '2' });
    const leave = (name: string, minutes: number): void => {
      const at = new Date(Date.now() - minutes * 60_000);
      writeFileSync(join(bare.gitDir, name), 'x');
      utimesSync(join(bare.gitDir, name), at, at);
    };
    const locks = ['refs/heads/main.lock', 'packed-refs.lock'];
    const packs = ['objects/pack/tmp_pack_abc', 'objects/pack/pack-x.keep'];
    for (const name of locks) leave(name, 2);
    for (const name of packs) leave(name, 22);
    // Another process may still be fetching: Git does not touch its pack while it resolves deltas.
    leave('objects/pack/tmp_pack_live', 20);
    await bare.fetch(remoteOf(there));
    await bare.collect(Date.now());
    assert.equal(await bare.head('main'), there.git(['rev-parse', 'main']));
    for (const name of [...locks, ...packs]) assert.ok(!existsSync(join(bare.gitDir, name)), name);
    assert.ok(existsSync(join(bare.gitDir, 'objects/pack/tmp_pack_live')));

    // A lock of a process that may be alive is respected, and a later attempt is asked for.
    there.commit({ a: '3' });
    writeFileSync(join(bare.gitDir, 'refs/heads/main.lock'), '');
    const error = await failure(bare.fetch(remoteOf(there)));
    assert.equal(error.reason, 'unavailable');
    assert.ok(error.retryAfterMs! > 0);
    assert.ok(existsSync(join(bare.gitDir, 'refs/heads/main.lock')));
  });

  it('gives up a repository that is larger than the limit, and does not fetch it again', async () => {
    const there = repository();
    there.commit({ big: { content: randomBytes(300_000) } });
    const bare = mirror({ maxBytes: 10_000 });
    const fetched = (): number =>
      host.requests.filter(({ method, url }) => method === 'POST' && url.startsWith(new URL(there.cloneUrl).pathname))
        .length;
    const first = await failure(bare.fetch(remoteOf(there)));
    assert.equal(first.reason, 'invalid');
    assert.match(first.message, /larger than/);
    const asked = fetched();
    assert.ok(asked > 0);
    assert.equal((await failure(bare.fetch(remoteOf(there)))).reason, 'invalid');
    assert.equal(fetched(), asked);
  });

  it('is not emptied by a host that answers without branches', async () => {
    const there = repository();
    const commit = there.commit({ a: '1' });
    const bare = mirror();
    await bare.fetch(remoteOf(there));
    for (const page of ['', 'Back soon.', '<html>\n</html>\n']) {
      host.answer = (_request, response) => {
        response.writeHead(200).end(page);
        return true;
      };
      assert.equal((await failure(bare.fetch(remoteOf(there)))).reason, 'unavailable', page);
      assert.equal(await bare.head('main'), commit);
    }
    host.answer = undefined;
    // The default branch is gone, others are not.
    there.git(['update-ref', 'refs/heads/other', commit]);
    there.git(['update-ref', '-d', 'refs/heads/main']);
    await bare.fetch(remoteOf(there));
    assert.equal(await bare.head('other'), commit);
    assert.equal((await failure(bare.head('main'))).reason, 'not_found');
  });

  it('joins packs of many fetches, and prunes once a week', async () => {
    const there = repository();
    const bare = mirror();
    for (let n = 0; n < 22; n++) {
      there.commit({ a: String(n) });
      await bare.fetch(remoteOf(there));
    }
    const packs = (): number =>
      readdirSync(join(bare.gitDir, 'objects/pack')).filter((name) => name.endsWith('.pack')).length;
    assert.equal(packs(), 22);
    await bare.collect(Date.now());
    assert.ok(packs() < 10, String(packs()));
    there.commit({ a: 'last' });
    await bare.fetch(remoteOf(there));
    await bare.collect(Date.now() + 8 * 24 * 3_600_000);
    assert.equal(packs(), 1);
    assert.equal(await bare.head('main'), there.git(['rev-parse', 'main']));
  });

  it('keeps names that other programs might take for options, and follows none of them', async () => {
    const there = repository();
    const commit = there.commit({ a: '1' });
    const names = ['-x', '--upload-pack=touch', 'a;b', '$(id)', 'ü/中'];
    for (const name of names) there.git(['update-ref', `refs/heads/${name}`, commit]);
    const bare = mirror();
    await bare.fetch(remoteOf(there));
    for (const name of names) {
      assert.equal(await bare.head(name), commit, name);
      assert.equal(await bare.resolve(name), commit, name);
    }
    for (const name of ['', '..', 'main~1', 'main^', '@{u}', ':a', 'main:a', 'x.lock', '/main', 'a b', '-'.repeat(300)])
      assert.equal(await bare.resolve(name), undefined, name);
  });
});
