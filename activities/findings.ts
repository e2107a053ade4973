import { ApplicationFailure } from '@temporalio/activity';
import type { FindingRef } from '../src/features/monitoring-agents/contract.ts';
import type {
  InvestigationRef,
  InvestigationProgress,
  NotifyInput,
  NotifyResult,
  OpenInvestigationResult,
  ReadFindingResult,
  SettleFindingInput,
} from '../src/features/monitoring-agents/findings/contract.ts';
import {
  judgeFinding,
  leaveUnjudged,
  notify,
  openInvestigation,
  readFinding,
  readInvestigation,
  settleFinding,
  type FindingDeps,
} from '../src/features/monitoring-agents/findings/index.ts';
import { DeliveryError } from '../src/features/notifications/index.ts';
import { withHeartbeat } from './attempt.ts';
import { askingModel } from './runs.ts';

export interface FindingActivities {
  readFinding(input: FindingRef): Promise<ReadFindingResult>;
  settleFinding(input: SettleFindingInput): Promise<void>;
  judgeFinding(input: FindingRef): Promise<void>;
  leaveUnjudged(input: FindingRef & { why: string }): Promise<void>;
  openInvestigation(input: FindingRef): Promise<OpenInvestigationResult>;
  readInvestigation(input: InvestigationRef): Promise<InvestigationProgress>;
  notify(input: NotifyInput): Promise<NotifyResult>;
}

/** The activities of a finding's workflow. */
export function createFindingActivities(deps: FindingDeps): FindingActivities {
  return {
    readFinding: (input) => readFinding(deps, input),
    settleFinding: (input) => settleFinding(deps, input),
    judgeFinding: (input) => askingModel((attempt) => judgeFinding(deps, input, attempt)),
    leaveUnjudged: ({ why, ...ref }) => leaveUnjudged(deps, ref, why),
    openInvestigation: (input) => openInvestigation(deps, input),
    readInvestigation: (input) => readInvestigation(deps, input),
    notify: (input) =>
      withHeartbeat((attempt) =>
        notify(deps, input, attempt).catch((error: unknown) => {
          throw toFailure(error);
        }),
      ),
  };
}

/** A receiver may ask for a pause, but not one so long that everybody has forgotten what it was about. */
const LONGEST_PAUSE_MS = 3_600_000;

/** Temporal owns the retries: what the receiver said about retrying becomes the failure's retry policy. */
function toFailure(error: unknown): unknown {
  if (!(error instanceof DeliveryError)) return error;
  const { message, retryable, retryAfterMs } = error;
  return ApplicationFailure.create({
    message,
    type: error.name,
    nonRetryable: !retryable,
    nextRetryDelay: retryAfterMs === undefined ? undefined : Math.min(retryAfterMs, LONGEST_PAUSE_MS),
  });
}
