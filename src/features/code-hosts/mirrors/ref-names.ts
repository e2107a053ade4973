/** Names of refs and revisions, as far as they are accepted from hosts, people and models. Pure. */

/** What `git check-ref-format` refuses: control characters, spaces, `~^:?*[\`, `..`, `@{`, empty and hidden parts. */
// oxlint-disable-next-line no-control-regex -- they are what is refused
const REFUSED = /[\x00-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|(?:^|\/)\.|\.lock(?:\/|$)|^\/|[/.]$|^@$|^$/u;
const MAX_BYTES = 255;

/** Whether this can be the name of a branch or tag, without `refs/heads/` or `refs/tags/`. */
export const isRefName = (name: string): boolean =>
  name.isWellFormed() && Buffer.byteLength(name) <= MAX_BYTES && !REFUSED.test(name);

export const isCommitId = (text: string): boolean => /^[0-9a-f]{40}$/u.test(text);

/** Where Casebook's own branches are: it writes no others. */
export const OWN_BRANCHES = 'casebook/';

const REFSPEC = /^([0-9a-f]{40}):refs\/heads\/(.+)$/u;

/**
 * What is wrong with a refspec to push; undefined if nothing. `COMMIT:refs/heads/casebook/NAME` creates a branch or moves
 * it forward; nothing is forced or deleted.
 */
export function refspecProblem(refspec: string): string | undefined {
  const branch = REFSPEC.exec(refspec)?.[2];
  if (branch === undefined) return 'A refspec must be COMMIT:refs/heads/BRANCH';
  if (!branch.startsWith(OWN_BRANCHES) || branch === OWN_BRANCHES || !isRefName(branch))
    return `Casebook writes branches below ${OWN_BRANCHES} only`;
  return undefined;
}

/** The refs that a revision in words may mean, the likeliest first; none if it cannot be one. */
export function candidatesOf(revision: string): string[] {
  const isAbbreviated = /^[0-9a-f]{7,40}$/u.test(revision);
  if (!isRefName(revision)) return [];
  return [`refs/heads/${revision}`, `refs/tags/${revision}`, ...(isAbbreviated ? [revision] : [])];
}
