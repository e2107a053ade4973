import type { DraftOutcome, WorkspaceDrafts } from '../workspace/index.ts';
import type { ChatTurn } from './entities.ts';
import { titleOfQuestion } from './title.ts';

const AUTHOR = { name: 'Casebook', email: 'casebook@localhost' };

/**
 * Ends the draft of a turn: one commit, or a proposal of one. Idempotent.
 * @param answered false when the turn came to nothing: its draft is given up
 * @returns undefined when the turn was no edit and changed nothing
 */
export async function finishEdit(
  drafts: WorkspaceDrafts,
  turn: ChatTurn,
  answered: boolean,
): Promise<DraftOutcome | undefined> {
  const run = { teamId: turn.teamId, runId: turn.id };
  if (!turn.sideEffects) return undefined;
  if (!answered) return drafts.discard(run);
  if (turn.purpose !== 'edit' && (await drafts.diff(run)).files.length === 0) return undefined;
  const message = `${titleOfQuestion(turn.question)}\n\nCasebook-Chat: ${turn.chatId}`;
  return drafts.finish(run, turn.mode ?? 'apply', { message, author: AUTHOR, date: turn.createdAt });
}
