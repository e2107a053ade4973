/** What a finding's workflow and its activities share. Types only: workflows import them as such. */
import type { FindingRef, FindingStatus } from '../contract.ts';
import type { InvestigationStatus, InvestigationWorkflowInput } from '../../investigations/contract.ts';
import type { NotificationEvent } from './messages.ts';

/** Every step is read from PostgreSQL: continue-as-new carries nothing, and a lost workflow resumes where it was. */
export interface FindingWorkflowInput extends FindingRef {
  /** Without a signal the row is read again after this many seconds. */
  lookAgainSeconds: number;
  /** Continues as new after this many reads of the row; by default when the server suggests it. */
  readsPerHistory?: number;
}

export interface FindingWorkflowResult {
  status: FindingStatus | 'gone';
}

/** A notification that is due. */
export interface Notice {
  event: NotificationEvent;
  /** Distinguishes notices of one event: the finding's revision, or the investigation's id. */
  n: string;
}

/** A finding as its workflow sees it: its content, and the next steps. */
export interface FindingView {
  /** The finding or its agent was deleted. */
  gone: false;
  title: string;
  status: FindingStatus;
  isFlapping: boolean;
  revision: number;
  service?: string;
  /** A model must judge it before anything else happens. */
  toJudge: boolean;
  /** A model decided against notifying people, and why. */
  notWorthIt?: string;
  /** The next notification. */
  notice?: Notice;
  /** An investigation should be opened. */
  toInvestigate: boolean;
  /** The last investigation that the finding opened. */
  investigation?: { id: string; status: InvestigationStatus };
  /** When time alone changes it, unix milliseconds. */
  settlesAt: number | null;
}

export type ReadFindingResult = FindingView | { gone: true };

/** Starts an investigation's workflow as the product does. */
export interface InvestigationStart {
  input: InvestigationWorkflowInput;
  summary: string;
  details: string;
}

export interface OpenInvestigationResult {
  /** Absent: no longer wanted. */
  investigationId?: string;
}

export interface InvestigationRef extends FindingRef {
  investigationId: string;
}

export interface InvestigationProgress {
  status: InvestigationStatus | 'gone';
  /** The arguments to start its workflow. */
  start?: InvestigationStart;
}

/** `at`: unix milliseconds by the workflow's clock: this worker's clock may be behind the one that woke it. */
export interface SettleFindingInput extends FindingRef {
  at: number;
}

export interface NotifyInput extends FindingRef, Notice {}
export interface NotifyResult {
  /** `gone`: the finding or its agent was deleted. */
  status: 'delivered' | 'failed' | 'skipped' | 'gone';
  /** One line for operators. */
  receipt?: string;
}
