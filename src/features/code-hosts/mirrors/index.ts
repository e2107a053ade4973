/** The mirrors of a team's repositories. */
import { join } from 'node:path';
import { CodeHostError } from '@casebook/connectors';
import { runGit } from '../../../platform/git/index.ts';
import type { Repository } from '../entities.ts';
import type { Mirror } from '../port.ts';

/** @param directory that of the mirrors; the same for every process of an installation */
export const createMirrors =
  (directory: string) =>
  ({ id, teamId, defaultBranch }: Repository): Mirror => {
    const gitDir = join(directory, teamId, `${id}.git`);
    const git: Mirror['git'] = (args, options) => runGit('git', gitDir, args, options);
    const notYet = (): Promise<never> => Promise.reject(new CodeHostError('unavailable', 'There is no mirror yet.'));
    return {
      gitDir,
      git,
      async head(branch = defaultBranch) {
        const { stdout } = await git(['rev-parse', '--verify', `refs/heads/${branch}^{commit}`]);
        return stdout.toString().trim();
      },
      fetchNow: notYet,
      push: notYet,
    };
  };
