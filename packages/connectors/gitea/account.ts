import { z } from 'zod';
import { CodeHostError, type HostCall } from '../shared/code-host/port.ts';
import type { GiteaApi } from './api.ts';

const user = z.object({ id: z.number(), login: z.string(), is_admin: z.boolean().catch(false) });
const version = z.object({ version: z.string() });
const anything = z.unknown();

/** Changes of a repository that cannot exist: the answer says whether the token may make such changes at all. */
const PROBES = [
  { route: 'PATCH /repos/-/-', scope: 'write:repository', loss: 'branches and pull requests cannot be made' },
  { route: 'POST /repos/-/-/issues/1/comments', scope: 'write:issue', loss: 'pull requests cannot be commented on' },
] as const;

/** @throws {CodeHostError}, `forbidden` for a token without the scope `read:user` */
export async function owner(api: GiteaApi, call: HostCall): Promise<z.output<typeof user>> {
  return await api.get('/user', {}, user, call);
}

/** Whose token it is, and which scopes it lacks. */
export async function account(
  api: GiteaApi,
  call: HostCall,
): Promise<{ login: string; version: string; warnings: string[] }> {
  const [{ login, is_admin }, { version: number }, ...lacks] = await Promise.all([
    owner(api, call),
    api.get('/version', {}, version, call),
    ...PROBES.map(({ route }) => isForbidden(() => api.send(route, {}, anything, call))),
  ]);
  const warnings = PROBES.filter((_, i) => lacks[i]).map(
    ({ scope, loss }) => `The token lacks the scope ${scope}: ${loss}.`,
  );
  if (is_admin) warnings.push(`${login} is an administrator of Gitea: a user of its own would be enough.`);
  return { login, version: number, warnings };
}

async function isForbidden(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return false;
  } catch (error) {
    if (error instanceof CodeHostError && error.reason === 'forbidden') return true;
    if (error instanceof CodeHostError && ['not_found', 'invalid'].includes(error.reason)) return false;
    throw error;
  }
}
