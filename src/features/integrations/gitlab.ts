/** Connects GitLab with the consent of a person. */
import { GITLAB_URL } from '@casebook/connectors';
import type { EntityManager } from '../../db/orm.ts';
import type { Principal } from '../../http/authenticate.ts';
import { InvalidRequest } from '../../http/errors.ts';
import type { IntegrationDeps } from './deps.ts';
import type { Integration } from './entities.ts';
import { connect } from './service.ts';
import { beginConsent } from './oauth/begin.ts';
import type { Consent } from './oauth/client.ts';
import { exchange } from './oauth/exchange.ts';
import { assertBelow, take } from './oauth/flow.ts';
import { GITLAB_SCOPE, gitlabServer } from './oauth/gitlab.ts';

const family = 'codehost-b';
const name = 'gitlab';

/** @throws {InvalidRequest} */
export async function askGitLab(
  deps: IntegrationDeps,
  em: EntityManager,
  principal: Principal,
  given: { client_id?: string | undefined; client_secret?: string | undefined; redirect_uri?: string | undefined },
): Promise<Pick<Consent, 'url' | 'state'>> {
  const { settings: house, appUrl } = deps.integrations;
  const own = house.gitlabClient && { client_id: house.gitlabClient.id, client_secret: house.gitlabClient.secret };
  const client =
    given.client_id === undefined ? own : { client_id: given.client_id, client_secret: given.client_secret };
  if (!client)
    throw InvalidRequest.at(
      ['body', 'client_id'],
      'Value error, this installation has no application of its own at GitLab (GITLAB_CLIENT_ID); give yours',
    );
  const redirectUri = given.redirect_uri ?? `${appUrl}/integrations/callback`;
  assertBelow(appUrl, redirectUri);
  const url = house.vendors.gitlabUrl ?? GITLAB_URL;
  // GitLab wants to see the redirect again whenever a token is renewed.
  const wanted = { family, name, settings: { url, redirect_uri: redirectUri }, secrets: {} } as const;
  const asked = { server: gitlabServer(url), client, redirectUri, parameters: { scope: GITLAB_SCOPE } };
  return beginConsent(deps, em, principal, wanted, asked);
}

/**
 * Connects GitLab with what the browser brought back.
 * @throws {InvalidRequest} naming the state or the code
 * @throws {DependencyDown} `vendor_unreachable`
 */
export async function connectGitLab(
  deps: IntegrationDeps,
  em: EntityManager,
  principal: Principal,
  { code, state, iss }: { code: string; state: string; iss?: string | undefined },
  signal: AbortSignal,
): Promise<Integration> {
  const { vault, service } = deps.integrations;
  const { row, pending } = await take({ clock: deps.clock, vault }, em.fork(), principal, { family, state });
  const secrets = await exchange(deps, em, row, pending, { code, iss });
  return connect(service, em, principal, { family, name, settings: pending.settings, secrets }, signal);
}
