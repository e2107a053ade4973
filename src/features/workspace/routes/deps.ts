import type { ApiDeps } from '../../../http/deps.ts';
import type { WorkspaceDrafts } from '../drafts/types.ts';
import type { Workspaces } from '../port.ts';

export interface WorkspaceDeps extends ApiDeps {
  workspaces: Workspaces;
  drafts: WorkspaceDrafts;
}
