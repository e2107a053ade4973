/** Changes that people and programs make to the workspace: each request is one commit. */
import { createHash, randomUUID } from 'node:crypto';
import type { EntityManager } from '../../db/orm.ts';
import type { Principal } from '../../http/authenticate.ts';
import { idempotencyKeyReused } from '../../http/errors.ts';
import { authorOf } from './authors.ts';
import type { DraftFiles } from './drafts/types.ts';
import { WorkspaceConflict, WorkspaceError, type CommitResult, type WorkspaceChange, type Workspaces } from './port.ts';

/** Changes of others to the same paths, after which a request gives up. */
const MAX_ATTEMPTS = 20;

export interface Wanted {
  workspaces: Workspaces;
  em: EntityManager;
  principal: Principal;
  now: Date;
  signal: AbortSignal;
  idempotencyKey?: string;
  /** Everything that distinguishes the request, except for the key. */
  request: unknown;
  message: string;
  /**
   * Computes the changes from the current files; called again if others change the same files meanwhile.
   * @throws what answers the request if it cannot be done
   */
  compute: (files: DraftFiles) => Promise<readonly WorkspaceChange[]>;
}

/**
 * Makes the changes. Repeating a request with its key, even after a lost answer, changes nothing.
 * @throws {WorkspaceError} `busy` when others change the same files all the time; {Conflict} when the key belongs to
 *   another request
 */
export async function writeChanges(wanted: Wanted): Promise<CommitResult> {
  const { idempotencyKey, principal, signal, compute, message, now: date } = wanted;
  const workspace = wanted.workspaces.forTeam(principal.teamId);
  const request = digestOf(JSON.stringify(wanted.request));
  const key = `api-${idempotencyKey === undefined ? randomUUID() : digestOf(idempotencyKey)}`;
  const answer = (made: CommitResult): CommitResult => {
    if (made.request !== undefined && made.request !== request) throw idempotencyKeyReused();
    return made;
  };
  if (idempotencyKey !== undefined) {
    const made = await workspace.made(key, { signal });
    if (made) return answer(made);
  }
  const author = await authorOf(wanted.em, principal);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const base = await workspace.head({ signal });
    const changes = await compute({ workspace, at: base });
    try {
      return answer(await workspace.commit({ base, changes, message, author, date, key, request }, { signal }));
    } catch (error) {
      if (!(error instanceof WorkspaceConflict)) throw error;
    }
  }
  throw new WorkspaceError('busy', 'Others are changing the same files; try again');
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 40);
