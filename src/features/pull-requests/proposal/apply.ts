/** Applies a proposed change to a commit of a bare repository. Nothing is checked out, and no ref is written. */
import {
  COMMITTER,
  changeMessage,
  diffOf,
  identity,
  objectId,
  WorkspaceError,
  writeObjects,
  writeTree,
  type ChangedPath,
  type GitRepository,
} from '../../workspace/index.ts';
import { isCiPath } from './ci-paths.ts';
import { editedFiles } from './edits.ts';
import { ChangeRefused } from './refused.ts';
import { refuseLinks, revertedTree, type CommitFacts } from './revert.ts';
import type { ProposedChange } from './schema.ts';

/** A change as it applies to one commit. */
export interface AppliedChange {
  tree: string;
  files: ChangedPath[];
  /** Unified, of all files. */
  diff: string;
  /** It was too long; `files` are all there. */
  isDiffCut: boolean;
  /** For whoever reviews it. */
  warnings: string[];
  /** The commit that it reverts. */
  reverted?: CommitFacts;
}

/**
 * @param base the commit that it applies to
 * @throws {ChangeRefused} with every place where it does not apply
 */
export async function applyChange(
  repository: GitRepository,
  base: string,
  change: ProposedChange,
  signal?: AbortSignal,
): Promise<AppliedChange> {
  try {
    const { tree, reverted } = await treeWith(repository, base, change, signal);
    const { files, truncated } = await diffOf(repository, base, tree, signal);
    if (files.length === 0) throw new ChangeRefused([{ problem: nothingToDo(reverted) }]);
    await refuseLinks(repository, [base, tree], files, signal);
    const ci = files.map(({ path }) => path).filter(isCiPath);
    if (reverted && ci.length > 0) throw new ChangeRefused(ci.map((path) => ({ path, problem: REVERTS_CI })));
    return {
      tree,
      files: files.map(({ diff: _diff, ...file }) => file),
      diff: files.map(({ diff }) => diff).join(''),
      isDiffCut: truncated,
      warnings: ci.map((path) => `${path} decides what CI runs, with the repository's secrets: review it with care.`),
      ...(reverted && { reverted }),
    };
  } catch (error) {
    if (!(error instanceof WorkspaceError)) throw error;
    throw new ChangeRefused([{ problem: error.message }]);
  }
}

const REVERTS_CI =
  'It decides what CI runs, and a revert would change it as well: name the files to change as edits instead.';

const nothingToDo = (reverted: CommitFacts | undefined): string =>
  reverted
    ? `${reverted.commit.slice(0, 10)} (${reverted.summary}) has no effect any more: there is nothing to revert.`
    : 'The files already are as proposed: there is nothing to change.';

async function treeWith(
  repository: GitRepository,
  base: string,
  change: ProposedChange,
  signal?: AbortSignal,
): Promise<{ tree: string; reverted?: CommitFacts }> {
  if ('revertCommit' in change) return revertedTree(repository, base, change.revertCommit, signal);
  const files = await editedFiles(repository, base, change.edits, signal);
  const objects = await writeObjects(repository, files, signal);
  return { tree: await writeTree(repository, base, objects, signal) };
}

/**
 * Writes the commit of an applied change. Equal inputs give the same commit, so that every attempt makes the same one.
 * @param key names it in the message's trailer `Casebook-Change`
 * @returns its id
 */
export async function writeCommit(
  repository: GitRepository,
  commit: { tree: string; parent: string; message: string; key: string; date: Date },
  signal?: AbortSignal,
): Promise<string> {
  const { tree, parent, message, key, date } = commit;
  return objectId(
    await repository.git(['commit-tree', tree, '-p', parent], {
      input: changeMessage({ message, key }),
      env: identity(COMMITTER, date),
      signal,
    }),
  );
}
