/** Which credential came from which: each names the one that created it. */
import type { EntityManager } from '../../db/orm.ts';
import { anyTeam } from '../../db/team-filter.ts';
import type { Scopes } from '../../room.ts';
import { Membership, type Credential, type CredentialKind, type Role } from './entities.ts';

/** The scopes of a person who signs in as themselves. */
export const scopesOfRole = (role: Role, scopes: Scopes): string[] =>
  role === 'admin' ? ['team:admin'] : Object.keys(scopes).filter((name) => scopes[name]?.forMembers);

/** One link of a chain of credentials. */
export interface Ancestor {
  id: string;
  kind: CredentialKind;
  revokedAt: Date | null;
  expiresAt: Date | null;
  createdByCredentialId: string | null;
}

interface AncestorRow {
  id: string;
  kind: CredentialKind;
  revoked_at: string | Date | null;
  expires_at: string | Date | null;
  created_by_credential_id: string | null;
}

const dateOf = (value: string | Date | null): Date | null => (value === null ? null : new Date(value));

/**
 * A credential and those it came from, in that order. The chain ends at the team's boundary: a team's first key is its
 * own, whoever created the team.
 */
export async function ancestorsOf(em: EntityManager, id: string): Promise<Ancestor[]> {
  const rows: AncestorRow[] = await em.execute(
    `with recursive chain as (
       select id, kind, team_id, revoked_at, expires_at, created_by_credential_id, 0 as depth from credentials where id = ?
       union all
       select c.id, c.kind, c.team_id, c.revoked_at, c.expires_at, c.created_by_credential_id, chain.depth + 1
       from chain join credentials c on c.id = chain.created_by_credential_id and c.team_id = chain.team_id)
     select id, kind, revoked_at, expires_at, created_by_credential_id from chain order by depth`,
    [id],
  );
  return rows.map((row) => ({
    id: row.id,
    kind: row.kind,
    revokedAt: dateOf(row.revoked_at),
    expiresAt: dateOf(row.expires_at),
    createdByCredentialId: row.created_by_credential_id,
  }));
}

/** The ids of credentials of one team and everything that came from them. */
export async function descendantsOf(tx: EntityManager, roots: readonly Credential[]): Promise<string[]> {
  if (roots.length === 0) return [];
  await tx.flush();
  const rows: { id: string }[] = await tx.execute(
    `with recursive tree as (
       select id, team_id from credentials where id in (${roots.map(() => '?').join(', ')})
       union
       select c.id, c.team_id from tree join credentials c on c.created_by_credential_id = tree.id and c.team_id = tree.team_id)
     select id from tree`,
    roots.map(({ id }) => id),
  );
  return rows.map(({ id }) => id);
}

/** The latest expiry of anything that comes from a chain: no later than any key in it. */
export function endOf(chain: readonly Ancestor[], wanted?: Date): Date | undefined {
  const ends = chain.flatMap(({ kind, expiresAt }) => (kind === 'key' && expiresAt ? [expiresAt] : []));
  const all = wanted ? [...ends, wanted] : ends;
  return all.length === 0 ? undefined : new Date(Math.min(...all.map((end) => end.getTime())));
}

/**
 * Whether nothing in a credential's chain was revoked. Revoking cascades, but somebody may have revoked or deleted a
 * row directly in the database.
 */
export async function isRooted(em: EntityManager, { id }: Credential): Promise<boolean> {
  const chain = await ancestorsOf(em, id);
  const root = chain.at(-1);
  const isWhole = root !== undefined && (root.kind === 'key' || root.createdByCredentialId === null);
  return isWhole && chain.every(({ revokedAt }) => revokedAt === null);
}

/**
 * The current scopes of a credential: its own or, without any, those of its user's role.
 * @param known every scope there is
 * @returns undefined if its user is not in the team
 */
export async function scopesNow(
  em: EntityManager,
  { teamId, userId, scopes }: Credential,
  known: Scopes,
): Promise<readonly string[] | undefined> {
  if (userId == null) return scopes ?? undefined;
  const membership = await em.findOne(Membership, { teamId, userId }, anyTeam);
  return membership ? (scopes ?? scopesOfRole(membership.role, known)) : undefined;
}

/** Whether a credential still works: neither it nor its origin was revoked, it has not expired, and its user is in the team. */
export async function isLive(em: EntityManager, credential: Credential, now: Date): Promise<boolean> {
  const { teamId, userId, expiresAt } = credential;
  if (credential.revokedAt != null || (expiresAt != null && expiresAt <= now)) return false;
  const isMember = userId == null || (await em.findOne(Membership, { teamId, userId }, anyTeam)) !== null;
  return isMember && isRooted(em, credential);
}
