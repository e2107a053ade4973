import { z } from 'zod';
import { nameField as name } from '../../http/fields.ts';
import { ROLES, SIGN_IN_METHODS } from './entities.ts';

const MAX_PATH = 2_000;
const BASE = 'http://casebook.invalid';

/**
 * A path of this app, as a browser would request it. Anything that may lead to another host is rejected: `//host`,
 * `/\host`, absolute URLs, control characters (which browsers drop).
 * @returns path, query and fragment in ASCII; undefined for anything else
 */
export function localPath(text: string): string | undefined {
  // oxlint-disable-next-line no-control-regex -- they are what it is about
  if (text.length > MAX_PATH || !/^\/(?![/\\])[^\\\x00-\x1f\x7f]*$/.test(text)) return undefined;
  if (!URL.canParse(text, BASE)) return undefined;
  const { origin, pathname, search, hash } = new URL(text, BASE);
  // `/.//host` has become `//host`.
  const path = pathname + search + hash;
  return origin === BASE && !path.startsWith('//') && path.length <= MAX_PATH ? path : undefined;
}

const id = z.uuid();
const time = z.iso.datetime();
const role = z.enum(ROLES);

export const TeamResponse = z.object({ id, name: z.string(), created_at: time }).meta({ id: 'TeamResponse' });

export const TeamListResponse = z.object({ teams: z.array(TeamResponse) }).meta({ id: 'TeamListResponse' });

export const TeamUpdateRequest = z.object({ name }).meta({ id: 'TeamUpdateRequest' });

export const TeamCreateRequest = z
  .object({ name, admin_email: z.email().max(254), admin_name: name })
  .meta({ id: 'TeamCreateRequest' });

export const MemberResponse = z
  .object({ user_id: id, email: z.string(), name: z.string(), role, joined_at: time })
  .meta({ id: 'MemberResponse' });

export const MemberListResponse = z.object({ members: z.array(MemberResponse) }).meta({ id: 'MemberListResponse' });

export const MemberAddRequest = z
  .object({ email: z.email().max(254), name, role: role.default('member') })
  .meta({ id: 'MemberAddRequest' });

export const MemberRemovedResponse = z
  .object({ user_id: id, removed: z.literal(true) })
  .meta({ id: 'MemberRemovedResponse' });

export const ApiKeyResponse = z
  .object({
    id,
    name: z.string(),
    prefix: z.string().meta({ description: 'The first characters of the key.' }),
    scopes: z.array(z.string()),
    user_id: id.nullable().meta({ description: 'The user the key acts for; null for a program.' }),
    created_by_key_id: id.nullable(),
    created_at: time,
    expires_at: time.nullable().meta({ description: 'Null if it works until it is revoked.' }),
    last_used_at: time.nullable().meta({ description: 'To the minute.' }),
    revoked_at: time.nullable(),
  })
  .meta({ id: 'ApiKeyResponse' });

/** @param names the scopes of all rooms */
export function apiKeySchemas(names: readonly string[]) {
  const scope = z.enum(names);
  return {
    ApiKeyListResponse: z
      .object({
        api_keys: z.array(ApiKeyResponse),
        scopes: z
          .array(z.object({ scope, allows: z.string() }))
          .meta({ description: 'Scopes that a key can be given.' }),
      })
      .meta({ id: 'ApiKeyListResponse' }),
    ApiKeyCreateRequest: z
      .object({
        name,
        scopes: z.array(scope).min(1).max(names.length),
        user_id: id.optional(),
        expires_at: z.iso.datetime({ offset: true }).nullish().meta({
          description: 'When it stops working. Default: never, or when the key that creates it expires.',
        }),
      })
      .meta({ id: 'ApiKeyCreateRequest' }),
  };
}

export const ApiKeyCreatedResponse = z
  .object({ ...ApiKeyResponse.shape, api_key: z.string().meta({ description: 'Shown only once.' }) })
  .meta({ id: 'ApiKeyCreatedResponse' });

export const TeamCreatedResponse = z
  .object({ team: TeamResponse, api_key: ApiKeyCreatedResponse })
  .meta({ id: 'TeamCreatedResponse' });

export const UserResponse = z.object({ id, email: z.string(), name: z.string() }).meta({ id: 'UserResponse' });

export const CurrentUserResponse = z
  .object({
    user: UserResponse.nullable().meta({ description: 'Null when the key belongs to a program.' }),
    role: role.nullable(),
    team: TeamResponse,
    api_key_id: id,
    scopes: z.array(z.string()),
  })
  .meta({ id: 'CurrentUserResponse' });

const method = z.enum(SIGN_IN_METHODS);
const secret = z.string().min(1).max(512);

export const SignInMethodsResponse = z
  .object({
    methods: z.object({
      api_key: z.literal(true),
      link: z.literal(true),
      oidc: z
        .object({ name: z.string().meta({ description: 'The display name of the identity provider.' }) })
        .nullable()
        .meta({
          description: 'Send the browser to `GET /api/sign-in/oidc?to=/path` to start. Null if none is configured.',
        }),
    }),
  })
  .meta({ id: 'SignInMethodsResponse' });

export const SessionRequest = z
  .union([
    z.strictObject({ api_key: secret }),
    z.strictObject({
      link: secret.meta({ description: 'The token of a one-time link.' }),
      attempt: z.uuid().optional().meta({
        description:
          'Generated by the browser. If the response is lost, repeat the request with the same id within two minutes.',
      }),
    }),
  ])
  .meta({ id: 'SessionRequest' });

export const SessionResponse = z
  .object({
    id,
    csrf_token: z.string().meta({ description: 'For the header `X-CSRF-Token`.' }),
    user: UserResponse.nullable().meta({ description: 'Null if the session does not act for a particular person.' }),
    role: z.enum(['admin', 'member']).nullable(),
    team: TeamResponse,
    other_teams: z.array(TeamResponse).meta({
      description:
        'Teams the person may switch to with `POST /api/session/team`. Only for those who signed in through the identity provider.',
    }),
    scopes: z.array(z.string()),
    api_key_id: id.nullable().meta({ description: 'The key used to sign in.' }),
    expires_at: time,
    signed_in_with: method,
  })
  .meta({ id: 'SessionResponse' });

export const SessionTeamRequest = z.strictObject({ team_id: id }).meta({ id: 'SessionTeamRequest' });

export const SignedOutResponse = z.object({ signed_out: z.literal(true) }).meta({ id: 'SignedOutResponse' });

export const SessionListItem = z
  .object({
    id,
    browser: z.string().meta({ description: 'The browser, as it identified itself at sign-in.' }),
    user: UserResponse.nullable(),
    api_key_id: id.nullable().meta({ description: 'The key used to sign in.' }),
    scopes: z.array(z.string()),
    signed_in_with: method,
    current: z.boolean().meta({ description: 'Whether this is the session making the request.' }),
    created_at: time,
    last_used_at: time.nullable().meta({ description: 'To the minute.' }),
    expires_at: time,
  })
  .meta({ id: 'SessionListItem' });

export const SessionListResponse = z.object({ sessions: z.array(SessionListItem) }).meta({ id: 'SessionListResponse' });

export const SessionRevokedResponse = z.object({ id, revoked: z.literal(true) }).meta({ id: 'SessionRevokedResponse' });

const HOUR = 3_600;
const path = z
  .string()
  .max(2_000)
  .refine((text) => localPath(text) !== undefined && !text.includes('#'), 'Value error, must be a path of the web app')
  .meta({ description: 'Where the link leads.', example: '/investigations' });

// Strict: with a misspelt member field, the link would be the caller's own.
export const SignInLinkCreateRequest = z
  .strictObject({
    user_id: id.optional().meta({
      description:
        "The team member to sign in, with the permissions of their role. Default: nobody in particular, with the caller's permissions.",
    }),
    expires_in_seconds: z
      .int()
      .min(60)
      .max(7 * 24 * HOUR)
      .default(HOUR),
    path: path.default('/'),
  })
  .meta({ id: 'SignInLinkCreateRequest' });

export const SignInLinkResponse = z
  .object({
    url: z.string().meta({ description: 'Signs in whoever opens it first.' }),
    token: z.string().meta({ description: 'The token in that URL; shown only once.' }),
    expires_at: time,
  })
  .meta({ id: 'SignInLinkResponse' });
