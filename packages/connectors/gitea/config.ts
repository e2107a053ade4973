import { z } from 'zod';
import { headerSecret } from '../shared/header-values.ts';
import { httpApiConfig } from '../shared/http-api/config.ts';

export const giteaConfig = z.strictObject({
  /** Its root, as in a browser. */
  url: httpApiConfig.shape.url.transform((url) => url.replace(/\/+(?:api\/v1\/*)?$/u, '')),
  /** An access token of a user. */
  token: headerSecret,
  tls: httpApiConfig.shape.tls,
});

export type GiteaConfig = z.output<typeof giteaConfig>;
