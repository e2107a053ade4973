import { z } from 'zod';
import { apiKey } from '../../../http/authenticate.ts';
import { createLink, linkUrl } from '../links.ts';
import { presentSession } from '../presenter.ts';
import * as schemas from '../schemas.ts';
import { listSessions, revokeSession } from '../sessions.ts';
import { endpoint } from './deps.ts';

/** The sessions of a team, and links that start one. */
export const sessionsEndpoints = [
  endpoint({
    method: 'get',
    path: '/api/sessions',
    operationId: 'listSessions',
    summary: 'List sessions',
    description:
      "Those of the whole team with the scope `team:admin`, otherwise the caller's own; at most the newest 1,000.",
    tags: ['Sign-in'],
    auth: apiKey(),
    response: schemas.SessionListResponse,
    handler: async ({ em, principal, deps }) => {
      const listed = await listSessions(em, principal, { now: deps.clock.now(), scopes: deps.scopes });
      return { sessions: listed.map((one) => presentSession(one, principal)) };
    },
  }),
  endpoint({
    method: 'delete',
    path: '/api/sessions/{session_id}',
    operationId: 'revokeSession',
    summary: 'End a session',
    description:
      'It stops working at once in this process and within two seconds in every other. Links and keys created in it are revoked too.',
    tags: ['Sign-in'],
    auth: apiKey(),
    params: z.object({ session_id: z.guid().meta({ format: 'uuid' }) }),
    response: schemas.SessionRevokedResponse,
    errors: [403, 404, 409],
    handler: async ({ em, principal, params, deps }) => {
      deps.authenticator.forget(await revokeSession(em, principal, params.session_id, deps.clock.now()));
      return { id: params.session_id, revoked: true as const };
    },
  }),
  endpoint({
    method: 'post',
    path: '/api/sign-in-links',
    operationId: 'createSignInLink',
    summary: 'Create a one-time sign-in link',
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
      const request = { userId: body.user_id, expiresAt, hash: authenticator.hash };
      const { token, expiresAt: end } = await createLink(em, principal, request);
      return { url: linkUrl(appUrl, body.path, token), token, expires_at: end.toISOString() };
    },
  }),
];
