import { z } from 'zod';
import { numericId, ownerAndName } from '../shared/code-host/names.ts';
import { CodeHostError, type HostCall } from '../shared/code-host/port.ts';
import type { GiteaApi } from './api.ts';

const HOOKS = '/repos/{owner}/{repo}/hooks';
const EVENTS = ['push', 'create', 'delete', 'pull_request', 'workflow_run'];

const hook = z.object({ id: z.number(), config: z.object({ url: z.string().catch('') }).catch({ url: '' }) });

/** Gitea cannot give a webhook another secret: one with the same URL is replaced. */
export async function registerWebhook(
  api: GiteaApi,
  fullName: string,
  { url, secret }: { url: string; secret: string },
  call: HostCall,
): Promise<{ id: string }> {
  const names = ownerAndName(fullName);
  const others = await api.list(HOOKS, names, { item: hook, maxPages: 10 }, call);
  const config = { url, secret, content_type: 'json' };
  const wanted = { ...names, type: 'gitea', active: true, events: EVENTS, config };
  const made = await api.send(`POST ${HOOKS}`, wanted, hook, call);
  for (const { id, config: known } of others) {
    if (known.url === url) await removeWebhook(api, fullName, String(id), call);
  }
  return { id: String(made.id) };
}

export async function removeWebhook(api: GiteaApi, fullName: string, id: string, call: HostCall): Promise<void> {
  const names = { ...ownerAndName(fullName), id: numericId(id, 'webhook') };
  try {
    await api.send(`DELETE ${HOOKS}/{id}`, names, z.unknown(), call);
  } catch (error) {
    if (!(error instanceof CodeHostError && error.reason === 'not_found')) throw error;
  }
}
