/** A suggested change, from the report and from a chat to a real Gitea, and back. */
import assert from 'node:assert/strict';
import { startGitea, type TestGitea } from '../support/gitea.ts';
import type { ScriptedStep } from '../support/scripted-model/index.ts';
import { reportInput } from '../support/scripts.ts';
import { waitUntil } from '../support/wait-until.ts';
import { assertPresentable, startWeb, type Web } from '../support/web/index.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- bodies are whatever the servers sent
type Json = any;

const HOSTILE = '<img src=x onerror=alert(1)>';

describe('suggested pull requests', () => {
  let gitea: TestGitea;
  let web: Web;
  let bad: string;
  const commit = async (content: string, message: string, sha?: string): Promise<Json> =>
    gitea.api(sha === undefined ? 'POST' : 'PUT', '/repos/casebook/shop/contents/pool.ts', {
      content: Buffer.from(content).toString('base64'),
      message,
      ...(sha !== undefined && { sha }),
    });
  const play = ({ turn, request }: { turn: number; request: object }): ScriptedStep => {
    const repository = 'casebook/shop';
    const isChat = !JSON.stringify(request).includes('submit_report');
    if (isChat) {
      const edits = [{ path: 'docs/pool.md', content: `${HOSTILE}\n` }];
      if (turn === 0)
        return { toolUses: [{ name: 'suggest_pr', input: { repository, title: `Document ${HOSTILE}`, edits } }] };
      return { text: 'Suggested.' };
    }
    if (turn === 0) {
      const input = { repository, title: 'Revert “Shrink the pool”', body: 'It was too small.', revert_commit: bad };
      return { toolUses: [{ name: 'suggest_pr', input }] };
    }
    const report = reportInput({ recommended_pr: { suggestion: 1 }, citations: [] });
    return { toolUses: [{ name: 'submit_report', input: { ...report, accept_unverified: true } }] };
  };

  before(async () => {
    gitea = await startGitea();
    await gitea.api('POST', '/user/repos', { name: 'shop', private: true, default_branch: 'main' });
    const first = await commit('const size = 10;\n', 'Open a pool');
    bad = (await commit('const size = 1;\n', 'Shrink the pool', first.content.sha)).commit.sha;
    await gitea.api('POST', '/repos/casebook/shop/branches', { new_branch_name: 'release', old_branch_name: 'main' });
    web = await startWeb({ script: play, env: { CASEBOOK_OUTBOUND_ALLOW: '127.0.0.1,localhost' } });
    await web.call('POST', '/api/code-hosts/gitea', { name: 'gitea', url: gitea.url, token: gitea.admin.token });
    await waitUntil(
      async () => {
        const { repositories } = await web.call<Json>('GET', '/api/code-hosts/repositories');
        return repositories.some((one: Json) => one.synced_at !== null) ? true : undefined;
      },
      { what: 'the mirror of the repository' },
    );
  });
  after(async () => {
    await web?.stop();
    await gitea?.stop();
  });

  it('opens from the report into a chosen branch as a draft, and shows that it was merged', async () => {
    const { investigation_id: id } = await web.call<Json>('POST', '/api/v1/investigate', { query: 'Why is it slow?' });
    await waitUntil(
      async () =>
        (await web.call<Json>('GET', `/api/v1/investigations/${id}`)).status === 'processing' ? undefined : true,
      { what: 'the end of the investigation' },
    );
    const { page, end } = await web.visit(`/investigation/${id}`);
    await page.getByRole('heading', { level: 2, name: 'Recommended pull request' }).waitFor();
    await page.getByText('Revert “Shrink the pool”').first().waitFor();
    const diff = page.getByRole('region', { name: 'Changes of pool.ts' });
    assert.match(await diff.innerText(), /-const size = 1;\n\+const size = 10;/);
    await page.getByLabel('Merge into').selectOption('release');
    await page.getByLabel('As a draft').check();
    await assertPresentable(page, 'suggested-pull-request');
    await page.getByRole('button', { name: 'Open pull request' }).press('Enter');
    const link = page.getByRole('link', { name: /^casebook\/shop#1\b/ });
    await link.waitFor();
    assert.match((await link.getAttribute('href')) ?? '', /\/casebook\/shop\/pulls\/1$/);
    await page.getByText('Draft', { exact: true }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Open pull request' }).count(), 0);
    await assertPresentable(page, 'opened-pull-request');

    const pull = (await gitea.api('GET', '/repos/casebook/shop/pulls/1')) as Json;
    assert.deepEqual([pull.base.ref, pull.draft], ['release', true]);
    await gitea.api('PATCH', '/repos/casebook/shop/pulls/1', { title: pull.title.replace(/^WIP: ?/, '') });
    await gitea.mergePullRequest('casebook/shop', 1);
    await page.getByText('Fixed by #1, merged.').waitFor();
    await page.reload();
    await page.getByText('Fixed by #1, merged.').waitFor();
    await end();
  });

  it('opens from a chat; hostile text stays text', async () => {
    const answer = await web.call<Json>('POST', '/api/v1/chat', {
      messages: [{ role: 'user', content: 'Document the pool.' }],
    });
    const { page, end } = await web.visit(`/chat/${answer.chat_id}`);
    const suggested = page.getByRole('region', { name: 'Suggested pull request' });
    await suggested.getByText(`Document ${HOSTILE}`).waitFor();
    assert.match(await suggested.getByRole('region', { name: 'Changes of docs/pool.md' }).innerText(), /\+<img src=x/);
    await assertPresentable(page, 'chat-pull-request');
    await suggested.getByRole('button', { name: 'Open pull request' }).click();
    await suggested.getByRole('link', { name: /^casebook\/shop#2\b/ }).waitFor();
    await page.reload();
    await suggested.getByRole('link', { name: /^casebook\/shop#2\b/ }).waitFor();
    await end();
  });

  it('is shown to those who may only read, without a way to open it', async () => {
    const { api_key: key } = await web.call<Json>('POST', '/api/api-keys', {
      name: 'reader',
      scopes: ['investigations:read', 'pull-requests:read'],
    });
    const { items } = await web.call<Json>('GET', '/api/investigations');
    const { page, end } = await web.visit(`/investigation/${items[0].id}`, { as: key });
    await page.getByRole('link', { name: /^casebook\/shop#1\b/ }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Open pull request' }).count(), 0);
    await end();
  });
});
