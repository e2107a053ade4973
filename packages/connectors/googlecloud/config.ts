import { createPrivateKey } from 'node:crypto';
import { z } from 'zod';
import { headerSecret } from '../shared/header-values.ts';
import { httpApiConfig } from '../shared/http-api/config.ts';

export const GOOGLE_TOKEN_URL = 'https://oauth2.googleapis.com/token';

/** What Google has written into keys over the years. */
const GOOGLE_TOKEN_URLS = new Set([
  GOOGLE_TOKEN_URL,
  'https://accounts.google.com/o/oauth2/token',
  'https://www.googleapis.com/oauth2/v4/token',
]);

/** A service account's key as Google gives it; members that are not needed are dropped. */
const keyFile = z.object({
  type: z.literal('service_account', { error: 'must be service_account: this is another kind of credential' }),
  client_email: z.email({ error: 'must be an e-mail address' }),
  private_key: z.string().refine(isRsaKey, { error: 'is not an RSA private key in PEM' }),
  private_key_id: z.string().max(200).optional(),
  project_id: z.string().optional(),
  token_uri: z.url({ error: 'must be a URL' }),
});

export type ServiceAccount = z.output<typeof keyFile>;

/** The key as an object, or as the text of its file. */
const serviceAccount = z
  .unknown()
  .transform((value, context) => {
    if (typeof value !== 'string') return value;
    try {
      return JSON.parse(value) as unknown;
    } catch {
      // The parser's own message would quote the key.
      context.addIssue({ code: 'custom', message: 'is not JSON: give the whole key file' });
      return z.NEVER;
    }
  })
  .pipe(keyFile);

export const googleCloudConfig = z
  .strictObject({
    project_id: z
      .string()
      .trim()
      .regex(/^(?:[a-z0-9.-]+:)?[a-z][a-z0-9-]{4,28}[a-z0-9]$/u, 'must be a project id, such as shop-prod-4711'),
    /** Of a user who has consented. Whoever configures it renews it. */
    access_token: headerSecret.optional(),
    service_account: serviceAccount.optional(),
    /** Where tokens are minted instead of at Google. Set by the operator, never taken from a key. */
    token_url: httpApiConfig.shape.url.optional(),
    /**
     * Replaces `https://SERVICE.googleapis.com` for all services, which become the first segment of the path:
     * `{api_url}/logging/v2/entries:list`.
     */
    api_url: httpApiConfig.shape.url.optional(),
  })
  .superRefine(({ access_token: token, service_account: account, token_url: tokenUrl }, context) => {
    if ((token === undefined) === (account === undefined)) {
      context.addIssue({
        code: 'custom',
        path: ['service_account'],
        message: 'needs either service_account or access_token',
      });
    }
    // A key that names another server would have signed assertions sent there.
    if (account && !GOOGLE_TOKEN_URLS.has(account.token_uri) && account.token_uri !== tokenUrl) {
      context.addIssue({
        code: 'custom',
        path: ['service_account', 'token_uri'],
        message: `must be Google's, ${GOOGLE_TOKEN_URL}, or the operator's token_url`,
      });
    }
  });

export type GoogleCloudConfig = z.output<typeof googleCloudConfig>;

function isRsaKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa';
  } catch {
    return false;
  }
}
