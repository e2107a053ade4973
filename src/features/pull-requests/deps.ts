import type { Orm } from '../../db/orm.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import type { CodeHosts } from '../code-hosts/index.ts';
import type { PullRequestLauncher } from './launch.ts';

export interface PullRequestDeps {
  orm: Orm;
  clock: Clock;
  log: Logger;
  codeHosts: CodeHosts;
  launcher: PullRequestLauncher;
  /** Where people reach the web app, without a trailing slash. */
  appUrl: string;
  /** How long a request waits for the pull request to be open, ms. */
  waitMs: number;
}
