/** Versions of a repository as people name them: commits, branches, tags, times, releases and deployments. */
import { toUnixSeconds } from '../../tools/index.ts';
import type { CodeCall, CodePlace } from './code-tool.ts';
import { CodeProblem } from './code-tool.ts';

/** How far back a deployment is looked for. */
const DEPLOYMENT_DAYS = 90;
const CHANGE_ID = /(?:^|:)((?:pull_request|deployment|release|commit):.+)$/u;

/**
 * The commit of a version: a revision; a time, at which it was the newest of the default branch; or the id of a change that
 * `recent_changes` lists, such as `deployment:12`.
 * @throws {CodeProblem}
 */
export async function commitOfVersion(
  call: CodeCall,
  { repository, mirror }: Pick<CodePlace, 'repository' | 'mirror'>,
  version: string,
): Promise<string> {
  const { signal } = call;
  const { fullName, defaultBranch } = repository;
  const commit = await mirror.resolve(version, signal);
  if (commit !== undefined) return commit;
  const change = CHANGE_ID.exec(version)?.[1];
  if (change !== undefined) return commitOfChange(call, { repository, mirror }, change);
  const seconds = toUnixSeconds(version);
  if (typeof seconds !== 'number')
    throw new CodeProblem(
      `${fullName} has no branch, tag or commit ${JSON.stringify(version)}, and it is no time; use ISO 8601 such as 2026-03-01T14:05:00Z.`,
      { default_branch: defaultBranch },
    );
  const head = await mirror.head();
  const at = new Date(seconds * 1_000).toISOString();
  const { stdout } = await mirror.git(['rev-list', '--max-count=1', '--first-parent', `--before=${at}`, head], {
    signal,
  });
  const found = stdout.toString('latin1').trim();
  if (found === '') throw new CodeProblem(`${fullName} has no commit on ${defaultBranch} at ${at} or before.`);
  return found;
}

async function commitOfChange(
  { codeHosts, context, signal }: CodeCall,
  { repository, mirror }: Pick<CodePlace, 'repository' | 'mirror'>,
  id: string,
): Promise<string> {
  const [kind, name = ''] = id.split(/:(.*)/su);
  if (kind === 'commit' || kind === 'release') {
    const commit = await mirror.resolve(name, signal);
    if (commit !== undefined) return commit;
  }
  const now = Math.ceil(context.clock.now().getTime() / 1_000);
  const host = await codeHosts.hostOf(repository);
  const window = { from: now - DEPLOYMENT_DAYS * 86_400, to: now + 1 };
  const changes = await host.changes(repository.fullName, window, { signal });
  const change = changes.find((one) => one.id === id);
  const commit = change?.commit === undefined ? undefined : await mirror.resolve(change.commit, signal);
  if (commit !== undefined) return commit;
  throw new CodeProblem(
    change
      ? `The commit of ${id} is not in the copy of ${repository.fullName}.`
      : `${repository.fullName} has no ${id} within ${DEPLOYMENT_DAYS} days.`,
    { known: changes.slice(-20).map((one) => one.id) },
  );
}
