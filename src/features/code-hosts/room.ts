import { join } from 'node:path';
import { GIT_TIMEOUT_MS } from '../../platform/git/index.ts';
import type { Room, RoomCore } from '../../room.ts';
import type { Integrations } from '../integrations/index.ts';
import type { RunSettings } from '../runs/index.ts';
import type { LoadSystems } from '../tools/index.ts';
import type { Workspaces } from '../workspace/index.ts';
import { commitChanges } from './commits.ts';
import { Listing, Repository } from './entities.ts';
import { createMirrorLauncher } from './launch.ts';
import { listDue, type ListingDeps } from './listing.ts';
import { createMirrors, type Mirrors } from './mirrors/index.ts';
import type { CodeHosts, WebhookListener } from './port.ts';
import { createRepositories } from './repositories.ts';
import { codeHosts as codeHostEndpoints } from './routes/code-hosts.ts';
import { codehostB } from './routes/codehost-b.ts';
import { codeSystems } from './tools/index.ts';
import type { WebhookDeps } from './webhooks/receive.ts';
import { webhook, WEBHOOK_PATH } from './webhooks/route.ts';

type Needs = RoomCore & {
  config: RunSettings;
  integrations: Integrations;
  workspacesDir: string;
  workspaces: Workspaces;
};

export const codeHostsRoom = {
  name: 'code-hosts',
  endpoints: [...codeHostEndpoints, ...codehostB, webhook],
  entities: [Repository, Listing],
  scopes: {
    'code-hosts:read': { allows: 'See code hosts and repositories', forMembers: true },
    'code-hosts:write': { allows: 'Connect and remove code hosts' },
  },
  build({ config, client, orm, clock, log, appUrl, integrations, workspacesDir, workspaces }: Needs) {
    const { temporal, timeouts } = config;
    const open = integrations.codeHost;
    const repositories = createRepositories({ orm, open, networkOf: integrations.connections.networkOf });
    const mirrors = createMirrors(
      {
        orm,
        clock,
        log,
        workspaces,
        launcher: createMirrorLauncher(client, { taskQueue: temporal.taskQueue, deadlineMs: timeouts.temporalMs }),
        async remoteOf(repository, signal) {
          const [network, host] = await Promise.all([
            repositories.networkOf(repository),
            repositories.hostOf(repository),
          ]);
          return { url: repository.cloneUrl, network, credential: await host.gitCredential({ signal }) };
        },
      },
      { directory: join(workspacesDir, 'mirrors'), gitTimeoutMs: timeouts.gitMs ?? GIT_TIMEOUT_MS },
    );
    const listeners: WebhookListener[] = [];
    const codeHosts: CodeHosts = {
      ...repositories,
      mirrorOf: mirrors.of,
      onWebhook: (listener) => void listeners.push(listener),
    };
    integrations.addChanges(commitChanges({ orm, log, mirrorOf: mirrors.of }));
    const secretOf = (row: Parameters<Integrations['opened']>[0]): string =>
      String(integrations.opened(row).secrets['webhook_secret'] ?? '');
    const webhooks: WebhookDeps = { orm, clock, log, secretOf, listeners, start: mirrors.start };
    const url = `${appUrl}${WEBHOOK_PATH}`;
    const problem = integrations.outbound.urlProblem(url);
    const codeHostListings: ListingDeps = {
      orm,
      clock,
      log,
      open,
      webhookOf: (row) => ({
        url,
        secret: secretOf(row),
        problem: problem && `Code hosts cannot reach ${appUrl}: ${problem}`,
      }),
    };
    return { codeHosts, codeHostListings, codeSystems: codeSystems({ orm, codeHosts }), mirrors, webhooks };
  },
  systems: ({ codeSystems: load }: { codeSystems: LoadSystems }) => load,
  sweeps: [
    ({ codeHostListings }: { codeHostListings: ListingDeps }, signal: AbortSignal) => listDue(codeHostListings, signal),
    ({ mirrors }: { mirrors: Mirrors }) => mirrors.startWanted(),
    ({ mirrors }: { mirrors: Mirrors }) => mirrors.compareDue(),
    ({ mirrors }: { mirrors: Mirrors }) => mirrors.collectRemoved(),
    ({ mirrors }: { mirrors: Mirrors }) => mirrors.collectOrphans(),
  ],
} satisfies Room;
