import type { FinishDeps } from '../src/features/chats/index.ts';
import type { InvestigationRunDeps } from '../src/features/investigations/run.ts';
import { createCitationActivities, type CitationActivities } from './citations.ts';
import { createChatActivities, type ChatActivities } from './chats.ts';
import { createInvestigationActivities, type InvestigationActivities } from './investigations.ts';
import { createRunActivities, type RunActivities } from './runs.ts';

export type Activities = RunActivities & InvestigationActivities & ChatActivities & CitationActivities;

/** What all activities together need. */
export type ActivityDeps = InvestigationRunDeps & FinishDeps;

/** Everything a worker can do for a workflow, over one set of dependencies. */
export function createActivities(deps: ActivityDeps): Activities {
  return {
    ...createRunActivities(deps),
    ...createInvestigationActivities(deps),
    ...createChatActivities(deps),
    ...createCitationActivities(deps),
  };
}
