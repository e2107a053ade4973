import { sweepRuns, type SweepOptions, type SweptKind } from '../runs/index.ts';
import { Investigation } from './entities.ts';
import { recordOutcome } from './run.ts';
import { deliverCancel, launch, type InvestigationServiceDeps } from './service.ts';

const swept = (deps: InvestigationServiceDeps): SweptKind<Investigation> => ({
  kind: 'investigation',
  entity: Investigation,
  launch: (row, em) => launch(deps, em, row),
  deliverCancel: (row) => deliverCancel(deps, row),
  state: (id) => deps.launcher.state(id),
  async recordLost({ id: investigationId, teamId }, outcome, explanation) {
    await recordOutcome(deps, { investigationId, teamId, outcome, explanation });
  },
});

/** Sweeps the investigations of all teams once. @returns how many rows it acted on */
export function sweep(deps: InvestigationServiceDeps, options?: SweepOptions): Promise<number> {
  return sweepRuns(deps, swept(deps), options);
}
