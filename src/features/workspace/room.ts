import { join, resolve } from 'node:path';
import { z } from 'zod';
import { optional } from '../../config.ts';
import type { Room, RoomCore } from '../../room.ts';
import { createWorkspaceDrafts } from './drafts/index.ts';
import { WorkspaceConnection, WorkspaceDraft, WorkspaceDraftChange } from './entities.ts';
import { createGitWorkspaces } from './git/index.ts';
import type { WorkspaceUpkeep } from './port.ts';
import { announce } from './live/events.ts';
import { proposalEndpoints } from './routes/proposals.ts';
import { readEndpoints } from './routes/read.ts';
import { writeEndpoints } from './routes/write.ts';

const COLLECT_EVERY_MS = 10 * 60_000;

const configuration = z
  .object({ CASEBOOK_WORKSPACES_DIR: optional(z.string()) })
  .transform((e) => ({ workspacesDir: e.CASEBOOK_WORKSPACES_DIR && resolve(e.CASEBOOK_WORKSPACES_DIR) }));

export const workspaceRoom = {
  name: 'workspace',
  endpoints: [...readEndpoints, ...writeEndpoints, ...proposalEndpoints],
  entities: [WorkspaceDraft, WorkspaceDraftChange, WorkspaceConnection],
  scopes: {
    'workspace:read': { allows: 'Read files', forMembers: true },
    'workspace:write': { allows: 'Change files', forMembers: true },
  },
  configuration,
  build({ config, orm, events, clock, log }: RoomCore & { config: z.output<typeof configuration> }) {
    const workspacesDir = config.workspacesDir ?? join(config.home, 'workspaces');
    const workspaces = createGitWorkspaces({
      directory: workspacesDir,
      gitTimeoutMs: config.timeouts.gitMs,
      onChange: (change) =>
        announce(events, change, clock.now()).catch((error: unknown) => {
          // It was made; who follows the workspace sees it with the next change.
          log.warn({ err: error, teamId: change.teamId }, 'a change of a workspace could not be announced');
        }),
    });
    return {
      workspacesDir,
      workspaces,
      collectWorkspaces: collecting(workspaces),
      drafts: createWorkspaceDrafts({ orm, workspaces }),
    };
  },
  sweeps: [
    ({ clock, collectWorkspaces }: RoomCore & { collectWorkspaces: (now: Date) => Promise<void> }) =>
      collectWorkspaces(clock.now()),
  ],
} satisfies Room;

/** Looks for garbage at an interval of its own, which is longer than that of the sweeps. */
function collecting(workspaces: WorkspaceUpkeep): (now: Date) => Promise<void> {
  let due = 0;
  return async (now) => {
    if (now.getTime() < due) return;
    due = now.getTime() + COLLECT_EVERY_MS;
    await workspaces.collect(now);
  };
}
