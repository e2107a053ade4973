import { isUnreachable } from '../../../platform/unreachable.ts';
import { messageOf } from '../../../platform/message-of.ts';
import { WorkspaceError, type DraftOutcome, type WorkspaceDrafts } from '../../workspace/index.ts';
import type { ChatTurn } from '../entities.ts';
import { titleOfQuestion } from '../title.ts';

const AUTHOR = { name: 'Casebook', email: 'casebook@localhost' };

/** The change is fine and can be made a moment later. */
const PASSING = new Set(['busy', 'timeout']);
/** A repository still broken after this many attempts will not mend itself; the person gets an answer. */
const ATTEMPTS = 8;

interface FinishedEdit {
  /** Absent if the turn was not an edit and changed nothing. */
  changes?: DraftOutcome;
  /** Why the changes can never be made. */
  failure?: string;
}

/**
 * Ends the draft of a turn as one commit, or a proposal of one. Idempotent.
 * @param how.answered false if the turn failed: its draft is discarded
 * @param how.number the attempt, from 1
 * @param how.signal aborts this attempt
 * @throws if a later attempt may succeed
 */
export async function finishEdit(
  drafts: WorkspaceDrafts,
  turn: ChatTurn,
  { answered, number = 1, signal }: { answered: boolean; number?: number; signal?: AbortSignal },
): Promise<FinishedEdit> {
  try {
    return { changes: await finish(drafts, turn, { answered, signal }) };
  } catch (error) {
    if (signal?.aborted || isUnreachable(error) || (number < ATTEMPTS && mayPass(error))) throw error;
    return { failure: `The changes could not be made: ${messageOf(error)}` };
  }
}

function mayPass(error: unknown): boolean {
  return !(error instanceof WorkspaceError) || PASSING.has(error.code);
}

async function finish(
  drafts: WorkspaceDrafts,
  turn: ChatTurn,
  { answered, signal }: { answered: boolean; signal?: AbortSignal },
): Promise<DraftOutcome | undefined> {
  const run = { teamId: turn.teamId, runId: turn.id };
  if (!turn.sideEffects) return undefined;
  if (!answered) return drafts.discard(run);
  if (turn.purpose !== 'edit' && (await drafts.diff(run, { signal })).files.length === 0) return undefined;
  const message = `${titleOfQuestion(turn.question)}\n\nCasebook-Chat: ${turn.chatId}`;
  return drafts.finish(run, turn.mode ?? 'apply', { message, author: AUTHOR, date: turn.createdAt }, { signal });
}
