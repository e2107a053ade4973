import { join } from 'node:path';
import { CodeHostError } from '@casebook/connectors';
import { GIT_TIMEOUT_MS } from '../../platform/git/index.ts';
import type { Room, RoomCore } from '../../room.ts';
import type { IntegrationDeps } from '../integrations/index.ts';
import type { RunSettings } from '../runs/index.ts';
import type { Workspaces } from '../workspace/index.ts';
import { Repository } from './entities.ts';
import { createMirrorLauncher } from './launch.ts';
import { createMirrors, type Mirrors } from './mirrors/index.ts';
import type { CodeHosts, WebhookListener } from './port.ts';
import { createRepositories } from './repositories.ts';
import type { WebhookDeps } from './webhooks/receive.ts';
import { webhook } from './webhooks/route.ts';

type Needs = RoomCore & {
  config: RunSettings;
  integrations: IntegrationDeps['integrations'];
  workspacesDir: string;
  workspaces: Workspaces;
};

export const codeHostsRoom = {
  name: 'code-hosts',
  endpoints: [webhook],
  entities: [Repository],
  scopes: {
    'code-hosts:read': { allows: 'See code hosts and repositories', forMembers: true },
    'code-hosts:write': { allows: 'Connect and remove code hosts' },
  },
  build({ config, client, orm, clock, log, integrations, workspacesDir, workspaces }: Needs) {
    const { temporal, timeouts } = config;
    const repositories = createRepositories({
      orm,
      open: () => Promise.reject(new CodeHostError('unavailable', 'There are no drivers yet.')),
    });
    const launcher = createMirrorLauncher(client, { taskQueue: temporal.taskQueue, deadlineMs: timeouts.temporalMs });
    const { network } = integrations.vendorOutbound;
    const mirrors = createMirrors(
      { orm, clock, log, workspaces, launcher, hostOf: repositories.hostOf },
      { directory: join(workspacesDir, 'mirrors'), network, gitTimeoutMs: timeouts.gitMs ?? GIT_TIMEOUT_MS },
    );
    const listeners: WebhookListener[] = [];
    const codeHosts: CodeHosts = {
      ...repositories,
      mirrorOf: mirrors.of,
      onWebhook: (listener) => void listeners.push(listener),
    };
    const webhooks: WebhookDeps = {
      orm,
      clock,
      log,
      secretOf(row) {
        const { webhook_secret: secret } = integrations.opened(row).secrets;
        return typeof secret === 'string' ? secret : undefined;
      },
      listeners,
      start: mirrors.start,
    };
    return { codeHosts, mirrors, webhooks };
  },
  sweeps: [
    ({ mirrors }: { mirrors: Mirrors }) => mirrors.startWanted(),
    ({ mirrors }: { mirrors: Mirrors }) => mirrors.compareDue(),
    ({ mirrors }: { mirrors: Mirrors }) => mirrors.collectRemoved(),
  ],
} satisfies Room;
