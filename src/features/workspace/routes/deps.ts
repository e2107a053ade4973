import type { ApiDeps } from '../../../http/deps.ts';
import type { Workspaces } from '../port.ts';

export interface WorkspaceDeps extends ApiDeps {
  workspaces: Workspaces;
}
