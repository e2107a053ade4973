/** A checked proposal: the result of `suggest_pr`, which is evidence and what a pull request is opened from. */
import type { CodeHosts, Mirror, Repository } from '../../code-hosts/index.ts';
import type { StoredSuggestion } from '../../investigations/index.ts';
import type { GitRepository } from '../../workspace/index.ts';
import { applyChange } from './apply.ts';
import { changeOf, type ProposalInput } from './schema.ts';

/** Longer diffs are cut at a line; what was proposed stays whole in the call's input. */
const DIFF_CHARACTERS = 60_000;

/** A mirror, for the functions that work on any bare repository. */
export const gitOf = ({ gitDir, git }: Mirror): GitRepository => ({ path: gitDir, git });

/**
 * Checks a proposal against the newest commit of its base in the mirror.
 * @throws {ChangeRefused} when it does not apply; {CodeHostError} when there is no such branch, or no mirror yet
 */
export async function suggestionOf(
  codeHosts: Pick<CodeHosts, 'mirrorOf'>,
  repository: Repository,
  input: ProposalInput,
  signal: AbortSignal,
): Promise<StoredSuggestion> {
  const mirror = codeHosts.mirrorOf(repository);
  const base = input.base ?? repository.defaultBranch;
  const commit = await mirror.head(base);
  const { files, diff, isDiffCut, warnings, reverted } = await applyChange(
    gitOf(mirror),
    commit,
    changeOf(input),
    signal,
  );
  const isLong = diff.length > DIFF_CHARACTERS;
  return {
    kind: 'suggested_pull_request',
    repository: repository.fullName,
    base,
    base_commit: commit,
    title: input.title,
    body: input.body,
    ...(reverted && { reverts: reverted }),
    files,
    diff: isLong ? diff.slice(0, diff.lastIndexOf('\n', DIFF_CHARACTERS) + 1) : diff,
    ...((isDiffCut || isLong) && { diff_truncated: true }),
    warnings,
  };
}
