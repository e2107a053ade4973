import { ApplicationFailure } from '@temporalio/activity';
import { CodeHostError } from '@casebook/connectors';
import type { RepositoryRef, SyncResult } from '../src/features/code-hosts/contract.ts';
import { MirrorsBusy, type Mirrors } from '../src/features/code-hosts/index.ts';
import { withHeartbeat } from './attempt.ts';

export interface MirrorActivities {
  syncMirror(input: RepositoryRef): Promise<SyncResult>;
}

/** The activities of mirrors' workflows. */
export function createMirrorActivities({ mirrors }: { mirrors: Mirrors }): MirrorActivities {
  return {
    syncMirror: (input) =>
      withHeartbeat((attempt) =>
        mirrors.sync(input, attempt.signal).catch((error: unknown) => {
          throw toFailure(error);
        }),
      ),
  };
}

/** A host may ask for a pause, but a mirror must not stay behind for longer. */
const LONGEST_PAUSE_MS = 3_600_000;

/** Temporal owns the retries: the pause that the host asks for becomes that before the next attempt. */
function toFailure(error: unknown): unknown {
  if (!(error instanceof CodeHostError || error instanceof MirrorsBusy)) return error;
  const { message, name, retryAfterMs } = error;
  const nextRetryDelay = retryAfterMs === undefined ? undefined : Math.min(retryAfterMs, LONGEST_PAUSE_MS);
  return ApplicationFailure.create({ message, type: name, ...(nextRetryDelay !== undefined && { nextRetryDelay }) });
}
