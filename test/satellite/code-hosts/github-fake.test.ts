/** The fake GitHub, on which the other tests rely. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGitHubServer, type GitHubServer } from '../../support/github-server.ts';
import { call, hostOn, sha } from './github-support.ts';

describe('code host: fake GitHub', () => {
  let server: GitHubServer;
  beforeEach(async () => {
    server = await startGitHubServer();
    const shop = server.addRepository('acme/shop');
    shop.branches.set('fix', { commit: sha('f'), isProtected: false });
  });

  const send = async (method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${server.token}`, 'user-agent': 'test' };
    const sent = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const answer = await fetch(server.url + path, sent);
    return answer.status;
  };
  const problems = async (): Promise<string> => {
    const failure = await server.stop().then(
      () => undefined,
      (error: Error) => error.message,
    );
    return failure ?? '';
  };

  it('accepts what GitHub describes', async () => {
    assert.equal(await send('GET', '/repos/acme/shop/pulls?state=all&per_page=100'), 200);
    assert.equal(await send('POST', '/repos/acme/shop/pulls', { head: 'fix', base: 'main', title: 'x' }), 201);
    assert.equal(await send('GET', '/repos/acme/none'), 404);
    assert.equal(await problems(), '');
  });

  it('complains of requests that GitHub does not describe', async () => {
    await send('GET', '/repos/acme/shop/pulls?state=merged');
    await send('GET', '/repos/acme/shop/pulls?author=ann');
    await send('GET', '/repos/acme/shop/milestones');
    await send('POST', '/repos/acme/shop/pulls', { head: 'fix', title: 'x' });
    await send('POST', '/repos/acme/shop/pulls', { head: 'fix', base: 'main', title: 'x', isDraft: true });
    await send('POST', '/repos/acme/shop/pulls');
    const said = (await problems()).split('\n');
    const expected = [
      /query parameter state/u,
      /unknown query parameter author/u,
      /no operation GET \/repos\/acme\/shop\/milestones/u,
      /body: \/ must have required property 'base'/u,
      /body: unknown member isDraft/u,
      /has no body/u,
    ];
    assert.equal(said.length, expected.length, said.join('\n'));
    for (const [index, pattern] of expected.entries()) assert.match(said[index]!, pattern);
  });

  it('complains of its own answers where they are not as described', async () => {
    const [shop] = server.repositories;
    shop!.defaultBranch = null as never;
    shop!.statuses.push({ commit: sha('f'), context: 'ci', state: 1 as never });
    assert.equal(await send('GET', '/repos/acme/shop'), 500);
    assert.equal(await send('GET', `/repos/acme/shop/commits/${sha('f')}/status`), 500);
    assert.match(await problems(), /default_branch must be string[^]*statuses\/0\/state must be string/u);
  });

  it('has the branches, files and merges of a bare repository', async () => {
    const gitDir = await mkdtemp(join(tmpdir(), 'casebook-github-'));
    try {
      const git = (...args: string[]) =>
        execFileSync('git', [`--git-dir=${gitDir}`, ...args], { encoding: 'utf8' }).trim();
      const commit = (branch: string, from: string, path: string, text: string): string => {
        const input = `commit refs/heads/${branch}\ncommitter A <a@b> 1767225600 +0000\ndata 1\nx\n${from}M 644 inline ${path}\ndata ${text.length}\n${text}\n`;
        execFileSync('git', [`--git-dir=${gitDir}`, 'fast-import', '--quiet', '--force'], { input });
        return git('rev-parse', branch);
      };
      execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', gitDir]);
      const first = commit('main', '', 'a.txt', 'one');
      const fix = commit('fix', `from ${first}\n`, 'a.txt', 'two');
      const shop = server.addRepository('acme/git', { gitDir, cloneUrl: 'https://git.example/acme/git.git' });
      const host = hostOn(server);
      assert.equal((await host.repository('acme/git', call)).cloneUrl, shop.cloneUrl);
      assert.deepEqual(
        (await host.branches('acme/git', call)).map(({ name, commit: at }) => [name, at]),
        [
          ['main', first],
          ['fix', fix],
        ],
      );
      const wanted = { head: 'fix', base: 'main', title: 'x', body: '', isDraft: false };
      const { number } = await host.createPullRequest('acme/git', wanted, call);
      const newer = commit('fix', `from ${fix}\n`, 'b.txt', 'three');
      assert.equal((await host.pullRequest('acme/git', number, call)).headCommit, newer);
      const merged = server.merge(shop, shop.pulls[0]!);
      assert.equal(git('show', `${merged}:b.txt`), 'three');
      assert.equal((await host.pullRequest('acme/git', number, call)).mergeCommit, merged);
    } finally {
      await rm(gitDir, { recursive: true });
    }
    assert.equal(await problems(), '');
  });
});
