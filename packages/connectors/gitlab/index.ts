/** GitLab (https://docs.gitlab.com/api/rest/), on gitlab.com or self-managed. */
import { defineCodeHostKind } from '../shared/code-host/connector.ts';
import { gitLabConfig } from './config.ts';
import { openGitLab } from './host.ts';

export { GITLAB_URL } from './config.ts';
export { openGitLab } from './host.ts';

/** How GitLab is configured and created. */
export const gitlab = defineCodeHostKind({ kind: 'gitlab', config: gitLabConfig, open: openGitLab });
