import type { InvestigationRunDeps } from '../src/features/investigations/run.ts';
import { createInvestigationActivities, type InvestigationActivities } from './investigations.ts';
import { createRunActivities, type RunActivities } from './runs.ts';

export type Activities = RunActivities & InvestigationActivities;

/** Everything a worker can do for a workflow, over one set of dependencies. */
export function createActivities(deps: InvestigationRunDeps): Activities {
  return { ...createRunActivities(deps), ...createInvestigationActivities(deps) };
}
