/** The beginning of a person's consent, at whichever vendor. */
import type { EntityManager } from '../../../db/orm.ts';
import type { Principal } from '../../../http/authenticate.ts';
import type { IntegrationDeps } from '../deps.ts';
import type { Integration } from '../entities.ts';
import { draftOf } from '../service.ts';
import type { Target } from '../connections.ts';
import { askConsent, type AuthorizationServer, type Consent, type OAuthClient } from './client.ts';
import { keep } from './flow.ts';

/**
 * Asks for consent, and keeps what is needed when its code comes back.
 * @param wanted the integration that it becomes; the client joins its secrets
 * @throws {Conflict} `name_taken`
 */
export async function beginConsent(
  { integrations: { vault, outboundOf }, clock }: IntegrationDeps,
  em: EntityManager,
  principal: Principal,
  wanted: Pick<Integration, 'family' | 'name'> & Pick<Target, 'settings' | 'secrets'>,
  {
    server,
    client,
    redirectUri,
    parameters,
  }: { server: AuthorizationServer; client: OAuthClient; redirectUri: string; parameters: Record<string, string> },
): Promise<Consent> {
  const asked = { ...parameters, redirect_uri: redirectUri };
  const consent = await askConsent(server, client, asked, outboundOf(wanted));
  const { client_id, client_secret } = client;
  const secrets = { ...wanted.secrets, client_id, ...(client_secret !== undefined && { client_secret }) };
  const draft = draftOf(principal.teamId, { ...wanted, secrets });
  await keep({ clock, vault }, em, principal, draft, { name: wanted.name, redirectUri, consent });
  return consent;
}
