/**
 * Shared by the API, the workflow and the activities of an investigation. Workflows import it, so no zod and no
 * database.
 */
import type { CarriedRun, RunBudget, RunLimit, ShownStatus } from '../runs/contract.ts';

export type { RunLimit };

/** What opens investigations. */
export const TRIGGERS = ['person', 'api', 'chat', 'finding', 'rerun'] as const;
export type InvestigationTrigger = (typeof TRIGGERS)[number];

export type InvestigationStatus = ShownStatus;

/** The workflow type, as exported from `workflows/index.ts`. */
export const INVESTIGATION_WORKFLOW = 'investigation';

/** Derived from the row's id, so a repeated start is harmless. */
export const investigationWorkflowId = (investigationId: string): string => `investigation-${investigationId}`;

export interface InvestigationWorkflowInput {
  investigationId: string;
  teamId: string;
  budget: RunBudget;
  /** The investigation's page, for operators. */
  url?: string;
  /** Set after continue-as-new. */
  carried?: CarriedRun;
}

/** Operators read it in Temporal. */
export interface InvestigationWorkflowResult {
  status: InvestigationStatus;
  /** At fault. */
  service?: string;
  /** 0 to 1. */
  confidence?: number;
  url?: string;
}

export interface BeginInvestigationInput {
  investigationId: string;
  teamId: string;
}

export interface BeginInvestigationResult {
  title: string;
  /** It was cancelled before it started. */
  cancelled: boolean;
}

export interface FinishInvestigationInput {
  investigationId: string;
  teamId: string;
  outcome: 'completed' | 'failed' | 'cancelled';
  /** Record nothing, and answer `processing`, while there is an unread message. */
  unlessUnread?: boolean;
  limit?: RunLimit;
  explanation?: string;
}

export interface FinishInvestigationResult {
  status: InvestigationStatus;
  title: string;
  /** The faulty service, if one was named. */
  service?: string;
  confidence?: number;
}
