import { openCase, recordOutcome, type InvestigationRunDeps } from '../src/features/investigations/run.ts';
import type {
  BeginInvestigationInput,
  BeginInvestigationResult,
  FinishInvestigationInput,
  FinishInvestigationResult,
} from '../src/features/investigations/contract.ts';

export interface InvestigationActivities {
  beginInvestigation(input: BeginInvestigationInput): Promise<BeginInvestigationResult>;
  finishInvestigation(input: FinishInvestigationInput): Promise<FinishInvestigationResult>;
}

/** Opens an investigation and records its end; the loop between is shared by all runs. */
export function createInvestigationActivities(deps: InvestigationRunDeps): InvestigationActivities {
  return {
    beginInvestigation: (input) => openCase(deps, input),
    finishInvestigation: (input) => recordOutcome(deps, input),
  };
}
