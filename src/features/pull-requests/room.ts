import type { Room, RoomCore } from '../../room.ts';
import type { CodeHosts } from '../code-hosts/index.ts';
import type { InvestigationDeps } from '../investigations/index.ts';
import type { PullRequestDeps } from './deps.ts';
import { PullRequest } from './entities.ts';
import { onHostEvent, sweepStates } from './follow.ts';
import { createPullRequestLauncher, sweepUnstarted } from './launch.ts';
import { openedFrom } from './queries.ts';
import { pullRequestEndpoints } from './routes.ts';
import { suggestionSystems, type SuggestDeps } from './suggest-pr.ts';

/** How long a request waits for the host. */
const WAIT_MS = 20_000;

type Swept = { pullRequests: PullRequestDeps };

export const pullRequestsRoom = {
  name: 'pull-requests',
  endpoints: pullRequestEndpoints,
  entities: [PullRequest],
  scopes: {
    'pull-requests:read': { allows: 'See pull requests', forMembers: true },
    'pull-requests:write': { allows: 'Open pull requests that were suggested', forMembers: true },
  },
  systems: (house: SuggestDeps) => suggestionSystems(house),
  build(house: RoomCore & { codeHosts: CodeHosts }): Swept & Pick<InvestigationDeps, 'pullRequestsOf'> {
    const { config, orm, clock, log, codeHosts, appUrl, client } = house;
    const { temporal, timeouts } = config;
    const launcher = createPullRequestLauncher(client, {
      appUrl,
      taskQueue: temporal.taskQueue,
      deadlineMs: timeouts.temporalMs,
    });
    codeHosts.onWebhook((event, repository) => onHostEvent({ orm, clock }, event, repository));
    return {
      pullRequests: { orm, clock, log, codeHosts, launcher, appUrl, waitMs: WAIT_MS },
      pullRequestsOf: openedFrom,
    };
  },
  sweeps: [
    ({ pullRequests }: Swept) => sweepUnstarted(pullRequests),
    ({ pullRequests }: Swept) => sweepStates(pullRequests),
  ],
} satisfies Room;
