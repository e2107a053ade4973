/** Whose token it is, and what it may do. */
import { z } from 'zod';
import { CodeHostError, type HostCall } from '../shared/code-host/port.ts';
import { parseHostAnswer } from '../shared/code-host/refusals.ts';
import type { GitLabApi } from './api.ts';

const user = z.object({ username: z.string(), is_admin: z.boolean().default(false) });
const metadata = z.object({ version: z.string() });
const scopes = z
  .union([
    z.object({ scope: z.array(z.string()) }).transform(({ scope }) => scope),
    z.object({ scopes: z.array(z.string()) }).transform((token) => token.scopes),
  ])
  .catch([]);

/** Scopes that nothing here needs. */
const POWERFUL = new Set(['sudo', 'admin_mode', 'k8s_proxy', 'create_runner', 'manage_runner']);

export const ownerOf = async (api: GitLabApi, call: HostCall): Promise<z.output<typeof user>> =>
  parseHostAnswer(user, await api.ask((gitlab) => gitlab.Users.showCurrentUser(), call), api.place);

export async function accountOf(
  api: GitLabApi,
  call: HostCall,
): Promise<{ login: string; version?: string; warnings: string[] }> {
  const { username, is_admin } = await ownerOf(api, call);
  const [about, granted] = await Promise.all([
    orNothing(api.ask((gitlab) => gitlab.Metadata.show(), call)),
    grantedTo(api, call),
  ]);
  const version = metadata.safeParse(about).data?.version;
  return {
    login: username,
    ...(version !== undefined && { version }),
    warnings: [
      ...(granted.length > 0 && !granted.includes('api')
        ? ['The token has no scope api: merge requests, webhooks and runs of pipelines need it.']
        : []),
      ...granted.filter((scope) => POWERFUL.has(scope)).map((scope) => `The token needs no scope ${scope}.`),
      ...(is_admin
        ? [`${username} is an administrator of this GitLab; a user with the role Developer is enough.`]
        : []),
    ],
  };
}

/** Empty if GitLab does not say. */
async function grantedTo(api: GitLabApi, call: HostCall): Promise<string[]> {
  const ofOauth = await orNothing(api.read('oauth/token/info', call));
  return scopes.parse(ofOauth ?? (await orNothing(api.read('api/v4/personal_access_tokens/self', call))));
}

async function orNothing(answer: Promise<unknown>): Promise<unknown> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof CodeHostError && /^(?:forbidden|not_found|unauthorized)$/u.test(error.reason))
      return undefined;
    throw error;
  }
}
