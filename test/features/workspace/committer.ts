/**
 * A process that makes commits, all at once or one after the other, and says each as `KEY COMMIT`. Tests start several
 * and kill them.
 */
import { createGitWorkspaces, type GitWorkspaceOptions } from '../../../src/features/workspace/git/index.ts';
import type { CommitInput } from '../../../src/features/workspace/port.ts';
import { LONG_TIMEOUTS } from '../../support/timeouts.ts';

export interface CommitterInput {
  options: GitWorkspaceOptions;
  teamId: string;
  commits: (Omit<CommitInput, 'date'> & { date: string })[];
  inTurn?: boolean;
}

if (import.meta.main) {
  const { options, teamId, commits, inTurn }: CommitterInput = JSON.parse(process.argv[2] ?? '');
  const workspace = createGitWorkspaces({ gitTimeoutMs: LONG_TIMEOUTS.gitMs, ...options }).forTeam(teamId);
  const work = commits.map((input) => async () => {
    const { commit } = await workspace.commit({ ...input, date: new Date(input.date) });
    process.stdout.write(`${input.key} ${commit}\n`);
  });
  if (inTurn) for (const each of work) await each();
  else await Promise.all(work.map((each) => each()));
}
