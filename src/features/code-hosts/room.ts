import { join } from 'node:path';
import type { Room, RoomCore } from '../../room.ts';
import type { Integrations } from '../integrations/index.ts';
import { Listing, Repository } from './entities.ts';
import { listDue, type ListingDeps } from './listing.ts';
import { createMirrors } from './mirrors/index.ts';
import type { CodeHosts, WebhookListener } from './port.ts';
import { createRepositories } from './repositories.ts';
import { codeHosts as codeHostEndpoints } from './routes/code-hosts.ts';
import { codehostB } from './routes/codehost-b.ts';

type Needs = RoomCore & { integrations: Integrations; workspacesDir: string };

const WEBHOOK_PATH = '/api/workspace/webhook/codehost-a';

export const codeHostsRoom = {
  name: 'code-hosts',
  endpoints: [...codeHostEndpoints, ...codehostB],
  entities: [Repository, Listing],
  scopes: {
    'code-hosts:read': { allows: 'See code hosts and repositories', forMembers: true },
    'code-hosts:write': { allows: 'Connect and remove code hosts' },
  },
  build({ orm, clock, log, appUrl, integrations, workspacesDir }: Needs) {
    const open = integrations.codeHost;
    const listeners: WebhookListener[] = [];
    const codeHosts: CodeHosts = {
      ...createRepositories({ orm, open, networkOf: integrations.connections.networkOf }),
      mirrorOf: createMirrors(join(workspacesDir, 'mirrors')),
      onWebhook: (listener) => void listeners.push(listener),
    };
    const url = `${appUrl}${WEBHOOK_PATH}`;
    const problem = integrations.outbound.urlProblem(url);
    const codeHostListings: ListingDeps = {
      orm,
      clock,
      log,
      open,
      webhookOf: (row) => ({
        url,
        secret: String(integrations.opened(row).secrets['webhook_secret']),
        problem: problem && `Code hosts cannot reach ${appUrl}: ${problem}`,
      }),
    };
    return { codeHosts, codeHostListings, webhookListeners: listeners };
  },
  sweeps: [({ codeHostListings }: { codeHostListings: ListingDeps }) => listDue(codeHostListings)],
} satisfies Room;
