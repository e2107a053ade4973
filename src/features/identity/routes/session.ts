import { apiKey } from '../../../http/authenticate.ts';
import { NotFound } from '../../../http/errors.ts';
import { clearedSessionCookie, refuseForeignPages, sessionSecrets } from '../../../http/session-cookie.ts';
import { endSessions } from '../credentials.ts';
import { Credential } from '../entities.ts';
import { goOnInTeam } from '../oidc/teams.ts';
import * as schemas from '../schemas.ts';
import { endpoint } from './deps.ts';
import { describeSession, handOver, signIn, termsFor } from './sign-in.ts';

const noSession = (): NotFound => new NotFound('The caller is an API key and has no session.', 'no_session');

/** The requesting browser's session. */
export const sessionEndpoints = [
  endpoint({
    method: 'get',
    path: '/api/sign-in',
    operationId: 'getSignInMethods',
    summary: 'Get the sign-in methods',
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
      'Sets the session cookie. A session has the permissions of its key or link, ends with that key, and expires after ' +
      '`CASEBOOK_SESSION_HOURS`. Any previous session of this browser ends, and so does the oldest of a key that has ' +
      '500.',
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
    summary: 'Get the session and its CSRF token',
    tags: ['Sign-in'],
    auth: apiKey(),
    response: schemas.SessionResponse,
    errors: [404],
    handler: async ({ ctx, deps, em, principal }) => {
      const [secret] = sessionSecrets(ctx.req.headers, deps.config.appUrl);
      if (principal.sessionId === undefined || secret === undefined) throw noSession();
      return describeSession(await em.findOneOrFail(Credential, { id: principal.sessionId }), secret, deps);
    },
  }),
  endpoint({
    method: 'post',
    path: '/api/session/team',
    operationId: 'changeSessionTeam',
    summary: 'Switch to another team',
    description:
      'For members of several teams who signed in through the identity provider. A new session replaces the current one, and expires when that would have.',
    tags: ['Sign-in'],
    auth: apiKey(),
    body: schemas.SessionTeamRequest,
    response: schemas.SessionResponse,
    errors: [401, 404],
    handler: async ({ ctx, deps, em, principal, body }) => {
      if (principal.sessionId === undefined) throw noSession();
      const session = await em.findOneOrFail(Credential, { id: principal.sessionId });
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
      await endSessions(em, { id: principal.sessionId }, deps.clock.now());
      deps.authenticator.forget([principal.sessionId]);
      ctx.append('Set-Cookie', clearedSessionCookie(deps.config.appUrl));
      return { signed_out: true as const };
    },
  }),
];
