/**
 * Tokens that nobody needs any more are revoked at their vendor. Each is a row of the ledger in the transaction that
 * forgets it, so that no crash forgets it twice over; a sweep delivers it.
 */
import { createHash, randomUUID } from 'node:crypto';
import type { EntityManager } from '../../../db/orm.ts';
import { anyTeam, forTeam } from '../../../db/team-filter.ts';
import type { Clock } from '../../../platform/clock.ts';
import { messageOf } from '../../../platform/message-of.ts';
import type { Outbound } from '../../../platform/outbound/index.ts';
import { SecretError } from '../../../platform/secrets.ts';
import { claimEffect, dueEffects, Effect, endEffect, makeOnce, stored } from '../../effects/index.ts';
import type { IntegrationSettings } from '../configuration.ts';
import type { Target } from '../connections.ts';
import { Integration, type FamilyName } from '../entities.ts';
import type { Settings } from '../families.ts';
import type { StatusDeps } from '../status.ts';
import type { Secrets, Vault } from '../vault.ts';
import { authorizationOf } from './authorization.ts';
import { OAuthRefused, revoke } from './client.ts';

const REVOCATION = 'token_revocation';

/** Redeemed tokens that are no integration's by then never will be: their request has ended. */
export const STORED_WITHIN_MS = 5 * 60_000;
/** Over about eight hours. */
const MAX_ATTEMPTS = 16;
const TIMEOUT_MS = 15_000;
/** Longer than all attempts take. */
const KEPT_MS = 7 * 24 * 3_600_000;

/** The settings that name an authorization server. */
const OF_SERVER = ['authorization', 'url', 'redirect_uri'];

/** What an attempt needs. */
interface Forgotten {
  family: FamilyName;
  /** Of the authorization server. */
  settings: Settings;
  /** Tokens and client, sealed for the effect's own row; gone if the key is. */
  sealed?: string;
  /** Unix ms. */
  notBefore: number;
}

export interface RevocationDeps extends StatusDeps {
  house: IntegrationSettings['integrations'];
  vault: Vault;
  /** Opens a row. @throws {SecretError} */
  opened(row: Integration): Target;
  outboundOf(row: Pick<Integration, 'family'>): Outbound;
}

const tokenOf = ({ refresh_token, access_token }: Secrets): string | number | undefined =>
  refresh_token ?? access_token;

/** What revoking takes; nothing else of a removed integration is kept. */
const neededOf = ({ access_token, refresh_token, client_id, client_secret }: Secrets): Secrets =>
  Object.fromEntries(
    Object.entries({ access_token, refresh_token, client_id, client_secret }).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  );

const keyOf = (token: string | number): string =>
  `${REVOCATION}:${createHash('sha256').update(String(token)).digest('hex')}`;

/**
 * Enters tokens to be revoked, if there are any.
 * @param em bound to the team; the transaction that forgets them, if there is one
 * @param afterMs not before
 */
export async function enterRevocation(
  { clock, vault }: { clock: Clock; vault: Vault },
  em: EntityManager,
  {
    id: subjectId,
    teamId,
    family,
    settings,
    secrets,
  }: Pick<Target, 'id' | 'teamId' | 'family' | 'settings' | 'secrets'>,
  afterMs = 0,
): Promise<void> {
  const token = tokenOf(secrets);
  if (token === undefined) return;
  const now = clock.now();
  const id = randomUUID();
  const payload: Forgotten = {
    family,
    settings: Object.fromEntries(OF_SERVER.flatMap((name) => (name in settings ? [[name, settings[name]]] : []))),
    sealed: vault.seal({ id, teamId }, neededOf(secrets)),
    notBefore: now.getTime() + afterMs,
  };
  await claimEffect(em, {
    id,
    teamId,
    kind: REVOCATION,
    key: keyOf(token),
    subjectId,
    payload,
    keptForMs: KEPT_MS,
    now,
  });
}

/** Tokens that have become an integration's are not revoked. @param tx the transaction that stores them */
export async function keepTokens(tx: EntityManager, secrets: Secrets): Promise<void> {
  const token = tokenOf(secrets);
  if (token !== undefined) await tx.nativeDelete(Effect, { key: keyOf(token) });
}

/** Revokes what is due. A sweep: each attempt has its lease in the ledger, and the next one waits longer. */
export async function deliverRevocations(deps: RevocationDeps): Promise<void> {
  const due = await dueEffects(deps.orm, { kind: REVOCATION, keyPrefix: REVOCATION }, deps.clock.now());
  await Promise.all(due.map(async (effect) => deliver(deps, forTeam(deps.orm.em, effect.teamId), effect)));
}

async function deliver(deps: RevocationDeps, em: EntityManager, effect: Effect): Promise<void> {
  const { id, teamId } = effect;
  try {
    const { family, settings, sealed } = stored<Forgotten>(effect.payload);
    if (sealed === undefined) throw new SecretError('The key that the token was sealed with is lost.');
    const secrets = deps.vault.open({ id, teamId, sealed });
    const { server, client } = authorizationOf(deps.house, { family, settings, secrets });
    const grant = JSON.stringify([server.issuer, client.client_id]);
    const isShared = WHOLE_GRANT.has(family) && (await grantsInUse(deps, em)).has(grant);
    if (server.revocation_endpoint === undefined || isShared) {
      await endEffect(em, id, { status: 'skipped' });
      return;
    }
    const work = {
      create: () => revoke(server, client, secrets, deps.outboundOf({ family })).then(() => ({})),
      isFinal: (error: unknown, { attempts }: Effect) => error instanceof OAuthRefused || attempts >= MAX_ATTEMPTS,
      timeoutMs: TIMEOUT_MS,
    };
    await makeOnce(deps, effect, work, AbortSignal.timeout(2 * TIMEOUT_MS));
  } catch (error) {
    if (error instanceof SecretError) await endEffect(em, id, { status: 'failed', error: error.message });
    deps.log.warn({ reason: messageOf(error), effectId: id }, 'a token was not revoked at the vendor');
  }
  await em.execute(`update effects set payload = payload - 'sealed' where id = ? and status <> 'pending'`, [id]);
}

/** Google revokes with one token all that the person has consented to for the client. */
const WHOLE_GRANT: ReadonlySet<FamilyName> = new Set(['cloud-b', 'cloud-b-official']);

/** The grants that integrations work with, of whichever team: the same person may have connected several. */
async function grantsInUse({ opened, house }: RevocationDeps, em: EntityManager): Promise<Set<string>> {
  const rows = await em.fork().find(Integration, { family: { $in: [...WHOLE_GRANT] } }, anyTeam);
  return new Set(
    rows.flatMap((row) => {
      try {
        const target = opened(row);
        if (tokenOf(target.secrets) === undefined) return [];
        const { server, client } = authorizationOf(house, target);
        return [JSON.stringify([server.issuer, client.client_id])];
      } catch (error) {
        // Its tokens are lost already.
        if (error instanceof SecretError) return [];
        throw error;
      }
    }),
  );
}
