/** The fake GitHub, on which the other tests rely. */
import assert from 'node:assert/strict';
import { startGitHubServer, type GitHubServer } from '../../support/github-server.ts';
import { sha } from './github-support.ts';

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
});
