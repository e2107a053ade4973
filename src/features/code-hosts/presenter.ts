import type { z } from 'zod';
import type { EntityManager } from '../../db/orm.ts';
import { presentAll, urlOf, type Integration, type Integrations } from '../integrations/index.ts';
import type { WorkspaceMount } from '../workspace/index.ts';
import { Listing, Repository } from './entities.ts';
import type { Listed } from './listing.ts';
import { whyHidden } from './mirrors/index.ts';
import type { Mirror } from './port.ts';
import type { CodeHostResponse, RepositoryResponse } from './schemas.ts';
import type { WebhookTarget } from './webhook-registration.ts';

const iso = (date: Date | null): string | null => date?.toISOString() ?? null;

/** Code hosts as responses show them. */
export async function presentHosts(
  integrations: Integrations,
  em: EntityManager,
  rows: readonly Integration[],
): Promise<z.input<typeof CodeHostResponse>[]> {
  const integrationId = { $in: rows.map(({ id }) => id) };
  const listings = new Map((await em.find(Listing, { integrationId })).map((one) => [one.integrationId, one]));
  const counted = await em.find(Repository, { integrationId }, { fields: ['integrationId', 'webhookId'] });
  const presented = await presentAll(integrations, em, rows);
  return presented.map((base, index) => {
    const listing = listings.get(base.id);
    const own = counted.filter((one) => one.integrationId === base.id);
    return {
      ...base,
      url: urlOf(rows[index]!, integrations.settings),
      repositories: own.length,
      listed_at: iso(listing?.listedAt ?? null),
      listing_error: listing?.error ?? null,
      webhooks: own.filter(({ webhookId }) => webhookId !== null).length,
      webhook_error: listing?.webhookError ?? null,
    };
  });
}

/** The secret is shown only to whoever has to set the webhook up. */
export function presentWebhook({ url, secret }: WebhookTarget, { webhookError }: Pick<Listed, 'webhookError'>) {
  const registered = webhookError === null;
  return { url, secret: registered ? null : secret, registered, problem: webhookError };
}

/** @param mounts of the team's workspace */
export const presentRepository = (
  one: Repository,
  mirror: Pick<Mirror, 'gitDir'>,
  mounts: readonly WorkspaceMount[],
): z.input<typeof RepositoryResponse> => ({
  id: one.id,
  code_host_id: one.integrationId!,
  full_name: one.fullName,
  default_branch: one.defaultBranch,
  web_url: one.webUrl,
  private: one.isPrivate,
  archived: one.isArchived,
  head: one.head,
  synced_at: iso(one.syncedAt),
  up_to_date: one.syncedAt !== null && (one.wantedAt === null || one.syncedAt >= one.wantedAt),
  error: one.error,
  workspace_error: whyHidden(one, mirror, mounts),
  size_bytes: one.sizeBytes,
  webhook: one.webhookId !== null,
});
