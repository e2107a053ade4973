import type { Context } from 'koa';
import type { z } from 'zod';
import { forTeam } from '../../../db/team-filter.ts';
import { keyNotValid, unlessGuessing } from '../../../http/authenticate.ts';
import { Unauthorized } from '../../../http/errors.ts';
import { requestLog } from '../../../http/request-scope.ts';
import { csrfTokenOf, sessionCookie, sessionSecrets } from '../../../http/session-cookie.ts';
import { endSessions } from '../credentials.ts';
import type { Credential } from '../entities.ts';
import { signInWithLink } from '../links.ts';
import { otherTeams } from '../oidc/teams.ts';
import { endOf, keyOf, presentTeam, presentUser } from '../presenter.ts';
import { scopesNow } from '../provenance.ts';
import type { SessionRequest, SessionResponse } from '../schemas.ts';
import { signInWithKey, type OpenedSession, type SessionTerms } from '../sessions.ts';
import { currentMember, ownTeam } from '../teams.ts';
import type { IdentityDeps } from './deps.ts';

export const termsFor = (ctx: Context, { authenticator, clock, config }: IdentityDeps): SessionTerms => ({
  hash: authenticator.hash,
  now: clock.now(),
  hours: config.sessionHours,
  userAgent: ctx.req.headers['user-agent'],
});

/**
 * Signs in with a key or link. Both count as authentication attempts, so that neither can be guessed.
 * @throws {Unauthorized} for an invalid key or link
 */
export async function signIn(
  ctx: Context,
  deps: IdentityDeps,
  request: z.output<typeof SessionRequest>,
): Promise<OpenedSession> {
  const { authenticator, orm } = deps;
  const terms = termsFor(ctx, deps);
  if ('link' in request) {
    const opened = await unlessGuessing(ctx, deps, () => signInWithLink(orm.em, request, terms));
    if (!opened) throw new Unauthorized('The link was already used, or has expired. Ask for a new one.');
    return opened;
  }
  const apiKey = request.api_key;
  const opened = await unlessGuessing(
    ctx,
    deps,
    async () => {
      const key = await authenticator.verify(apiKey, 'key');
      return key && signInWithKey(orm.em, key, terms);
    },
    authenticator.recognises(apiKey, 'key'),
  );
  if (!opened) throw keyNotValid(authenticator.expiredAt(apiKey, 'key'));
  return opened;
}

/** Gives the browser the session in place of its previous one, which ends. */
export async function handOver(ctx: Context, deps: IdentityDeps, { session, secret }: OpenedSession): Promise<void> {
  const { config, log } = deps;
  await endSessionOf(ctx, deps);
  ctx.append('Set-Cookie', sessionCookie(secret, Math.floor(config.sessionHours * 3_600), config.appUrl));
  const { id, teamId, userId, signedInWith } = session;
  requestLog(ctx, log).info({ sessionId: id, teamId, userId, signedInWith }, 'signed in');
}

/** Ends the session in the cookie, if there is one. */
async function endSessionOf(ctx: Context, { authenticator, orm, clock, config }: IdentityDeps): Promise<void> {
  const [secret, another] = sessionSecrets(ctx.req.headers, config.appUrl);
  if (secret === undefined || another !== undefined) return;
  const before = await authenticator.verify(secret, 'session');
  if (before?.sessionId === undefined) return;
  await endSessions(orm.em.fork(), { id: before.sessionId }, clock.now());
  authenticator.forget([before.sessionId]);
}

/** What a page needs to know about its session. */
export async function describeSession(
  session: Credential,
  secret: string,
  { orm, scopes: known }: IdentityDeps,
): Promise<z.input<typeof SessionResponse>> {
  const em = forTeam(orm.em, session.teamId);
  const member = await currentMember(em, { userId: session.userId ?? undefined });
  const scopes = await scopesNow(em, session, known);
  if (!scopes) throw new Unauthorized('The session has ended. Sign in again.');
  return {
    id: session.id,
    csrf_token: csrfTokenOf(secret),
    user: member ? presentUser(member) : null,
    role: member?.membership.role ?? null,
    team: presentTeam(await ownTeam(em, session)),
    other_teams: (await otherTeams(em, session)).map(presentTeam),
    scopes: [...scopes],
    api_key_id: keyOf(session),
    ...endOf(session),
  };
}
