/** GitLab's authorization server, and what is asked of it: https://docs.gitlab.com/api/oauth2/ */
import type { AuthorizationServer } from './client.ts';

/** Merge requests, webhooks and retries of jobs need all of it; GitLab has no scope for less. */
export const GITLAB_SCOPE = 'api';

/** @param url GitLab's own */
export function gitlabServer(url: string): AuthorizationServer {
  const base = url.replace(/\/+$/u, '');
  return {
    issuer: base,
    authorization_endpoint: `${base}/oauth/authorize`,
    token_endpoint: `${base}/oauth/token`,
    revocation_endpoint: `${base}/oauth/revoke`,
  };
}
