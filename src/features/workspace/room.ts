import type { Room, RoomCore } from '../../room.ts';
import { createWorkspaceDrafts } from './drafts/index.ts';
import { WorkspaceDraft, WorkspaceDraftChange } from './entities.ts';
import { createGitWorkspaces } from './git/index.ts';

export const workspaceRoom = {
  name: 'workspace',
  entities: [WorkspaceDraft, WorkspaceDraftChange],
  scopes: {
    'workspace:read': { allows: 'Read files', forMembers: true },
    'workspace:write': { allows: 'Change files', forMembers: true },
  },
  build({ config, orm }: RoomCore) {
    const workspaces = createGitWorkspaces({ directory: config.workspacesDir, gitTimeoutMs: config.timeouts.gitMs });
    return { drafts: createWorkspaceDrafts({ orm, workspaces }) };
  },
} satisfies Room;
