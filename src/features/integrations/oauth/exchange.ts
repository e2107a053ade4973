/** The code that a browser brought back becomes tokens. */
import type { EntityManager } from '../../../db/orm.ts';
import { DependencyDown } from '../../../http/errors.ts';
import type { IntegrationDeps } from '../deps.ts';
import { wrongCode } from '../errors.ts';
import type { Target } from '../connections.ts';
import type { Secrets } from '../vault.ts';
import { authorizationOf } from './authorization.ts';
import { OAuthRefused, OAuthUnavailable, redeem } from './client.ts';
import type { Pending } from './flow.ts';
import { enterRevocation, STORED_WITHIN_MS } from './revocation.ts';

/**
 * Exchanges the code of a consent. The tokens are revoked after a while, unless they have become an integration's:
 * whatever fails next, or is killed, leaves none behind at the vendor.
 * @param em bound to the team
 * @returns the secrets of the integration
 * @throws {InvalidRequest} naming the code
 * @throws {DependencyDown} `vendor_unreachable`
 */
export async function exchange(
  { integrations, clock }: IntegrationDeps,
  em: EntityManager,
  row: Pick<Target, 'id' | 'teamId' | 'family'>,
  { verifier, redirectUri, settings, secrets }: Pending,
  { code, iss }: { code: string; iss?: string | undefined },
): Promise<Secrets> {
  const { settings: house, vault, outboundOf } = integrations;
  const { server, client, parameters } = authorizationOf(house, { ...row, settings, secrets });
  const given = { code, verifier, redirectUri, iss };
  const tokens = await redeem(server, client, given, parameters, outboundOf(row)).catch((error: unknown) => {
    if (error instanceof OAuthRefused) throw wrongCode(error.message);
    if (error instanceof OAuthUnavailable) throw new DependencyDown(error.message, 'vendor_unreachable');
    throw error;
  });
  const all = { ...secrets, ...tokens };
  await enterRevocation({ clock, vault }, em.fork(), { ...row, settings, secrets: all }, STORED_WITHIN_MS);
  return all;
}
