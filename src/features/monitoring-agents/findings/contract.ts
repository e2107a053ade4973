/** What the workflow of a finding and its activities share. Types only: workflows import them as such. */
import type { FindingRef, FindingStatus } from '../contract.ts';
import type { InvestigationStatus, InvestigationWorkflowInput } from '../../investigations/contract.ts';
import type { NotificationEvent } from './messages.ts';

/**
 * What was told and what is to be done is read from PostgreSQL each time: continue-as-new carries nothing, and a
 * workflow that was lost goes on where it was.
 */
export interface FindingWorkflowInput extends FindingRef {
  /** Without a signal the row is read again after so many seconds. */
  lookAgainSeconds: number;
  /** Continues as new after reading the row so often; absent means when the server suggests it. */
  readsPerHistory?: number;
}

export interface FindingWorkflowResult {
  status: FindingStatus | 'gone';
}

/** Something that people are to be told. */
export interface Notice {
  event: NotificationEvent;
  /** Tells notices of one event apart: the finding's revision, or the investigation's id. */
  n: string;
}

/** A finding as its workflow sees it: what it says, and what is to be done next. */
export interface FindingView {
  /** The finding or its agent was deleted. */
  gone: false;
  title: string;
  status: FindingStatus;
  isFlapping: boolean;
  revision: number;
  service?: string;
  /** A model is to look at it before anything else happens. */
  toJudge: boolean;
  /** A model found that nobody need be told, and why. */
  notWorthIt?: string;
  /** The next thing to tell. */
  notice?: Notice;
  /** An investigation is to be opened. */
  toInvestigate: boolean;
  /** The investigation that the finding opened last. */
  investigation?: { id: string; status: InvestigationStatus };
  /** When time alone changes it, unix milliseconds. */
  settlesAt: number | null;
}

export type ReadFindingResult = FindingView | { gone: true };

/** Starts the workflow of an investigation as the product does. */
export interface InvestigationStart {
  input: InvestigationWorkflowInput;
  summary: string;
  details: string;
}

export interface OpenInvestigationResult {
  /** Absent: it is not wanted any more. */
  investigationId?: string;
}

export interface InvestigationRef extends FindingRef {
  investigationId: string;
}

export interface InvestigationStanding {
  status: InvestigationStatus | 'gone';
  /** How its workflow is started. */
  start?: InvestigationStart;
}

/** `at`: unix milliseconds, of the workflow: a worker's clock may be behind the one that woke it. */
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
