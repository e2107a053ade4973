/** The account's audit log: who changed what. */
import { z } from 'zod';
import type { OperationContext } from '../connector.ts';
import { toRfc3339 } from '../shared/http-api/parameters.ts';
import type { Cloudflare } from './api.ts';

interface Window {
  from: number;
  to: number;
  limit: number;
}

const entry = z.object({
  id: z.string(),
  when: z.string(),
  action: z.object({ type: z.string().nullish(), result: z.boolean().nullish() }).nullish(),
  actor: z.object({ email: z.string().nullish(), type: z.string().nullish() }).nullish(),
  resource: z.object({ id: z.string().nullish(), type: z.string().nullish() }).nullish(),
  metadata: z.looseObject({ zone_name: z.string().optional(), name: z.string().optional() }).nullish(),
  interface: z.string().nullish(),
});

const PERMISSION = 'Account Settings, Read';
const PAGE = 100;
const MAX_PAGES = 10;

async function entriesOf(api: Cloudflare, { from, to, limit }: Window, context: OperationContext) {
  const found: z.output<typeof entry>[] = [];
  let isWhole = false;
  for (let page = 1; page <= MAX_PAGES && found.length <= limit; page++) {
    const query = { since: toRfc3339(from), before: toRfc3339(to), direction: 'desc', page, per_page: PAGE };
    const { result } = await api.get(
      ['accounts', api.account, 'audit_logs'],
      query,
      z.array(entry),
      context,
      PERMISSION,
    );
    found.push(...result);
    isWhole = result.length < PAGE;
    if (isWhole) break;
  }
  return { entries: found.slice(0, limit), truncated: found.length > limit || !isWhole };
}

/** Without addresses and changed values, which may be personal or secret. */
export async function auditLog(api: Cloudflare, query: Window, context: OperationContext) {
  const { entries, truncated } = await entriesOf(api, query, context);
  return {
    entries: entries.map(({ id, when, action, actor, resource, metadata, interface: through }) => ({
      id,
      when,
      action: action?.type ?? null,
      succeeded: action?.result ?? null,
      actor: actor?.email ?? actor?.type ?? null,
      resource: resource?.type ?? null,
      resource_name: metadata?.zone_name ?? metadata?.name ?? resource?.id ?? null,
      interface: through ?? null,
    })),
    truncated,
  };
}

/** Signing in and reading are no changes. */
const NO_CHANGE = /^(?:login|logout|view|get|list|read|token_verify)/u;

export async function changesIn(
  api: Cloudflare,
  query: Window & { service?: string | undefined },
  context: OperationContext,
) {
  const { entries, truncated } = await entriesOf(api, query, context);
  const changes = entries
    .filter(({ action }) => action?.result !== false && !NO_CHANGE.test(action?.type ?? ''))
    .map(({ id, when, action, actor, resource, metadata }) => {
      const service = metadata?.zone_name ?? metadata?.name;
      return {
        id,
        at: Date.parse(when) / 1_000,
        kind: 'edge',
        summary: [action?.type ?? 'changed', resource?.type].filter(Boolean).join(' ').replaceAll('_', ' '),
        ...(service !== undefined && { service }),
        ...(actor?.email && { author: actor.email }),
      };
    })
    .filter(
      ({ at, service }) =>
        Number.isFinite(at) && (query.service === undefined || (service ?? query.service) === query.service),
    )
    .sort((a, b) => a.at - b.at);
  return { changes, truncated };
}
