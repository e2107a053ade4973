/**
 * Gitea, and Forgejo as far as it has the same API (https://docs.gitea.com/api). Checks are commit statuses, a draft is
 * a title's prefix, and a run has one attempt, because Gitea counts none. It records no deployments.
 */
import { createHostHttp } from '../shared/code-host/http.ts';
import { defineCodeHostKind, type CodeHostOptions } from '../shared/code-host/connector.ts';
import type { CodeHost } from '../shared/code-host/port.ts';
import { account } from './account.ts';
import { dispatch, jobLog, jobs, rerunFailed, run, runs, workflows } from './actions.ts';
import { GiteaApi } from './api.ts';
import { giteaConfig, type GiteaConfig } from './config.ts';
import { comment, createPullRequest, findPullRequest, pullRequest, updatePullRequest } from './pull-requests.ts';
import { branches, changes, repositories, repository } from './repositories.ts';
import { registerWebhook, removeWebhook } from './webhooks.ts';

export { giteaConfig, type GiteaConfig } from './config.ts';

export function openGitea(config: GiteaConfig, { network, now }: CodeHostOptions): CodeHost {
  const { url, token, tls } = config;
  const http = createHostHttp({ name: 'Gitea', url, network, tls, ...(now && { now }) });
  const api = new GiteaApi(config, http);
  return {
    kind: 'gitea',
    // Gitea looks at the token only.
    gitCredential: () => Promise.resolve({ username: 'casebook', password: token }),
    account: (call) => account(api, call),
    repositories: (call) => repositories(api, call),
    repository: (fullName, call) => repository(api, fullName, call),
    branches: (fullName, call) => branches(api, fullName, call),
    changes: (fullName, window, call) => changes(api, fullName, window, call),
    findPullRequest: (fullName, head, call) => findPullRequest(api, fullName, head, call),
    createPullRequest: (fullName, wanted, call) => createPullRequest(api, fullName, wanted, call),
    pullRequest: (fullName, number, call) => pullRequest(api, fullName, number, call),
    updatePullRequest: (fullName, number, edits, call) => updatePullRequest(api, fullName, number, edits, call),
    comment: (fullName, number, wanted, call) => comment(api, fullName, number, wanted, call),
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

/** How Gitea is configured and created. */
export const gitea = defineCodeHostKind({ kind: 'gitea', config: giteaConfig, open: openGitea });
