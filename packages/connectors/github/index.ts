/** GitHub and GitHub Enterprise Server, through their REST API (https://docs.github.com/rest). */
import { defineCodeHostKind, type CodeHostOptions } from '../shared/code-host/connector.ts';
import { createHostHttp } from '../shared/code-host/http.ts';
import type { CodeHost } from '../shared/code-host/port.ts';
import { account } from './account.ts';
import { dispatch, jobLog, jobs, rerunFailed, run, runs, workflows } from './actions.ts';
import { GitHubApi } from './api.ts';
import { gitHubConfig, type GitHubConfig } from './config.ts';
import { comment, createPullRequest, findPullRequest, pullRequest, updatePullRequest } from './pull-requests.ts';
import { branches, changes, registerWebhook, removeWebhook, repositories, repository } from './repositories.ts';

export { gitHubConfig, type GitHubConfig } from './config.ts';

export function openGitHub(config: GitHubConfig, { network, now = Date.now }: CodeHostOptions): CodeHost {
  const { url, tls } = config;
  const http = createHostHttp({ name: 'GitHub', url, network, tls, now });
  const api = new GitHubApi(config, http, now);
  return {
    kind: 'github',
    gitCredential: async ({ signal }) => ({
      username: 'x-access-token',
      password: await api.credentials.token(signal),
    }),
    account: (call) => account(api, config, call, now),
    repositories: (call) => repositories(api, call),
    repository: (fullName, call) => repository(api, fullName, call),
    branches: (fullName, call) => branches(api, fullName, call),
    changes: (fullName, window, call) => changes(api, fullName, window, call),
    findPullRequest: (fullName, head, call) => findPullRequest(api, fullName, head, call),
    createPullRequest: (fullName, wanted, call) => createPullRequest(api, fullName, wanted, call),
    pullRequest: (fullName, number, call) => pullRequest(api, fullName, number, call),
    updatePullRequest: (fullName, number, edits, call) => updatePullRequest(api, fullName, number, edits, call),
    async comment(fullName, number, wanted, call) {
      const { login } = await account(api, config, call, now);
      return await comment(api, fullName, number, { ...wanted, login }, call);
    },
    runs: (fullName, query, call) => runs(api, fullName, query, call),
    run: (fullName, id, call) => run(api, fullName, id, call),
    jobs: (fullName, runId, call) => jobs(api, fullName, runId, call),
    jobLog: (fullName, jobId, limit, call) => jobLog(api, fullName, jobId, limit, call),
    rerunFailed: (fullName, runId, call) => rerunFailed(api, fullName, runId, call),
    workflows: (fullName, ref, call) => workflows(api, fullName, ref, call),
    dispatch: (fullName, workflowId, wanted, call) => dispatch(api, fullName, workflowId, wanted, call),
    registerWebhook: (fullName, wanted, call) => registerWebhook(api, fullName, wanted, call),
    removeWebhook: (fullName, id, call) => removeWebhook(api, fullName, id, call),
  };
}

/** How GitHub is configured and created. */
export const github = defineCodeHostKind({
  kind: 'github',
  config: gitHubConfig,
  open: openGitHub,
  credential: ({ token }) => (token === undefined ? 'private_key' : 'token'),
});
