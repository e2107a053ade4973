/** Read-only links to reports: anyone who has one sees the report until it expires or is revoked. */
import { raw } from '@mikro-orm/core';
import type { EntityManager } from '../../../db/orm.ts';
import { forTeam } from '../../../db/team-filter.ts';
import type { Principal } from '../../../http/authenticate.ts';
import { Conflict, NotFound } from '../../../http/errors.ts';
import { generateCredential, pepperFor, type Pepper, type SecretKeys } from '../../../platform/secrets.ts';
import { addCredential, Credential, findCredential, isLive, lockTeamFor, Membership } from '../../identity/index.ts';
import { isOpen } from '../../runs/index.ts';
import { Investigation } from '../entities.ts';
import { getInvestigation } from '../service.ts';
import { InvestigationShare } from './entities.ts';

const DAY_MS = 86_400_000;
const MAX_LIVE = 100;

/** Derives the pepper of token hashes from an installation's secret keys. */
export const sharePepperFrom = (keys: SecretKeys): Pepper => pepperFor(keys, 'casebook report shares');

export interface Share {
  row: InvestigationShare;
  credential: Credential;
  /** The name of the member who created it. */
  createdBy: string | null;
}

/**
 * The links to a report that still work, newest first.
 * @param em bound to the team
 * @throws {NotFound}
 */
export async function listShares(em: EntityManager, investigationId: string, now: Date): Promise<Share[]> {
  await getInvestigation(em, investigationId);
  return findLive(em, investigationId, now);
}

async function findLive(em: EntityManager, investigationId: string, now: Date): Promise<Share[]> {
  const rows = await em.find(InvestigationShare, { investigationId }, { orderBy: { createdAt: 'desc', id: 'asc' } });
  const live = {
    id: { $in: rows.map(({ id }) => id) },
    kind: 'share',
    revokedAt: null,
    expiresAt: { $gt: now },
  } as const;
  const credentials = new Map((await em.find(Credential, live)).map((one) => [one.id, one]));
  return named(
    em,
    rows.flatMap((row) => {
      const credential = credentials.get(row.id);
      return credential ? [{ row, credential }] : [];
    }),
  );
}

async function named(em: EntityManager, shares: Omit<Share, 'createdBy'>[]): Promise<Share[]> {
  const userIds = shares.flatMap(({ credential: { userId } }) => userId ?? []);
  const members = await em.find(Membership, { userId: { $in: userIds } });
  const names = new Map(members.map(({ userId, name }) => [userId, name]));
  return shares.map((share) => ({ ...share, createdBy: names.get(share.credential.userId ?? '') ?? null }));
}

/**
 * Creates a link to a report: `cb_share_` and 32 random bytes, only in the response. It expires and is revoked with the
 * credential that created it, and is revoked when the person who created it leaves the team.
 * @param em bound to the team
 * @throws {NotFound}
 * @throws {Conflict} `no_report`, or `too_many_links`
 * @throws {Unauthorized} if the caller was revoked meanwhile
 */
export function createShare(
  em: EntityManager,
  principal: Principal,
  wanted: { investigationId: string; label: string; days: number },
  { pepper, now }: { pepper: Pepper; now: Date },
): Promise<{ share: Share; token: string }> {
  const { investigationId, label, days } = wanted;
  return em.transactional(async (tx) => {
    await lockTeamFor(tx, principal);
    const { status, report } = await getInvestigation(tx, investigationId);
    if (isOpen(status) || report === null) throw new Conflict('There is no report to share.', 'no_report');
    if ((await findLive(tx, investigationId, now)).length >= MAX_LIVE)
      throw new Conflict(`A report has at most ${MAX_LIVE} active links. Revoke some first.`, 'too_many_links');
    const token = generateCredential('cb_share_');
    const credential = await addCredential(
      tx,
      principal,
      {
        kind: 'share',
        name: label,
        prefix: '',
        hash: pepper.hash(token),
        scopes: [],
        userId: principal.userId ?? null,
        expiresAt: new Date(now.getTime() + days * DAY_MS),
      },
      now,
    );
    await tx.flush();
    const { id, teamId } = credential;
    const row = tx.create(InvestigationShare, { id, teamId, investigationId, opened: 0, lastOpenedAt: null });
    await tx.flush();
    const [share] = await named(tx, [{ row, credential }]);
    if (!share) throw new TypeError('One link was named.');
    return { share, token };
  });
}

/**
 * Revokes a link at once; idempotent.
 * @param em bound to the team
 * @throws {NotFound}
 * @throws {Unauthorized} if the caller was revoked meanwhile
 */
export function revokeShare(
  em: EntityManager,
  principal: Principal,
  { investigationId, id }: { investigationId: string; id: string },
  now: Date,
): Promise<Share> {
  return em.transactional(async (tx) => {
    await lockTeamFor(tx, principal);
    const row = await tx.findOne(InvestigationShare, { id, investigationId });
    const credential = await tx.findOne(Credential, { id, kind: 'share' });
    const [share] = row && credential ? await named(tx, [{ row, credential }]) : [];
    if (!share) throw new NotFound('Link not found.');
    share.credential.revokedAt ??= now;
    return share;
  });
}

export interface OpenedShare {
  row: InvestigationShare;
  credential: Credential;
  investigation: Investigation;
}

/**
 * Opens a link and counts it.
 * @param em of no team
 * @returns undefined if the link is unknown; `ended` if it has expired or was revoked, or its report is gone
 */
export async function openShare(
  em: EntityManager,
  token: string,
  { pepper, now }: { pepper: Pepper; now: Date },
): Promise<OpenedShare | 'ended' | undefined> {
  const credential = await findCredential(em, token, { kind: 'share', pepper });
  if (!credential) return undefined;
  if (!(await isLive(em, credential, now))) return 'ended';
  const own = forTeam(em, credential.teamId);
  const row = await own.findOne(InvestigationShare, { id: credential.id });
  const investigation = row && (await own.findOne(Investigation, { id: row.investigationId }));
  if (!row || !investigation?.report) return 'ended';
  await own.nativeUpdate(InvestigationShare, { id: row.id }, { opened: raw('opened + 1'), lastOpenedAt: now });
  return { row, credential, investigation };
}
