import { openCodeHost } from '@casebook/connectors';
import { z } from 'zod';
import { startGitea, type TestGitea } from '../../support/gitea.ts';
import type { CodeHostFixture } from './contract.ts';

const made = z.object({ commit: z.object({ sha: z.string() }) });
const log = { debug() {}, warn() {} };
const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** A real Gitea with the repository `casebook/shop`, and a user `ann` who works on it as well. */
export async function giteaFixture(): Promise<CodeHostFixture & { gitea: TestGitea }> {
  const gitea = await startGitea();
  const { url, admin } = gitea;
  const repository = `${admin.username}/shop`;
  const path = `/repos/${repository}`;
  const ann = await gitea.createUser('ann');
  await gitea.api('POST', '/user/repos', { name: 'shop', auto_init: true, private: true, default_branch: 'main' });
  await gitea.api('PUT', `${path}/collaborators/ann`, { permission: 'write' });
  const open = (token: string) => openCodeHost('gitea', { url, token }, { log });
  return {
    gitea,
    host: open(admin.token),
    stranger: open('0123456789abcdef0123456789abcdef01234567'),
    repository,
    login: admin.username,
    async commit(branch, file, text) {
      const branches = z
        .array(z.object({ name: z.string() }))
        .parse(await gitea.api('GET', `${path}/branches?limit=50`));
      const isNew = !branches.some(({ name }) => name === branch);
      const names = isNew ? { branch: 'main', new_branch: branch } : { branch };
      const change = { ...names, content: base64(text), message: `Change ${file}` };
      const answer = await gitea.api('POST', `${path}/contents/${encodeURIComponent(file)}`, change);
      return made.parse(answer).commit.sha;
    },
    async deleteBranch(branch) {
      await gitea.api('DELETE', `${path}/branches/${encodeURIComponent(branch)}`);
    },
    async protect(branch) {
      await gitea.api('POST', `${path}/branch_protections`, { rule_name: branch });
    },
    async merge(number) {
      await gitea.mergePullRequest(repository, number);
      const answer = await gitea.api('GET', `${path}/pulls/${number}`);
      return z.object({ merge_commit_sha: z.string() }).parse(answer).merge_commit_sha;
    },
    async check(commit, name, state) {
      await gitea.api('POST', `${path}/statuses/${commit}`, { context: name, state });
    },
    async review(number, verdict) {
      const event = verdict === 'approve' ? 'APPROVED' : 'REQUEST_CHANGES';
      await gitea.api('POST', `${path}/pulls/${number}/reviews`, { event, body: 'Looked at it.' }, ann);
    },
    async release(tag) {
      await gitea.api('POST', `${path}/releases`, { tag_name: tag, name: `Release ${tag}` });
    },
    async say(number, text) {
      await gitea.api('POST', `${path}/issues/${number}/comments`, { body: text }, ann);
    },
    async comments(number) {
      const found = z
        .array(z.object({ body: z.string() }))
        .parse(await gitea.api('GET', `${path}/issues/${number}/comments`));
      return found.map(({ body }) => body);
    },
    async webhooks() {
      const hooks = z.array(z.object({ config: z.object({ url: z.string() }) }));
      return hooks.parse(await gitea.api('GET', `${path}/hooks?limit=50`)).map(({ config }) => config.url);
    },
    close: () => gitea.stop(),
  };
}
