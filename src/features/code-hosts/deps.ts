import type { IntegrationDeps } from '../integrations/index.ts';
import type { Workspaces } from '../workspace/index.ts';
import type { ListingDeps } from './listing.ts';
import type { CodeHosts } from './port.ts';

export interface CodeHostDeps extends IntegrationDeps {
  codeHosts: CodeHosts;
  codeHostListings: ListingDeps;
  workspaces: Workspaces;
}
