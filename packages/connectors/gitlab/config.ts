import { z } from 'zod';
import { headerSecret } from '../shared/header-values.ts';
import { httpApiConfig } from '../shared/http-api/config.ts';

export const GITLAB_URL = 'https://gitlab.com';

export const gitLabConfig = z.strictObject({
  /** GitLab's own URL, without `/api/v4`. */
  url: httpApiConfig.shape.url.default(GITLAB_URL),
  /** An access token of OAuth, a person, a group or a project, with the scope `api`. */
  token: headerSecret,
  tls: httpApiConfig.shape.tls,
});
export type GitLabConfig = z.output<typeof gitLabConfig>;
