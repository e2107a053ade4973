import { z } from 'zod';
import { optional, webUrl, withDefault } from '../../config.ts';

/** Where people sign in with their organisation's account (OpenID Connect). */
export interface OidcConfig {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** What people call it. */
  name: string;
}

/** Over plain http anybody could forge an ID token, except on this machine. */
const issuerUrl = webUrl.refine(
  (text) => !URL.canParse(text) || new URL(text).protocol === 'https:' || isLoopback(new URL(text).hostname),
  'must be an https:// URL; http:// is only for addresses of this machine',
);
const isLoopback = (host: string): boolean => host === 'localhost' || host === '[::1]' || /^127(\.\d+){3}$/.test(host);

const OIDC = ['CASEBOOK_OIDC_ISSUER', 'CASEBOOK_OIDC_CLIENT_ID', 'CASEBOOK_OIDC_CLIENT_SECRET'] as const;

export const configuration = z
  .object({
    CASEBOOK_OIDC_ISSUER: optional(issuerUrl),
    CASEBOOK_OIDC_CLIENT_ID: optional(z.string()),
    CASEBOOK_OIDC_CLIENT_SECRET: optional(z.string()),
    CASEBOOK_OIDC_NAME: withDefault(z.string().trim().min(1).max(60), 'single sign-on'),
    CASEBOOK_SESSION_HOURS: withDefault(z.coerce.number().min(0.1).max(8_760), 168),
  })
  .superRefine((e, context) => {
    const missing = OIDC.filter((name) => e[name] === undefined);
    if (missing.length === OIDC.length) return;
    for (const name of missing)
      context.addIssue({ code: 'custom', path: [name], message: `must be set if any of ${OIDC.join(', ')} is` });
  })
  .transform((e): IdentitySettings => ({
    oidc:
      e.CASEBOOK_OIDC_ISSUER === undefined
        ? undefined
        : {
            issuer: e.CASEBOOK_OIDC_ISSUER,
            clientId: e.CASEBOOK_OIDC_CLIENT_ID ?? '',
            clientSecret: e.CASEBOOK_OIDC_CLIENT_SECRET ?? '',
            name: e.CASEBOOK_OIDC_NAME,
          },
    sessionHours: e.CASEBOOK_SESSION_HOURS,
  }));

export interface IdentitySettings {
  /** Undefined: people sign in with API keys and links. */
  oidc?: OidcConfig;
  /** How long a browser stays signed in. */
  sessionHours: number;
}
