/** Whose credential it is, and whether it may do what Casebook does. */
import { z } from 'zod';
import { CodeHostError, type HostCall } from '../shared/code-host/port.ts';
import { parseHostAnswer } from '../shared/code-host/refusals.ts';
import type { GitHubApi } from './api.ts';
import type { GitHubConfig } from './config.ts';

interface Account {
  login: string;
  version?: string;
  warnings: string[];
}

const user = z.object({ login: z.string() });
const installation = z.object({
  app_slug: z.string(),
  permissions: z.record(z.string(), z.string()),
});

/** An App's permissions by GitHub's names, and what they are for. */
const NEEDED: Record<string, { access: 'read' | 'write'; to: string }> = {
  contents: { access: 'write', to: 'read code and push branches' },
  pull_requests: { access: 'write', to: 'open pull requests' },
  actions: { access: 'write', to: 'read CI runs and re-run jobs' },
  checks: { access: 'read', to: 'see what CI says about a pull request' },
  statuses: { access: 'read', to: 'see what other CI says about a pull request' },
  deployments: { access: 'read', to: 'see deployments' },
  repository_hooks: { access: 'write', to: 'register webhooks' },
  workflows: { access: 'write', to: 'push changes of workflow files' },
};
const EXCESSIVE_PERMISSIONS = new Set([
  'administration',
  'members',
  'organization_administration',
  'organization_secrets',
  'secrets',
]);

const EXCESSIVE_SCOPES = /^(?:delete_repo|site_admin|admin:(?!repo_hook$).+|write:org|delete:packages)$/u;
const SOON_MS = 14 * 86_400_000;

export async function account(
  api: GitHubApi,
  config: GitHubConfig,
  call: HostCall,
  now: () => number,
): Promise<Account> {
  if (api.credentials.isApp) {
    const found = await installationOf(api, config, call);
    // Proves that the installation is not suspended.
    await api.credentials.token(call.signal);
    return { login: `${found.app_slug}[bot]`, warnings: appWarnings(found.permissions) };
  }
  const { data, headers } = await api.answer('GET /user', {}, call);
  const { login } = parseHostAnswer(user, data, api.place);
  const text = (name: string): string | undefined => headers[name]?.toString();
  const version = text('x-github-enterprise-version')?.replace(/^enterprise-server@/u, '');
  return {
    login,
    ...(version !== undefined && { version }),
    warnings: [
      ...scopeWarnings(text('x-oauth-scopes')),
      ...expiryWarnings(text('github-authentication-token-expiration'), now()),
    ],
  };
}

/** Not found means that the credential is wrong, and not the URL. */
async function installationOf(api: GitHubApi, config: GitHubConfig, call: HostCall) {
  try {
    return await api.getAsApp(`/app/installations/${config.installation_id}`, installation, call);
  } catch (error) {
    if (!(error instanceof CodeHostError && error.reason === 'not_found')) throw error;
    const message = `${api.place}: the App ${config.app_id} has no installation ${config.installation_id}.`;
    throw new CodeHostError('unauthorized', message, { cause: error });
  }
}

function appWarnings(permissions: Record<string, string>): string[] {
  const lacking = Object.entries(NEEDED).filter(
    ([name, { access }]) => !['write', 'admin', access].includes(permissions[name] ?? ''),
  );
  const excessive = Object.keys(permissions).filter((name) => EXCESSIVE_PERMISSIONS.has(name));
  return [
    ...lacking.map(([name, { access, to }]) => `The App needs the permission ${name}: ${access} to ${to}.`),
    ...excessive.map((name) => `The App has the permission ${name}, which Casebook does not need.`),
  ];
}

/** @param scopes of a classic token; fine-grained ones do not say what they may do */
function scopeWarnings(scopes: string | undefined): string[] {
  if (scopes === undefined) return [];
  const given = scopes.split(',').map((scope) => scope.trim());
  return [
    ...(given.includes('repo')
      ? []
      : ['The token lacks the scope repo, without which private repositories, pushes and webhooks do not work.']),
    ...(given.includes('workflow')
      ? []
      : ['The token lacks the scope workflow, without which changes of workflow files cannot be pushed.']),
    ...given
      .filter((scope) => EXCESSIVE_SCOPES.test(scope))
      .map((scope) => `The token has the scope ${scope}, which Casebook does not need.`),
  ];
}

/** @param expiry such as `2026-12-31 23:59:59 UTC` */
function expiryWarnings(expiry: string | undefined, now: number): string[] {
  const at = Date.parse(expiry ?? '');
  if (Number.isNaN(at) || at - now > SOON_MS) return [];
  return [`The token expires on ${new Date(at).toISOString().slice(0, 10)}.`];
}
