import { join } from 'node:path';
import { CodeHostError } from '@casebook/connectors';
import type { Room, RoomCore } from '../../room.ts';
import { Repository } from './entities.ts';
import { createMirrors } from './mirrors/index.ts';
import type { CodeHosts, WebhookListener } from './port.ts';
import { createRepositories } from './repositories.ts';

type Needs = RoomCore & { workspacesDir: string };

export const codeHostsRoom = {
  name: 'code-hosts',
  entities: [Repository],
  scopes: {
    'code-hosts:read': { allows: 'See code hosts and repositories', forMembers: true },
    'code-hosts:write': { allows: 'Connect and remove code hosts' },
  },
  build({ orm, workspacesDir }: Needs) {
    const listeners: WebhookListener[] = [];
    const codeHosts: CodeHosts = {
      ...createRepositories({
        orm,
        open: () => Promise.reject(new CodeHostError('unavailable', 'There are no drivers yet.')),
      }),
      mirrorOf: createMirrors(join(workspacesDir, 'mirrors')),
      onWebhook: (listener) => void listeners.push(listener),
    };
    return { codeHosts, webhookListeners: listeners };
  },
} satisfies Room;
