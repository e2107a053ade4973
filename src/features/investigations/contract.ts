/** What the API, the workflow and the activities of an investigation share. No zod, no database: workflows import this. */
import type { CarriedRun, RunBudget, RunLimit, ShownStatus } from '../runs/contract.ts';

export type { RunLimit };
export type InvestigationStatus = ShownStatus;

/** The workflow type, as exported from `workflows/index.ts`. */
export const INVESTIGATION_WORKFLOW = 'investigation';

/** The workflow id derives from the row's id: a repeated start is harmless. */
export const investigationWorkflowId = (investigationId: string): string => `investigation-${investigationId}`;

export interface InvestigationWorkflowInput {
  investigationId: string;
  teamId: string;
  budget: RunBudget;
  /** Present after continue-as-new. */
  carried?: CarriedRun;
}

export interface InvestigationWorkflowResult {
  status: InvestigationStatus;
}

export interface BeginInvestigationInput {
  investigationId: string;
  teamId: string;
}

export interface BeginInvestigationResult {
  title: string;
  /** Somebody asked for it to stop before it had begun. */
  cancelled: boolean;
}

export interface FinishInvestigationInput {
  investigationId: string;
  teamId: string;
  outcome: 'completed' | 'failed' | 'cancelled';
  /** Record nothing, and answer `processing`, while a message waits that no turn has read. */
  unlessUnread?: boolean;
  limit?: RunLimit;
  explanation?: string;
}

export interface FinishInvestigationResult {
  status: InvestigationStatus;
  title: string;
  /** The service at fault, where one was named. */
  service?: string;
  confidence?: number;
}
