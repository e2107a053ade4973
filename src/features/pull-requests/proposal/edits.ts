/** Turns edits into the new contents of files. */
import {
  editText,
  findEntries,
  readFile,
  WorkspaceError,
  workspacePath,
  type GitRepository,
  type TreeEntry,
  type WorkspaceChange,
} from '../../workspace/index.ts';
import { nearestPlaces } from './nearest.ts';
import { ChangeRefused, type ChangeProblem } from './refused.ts';
import type { ProposedEdit } from './schema.ts';

type Problem = Omit<ChangeProblem, 'path'>;

const MAX_PROBLEMS = 20;
/** Problems with the nearest places, which take half a second to find in a large file. */
const MAX_NEAREST = 3;

/**
 * The contents after all edits, which see each other's results.
 * @param at the commit that they apply to
 * @throws {ChangeRefused} with the first 20 edits that do not apply
 */
export async function editedFiles(
  repository: GitRepository,
  at: string,
  edits: readonly ProposedEdit[],
  signal?: AbortSignal,
): Promise<WorkspaceChange[]> {
  const problems: ChangeProblem[] = [];
  const accepted = edits.flatMap((edit) => {
    const path = acceptedPath(edit.path);
    if (typeof path === 'string') return [{ edit, path }];
    problems.push({ path: edit.path, ...path });
    return [];
  });
  const paths = accepted.map(({ path }) => path);
  const entries = await findEntries(repository, at, paths, signal);
  /** Null: deleted. */
  const contents = new Map<string, string | null>();
  const isThere = (path: string): boolean => (contents.has(path) ? contents.get(path) !== null : entries.has(path));
  const textAt = async (path: string): Promise<string | Problem> => {
    const known = contents.get(path);
    if (known != null) return known;
    const { text, kind } = await readFile(repository, path, { at, signal });
    return text ?? { problem: `It is ${kind}, not text: pieces of it cannot be replaced.` };
  };
  const outcomeOf = async (edit: ProposedEdit, path: string): Promise<string | null | Problem> => {
    const problem = entryProblem(entries.get(path));
    if (problem) return { problem };
    if ('content' in edit) return edit.content;
    if (!isThere(path)) return { problem: 'There is no such file.' };
    if ('delete' in edit) return null;
    const text = await textAt(path);
    if (typeof text !== 'string') return text;
    return replaced(text, edit, problems.filter(({ nearest }) => nearest).length < MAX_NEAREST);
  };
  for (const { edit, path } of accepted) {
    if (problems.length >= MAX_PROBLEMS) break;
    const outcome = await outcomeOf(edit, path);
    if (typeof outcome === 'object' && outcome !== null) problems.push({ path, ...outcome });
    else contents.set(path, outcome);
  }
  if (problems.length > 0) throw new ChangeRefused(problems);
  return [...contents].map(([path, content]) => ({ path, content }));
}

function acceptedPath(path: string): string | Problem {
  try {
    return workspacePath(path);
  } catch (error) {
    if (error instanceof WorkspaceError) return { problem: error.message };
    throw error;
  }
}

function entryProblem(entry: TreeEntry | undefined): string | undefined {
  if (!entry || entry.type === 'file') return undefined;
  return entry.type === 'directory'
    ? 'It is a directory; name its files.'
    : `It is a ${entry.type}, which cannot be changed.`;
}

function replaced(
  text: string,
  edit: Extract<ProposedEdit, { search: string }>,
  withNearest: boolean,
): string | Problem {
  const { search, replace, all = false } = edit;
  const edited = editText(text, { oldText: search, newText: replace, replaceAll: all }, 'all');
  if (!('problem' in edited)) return edited.text;
  const nearest = withNearest && !text.includes(search) ? nearestPlaces(text, search) : [];
  return { problem: edited.problem, ...(nearest.length > 0 && { nearest }) };
}
