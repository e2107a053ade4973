import { z } from 'zod';
import { apiKey } from '../../http/authenticate.ts';
import { NotFound } from '../../http/errors.ts';
import { clearedSessionCookie, refuseForeignPages, sessionSecrets } from '../../http/session-cookie.ts';
import { ApiKey } from '../teams/index.ts';
import { endpoint } from './deps.ts';
import { createLink, linkUrl } from './links.ts';
import { oidcEndpoints } from './oidc/routes.ts';
import { goOnInTeam } from './oidc/teams.ts';
import { presentSession } from './presenter.ts';
import * as schemas from './schemas.ts';
import { describeSession, handOver, signIn, termsFor } from './service.ts';
import { endSession, listSessions, revokeSession } from './sessions.ts';

const noSession = (): NotFound => new NotFound('The caller is an API key and has no session.', 'no_session');

const own = [
  endpoint({
    method: 'get',
    path: '/api/sign-in',
    operationId: 'getSignInMethods',
    summary: 'How a person can sign in',
    tags: ['Sign-in'],
    auth: 'none',
    response: schemas.SignInMethodsResponse,
    handler: async ({
      deps: {
        signIn: { provider },
      },
    }) => ({
      methods: { api_key: true as const, link: true as const, oidc: provider ? { name: provider.name } : null },
    }),
  }),
  endpoint({
    method: 'post',
    path: '/api/session',
    operationId: 'signIn',
    summary: 'Sign a browser in with an API key or a one-time link',
    description:
      'Sets the cookie of the session. A session may do what the key or the link may, ends with the key, and ends by ' +
      'itself after `CASEBOOK_SESSION_HOURS`. The session that the browser had ends, and so does the oldest of a key that ' +
      'has 500.',
    tags: ['Sign-in'],
    auth: 'none',
    body: schemas.SessionRequest,
    response: schemas.SessionResponse,
    errors: [401, 403, 503],
    handler: async ({ ctx, deps, body }) => {
      refuseForeignPages(ctx, deps.config.appUrl);
      const opened = await signIn(ctx, deps, body);
      await handOver(ctx, deps, opened);
      return describeSession(opened.session, opened.secret, deps);
    },
  }),
  endpoint({
    method: 'get',
    path: '/api/session',
    operationId: 'getSession',
    summary: "The browser's session, and its CSRF token",
    tags: ['Sign-in'],
    auth: apiKey(),
    response: schemas.SessionResponse,
    errors: [404],
    handler: async ({ ctx, deps, em, principal }) => {
      const [secret] = sessionSecrets(ctx.req.headers, deps.config.appUrl);
      if (principal.sessionId === undefined || secret === undefined) throw noSession();
      return describeSession(await em.findOneOrFail(ApiKey, { id: principal.sessionId }), secret, deps);
    },
  }),
  endpoint({
    method: 'post',
    path: '/api/session/team',
    operationId: 'changeSessionTeam',
    summary: 'Go on in another team',
    description:
      'For whoever signed in through the identity provider and is a member of several teams. A new session takes the place of the one that asks, and ends when that would have.',
    tags: ['Sign-in'],
    auth: apiKey(),
    body: schemas.SessionTeamRequest,
    response: schemas.SessionResponse,
    errors: [401, 404],
    handler: async ({ ctx, deps, em, principal, body }) => {
      if (principal.sessionId === undefined) throw noSession();
      const session = await em.findOneOrFail(ApiKey, { id: principal.sessionId });
      const opened = await goOnInTeam(em, session, body.team_id, termsFor(ctx, deps));
      await handOver(ctx, deps, opened);
      return describeSession(opened.session, opened.secret, deps);
    },
  }),
  endpoint({
    method: 'delete',
    path: '/api/session',
    operationId: 'signOut',
    summary: 'Sign the browser out',
    tags: ['Sign-in'],
    auth: apiKey(),
    response: schemas.SignedOutResponse,
    errors: [404],
    handler: async ({ ctx, deps, em, principal }) => {
      if (principal.sessionId === undefined) throw noSession();
      await endSession(em, principal.sessionId, deps.clock.now());
      deps.authenticator.forget(principal.sessionId);
      ctx.append('Set-Cookie', clearedSessionCookie(deps.config.appUrl));
      return { signed_out: true as const };
    },
  }),
];

const sessions = [
  endpoint({
    method: 'get',
    path: '/api/sessions',
    operationId: 'listSessions',
    summary: 'The sessions that are signed in',
    description: 'With the scope `team:admin` those of the whole team, otherwise one’s own; at most the newest 1,000.',
    tags: ['Sign-in'],
    auth: apiKey(),
    response: schemas.SessionListResponse,
    handler: async ({ em, principal, deps }) => {
      const listed = await listSessions(em, principal, deps.clock.now());
      return { sessions: listed.map(({ session, user }) => presentSession(session, user, principal)) };
    },
  }),
  endpoint({
    method: 'delete',
    path: '/api/sessions/{session_id}',
    operationId: 'revokeSession',
    summary: 'End a session',
    description:
      'It stops working at once in this process and within two seconds in every other. Unused links that were made in it stop too.',
    tags: ['Sign-in'],
    auth: apiKey(),
    params: z.object({ session_id: z.guid().meta({ format: 'uuid' }) }),
    response: schemas.SessionRevokedResponse,
    errors: [403, 404],
    handler: async ({ em, principal, params, deps }) => {
      await revokeSession(em, principal, params.session_id, deps.clock.now());
      deps.authenticator.forget(params.session_id);
      return { id: params.session_id, revoked: true as const };
    },
  }),
  endpoint({
    method: 'post',
    path: '/api/sign-in-links',
    operationId: 'createSignInLink',
    summary: 'Make a link that signs a browser in once',
    tags: ['Sign-in'],
    auth: apiKey('team:admin'),
    body: schemas.SignInLinkCreateRequest,
    response: schemas.SignInLinkResponse,
    handler: async ({
      em,
      principal,
      body,
      deps: {
        authenticator,
        clock,
        signIn: { appUrl },
      },
    }) => {
      const expiresAt = new Date(clock.now().getTime() + body.expires_in_seconds * 1_000);
      const { token } = await createLink(em, principal, { userId: body.user_id, expiresAt, hash: authenticator.hash });
      return { url: linkUrl(appUrl, body.path, token), token, expires_at: expiresAt.toISOString() };
    },
  }),
];

export const signInEndpoints = [...own, ...sessions, ...oidcEndpoints];
