/** Connects GitLab with the consent of a person. */
import { GITLAB_URL } from '@casebook/connectors';
import type { EntityManager } from '../../db/orm.ts';
import type { Principal } from '../../http/authenticate.ts';
import { InvalidRequest } from '../../http/errors.ts';
import type { IntegrationDeps } from './deps.ts';
import type { Integration } from './entities.ts';
import { connect, draftOf } from './service.ts';
import { askConsent, type Consent } from './oauth/client.ts';
import { exchange } from './oauth/exchange.ts';
import { assertBelow, keep, take } from './oauth/flow.ts';
import { GITLAB_SCOPE, gitlabServer } from './oauth/gitlab.ts';

const family = 'codehost-b';
const name = 'gitlab';

/** @throws {InvalidRequest} */
export async function askGitLab(
  { integrations, clock }: IntegrationDeps,
  em: EntityManager,
  principal: Principal,
  wanted: { client_id?: string | undefined; client_secret?: string | undefined; redirect_uri?: string | undefined },
): Promise<Pick<Consent, 'url' | 'state'>> {
  const { settings: house, vendorOutbound, vault, appUrl } = integrations;
  const own = house.gitlabClient && { client_id: house.gitlabClient.id, client_secret: house.gitlabClient.secret };
  const client =
    wanted.client_id === undefined ? own : { client_id: wanted.client_id, client_secret: wanted.client_secret };
  if (!client)
    throw InvalidRequest.at(
      ['body', 'client_id'],
      'Value error, this installation has no application of its own at GitLab (GITLAB_CLIENT_ID); give yours',
    );
  const redirectUri = wanted.redirect_uri ?? `${appUrl}/integrations/callback`;
  assertBelow(appUrl, redirectUri);
  const url = house.vendors.gitlabUrl ?? GITLAB_URL;
  const consent = await askConsent(
    gitlabServer(url),
    client,
    { scope: GITLAB_SCOPE, redirect_uri: redirectUri },
    vendorOutbound,
  );
  const secrets = {
    client_id: client.client_id,
    ...(client.client_secret !== undefined && { client_secret: client.client_secret }),
  };
  // GitLab wants to see the redirect again whenever a token is renewed.
  const settings = { url, redirect_uri: redirectUri };
  const draft = draftOf(principal.teamId, { family, name, settings, secrets });
  await keep({ clock, vault }, em, principal, draft, { name, redirectUri, consent });
  return consent;
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
