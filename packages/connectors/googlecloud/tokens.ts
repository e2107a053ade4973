/** Access tokens of a service account: an assertion signed with its key is exchanged for one (RFC 7523). */
import type { Network } from '../connector.ts';
import { createAccessTokens, type AccessTokens } from '../shared/access-tokens.ts';
import { signedJwt } from '../shared/signed-jwt.ts';
import { GOOGLE_TOKEN_URL, type ServiceAccount } from './config.ts';

const SCOPES = 'https://www.googleapis.com/auth/';

/** All that the operations need, but for Error Reporting. */
export const GOOGLE_READING_SCOPES: readonly string[] = [
  'cloud-platform.read-only',
  'logging.read',
  'monitoring.read',
  'trace.readonly',
].map((name) => SCOPES + name);

/** The only scope that Error Reporting accepts, although it allows more than reading. */
export const GOOGLE_ERROR_REPORTING_SCOPES: readonly string[] = [`${SCOPES}cloud-platform`];

/** Google accepts no longer life. */
const ASSERTION_SECONDS = 3_600;

/**
 * @param options.tokenUrl the operator's; Google's by default. The key's own `token_uri` never decides where a request
 *   goes.
 */
export function serviceAccountTokens(
  account: ServiceAccount,
  options: { scopes: readonly string[]; tokenUrl?: string; network?: Network; now: () => number },
): AccessTokens {
  const { tokenUrl, network, now } = options;
  // A proxy in front of Google passes the assertion on to Google.
  const audience = tokenUrl !== undefined && account.token_uri === tokenUrl ? tokenUrl : GOOGLE_TOKEN_URL;
  return createAccessTokens({
    name: "Google's token server",
    url: tokenUrl ?? GOOGLE_TOKEN_URL,
    secrets: ['assertion'],
    form: () => ({
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion: assertion(account, { audience, scopes: options.scopes, seconds: Math.floor(now() / 1000) }),
    }),
    network,
    now,
  });
}

function assertion(
  account: ServiceAccount,
  { audience, scopes, seconds }: { audience: string; scopes: readonly string[]; seconds: number },
): string {
  const claims = {
    iss: account.client_email,
    scope: scopes.join(' '),
    aud: audience,
    iat: seconds,
    exp: seconds + ASSERTION_SECONDS,
  };
  return signedJwt(claims, { key: account.private_key, keyId: account.private_key_id });
}
