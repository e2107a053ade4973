import { WorkspaceError, type DraftOutcome, type WorkspaceDrafts } from '../workspace/index.ts';
import type { ChatTurn } from './entities.ts';
import { titleOfQuestion } from './title.ts';

const AUTHOR = { name: 'Casebook', email: 'casebook@localhost' };

/** Nothing is wrong with the change: it can be made a moment later. */
const PASSING = new Set(['busy', 'timeout']);

export interface FinishedEdit {
  /** Absent when the turn was no edit and changed nothing. */
  changes?: DraftOutcome;
  /** Why the changes could not be made, however often it is tried. */
  failure?: string;
}

/**
 * Ends the draft of a turn: one commit, or a proposal of one. Idempotent.
 * @param answered false when the turn came to nothing: its draft is given up
 * @throws when it may succeed later
 */
export async function finishEdit(drafts: WorkspaceDrafts, turn: ChatTurn, answered: boolean): Promise<FinishedEdit> {
  try {
    return { changes: await finish(drafts, turn, answered) };
  } catch (error) {
    if (!(error instanceof WorkspaceError) || PASSING.has(error.code)) throw error;
    return { failure: `The changes could not be made: ${error.message}` };
  }
}

async function finish(drafts: WorkspaceDrafts, turn: ChatTurn, answered: boolean): Promise<DraftOutcome | undefined> {
  const run = { teamId: turn.teamId, runId: turn.id };
  if (!turn.sideEffects) return undefined;
  if (!answered) return drafts.discard(run);
  if (turn.purpose !== 'edit' && (await drafts.diff(run)).files.length === 0) return undefined;
  const message = `${titleOfQuestion(turn.question)}\n\nCasebook-Chat: ${turn.chatId}`;
  return drafts.finish(run, turn.mode ?? 'apply', { message, author: AUTHOR, date: turn.createdAt });
}
