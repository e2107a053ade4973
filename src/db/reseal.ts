/** Moves sealed secrets to the current key, row by row, while the service runs. */
import { SecretError, type SecretBox } from '../platform/secrets.ts';
import type { SealedColumn } from '../room.ts';
import type { EntityManager, Orm } from './orm.ts';

/**
 * Seals every secret that an earlier key has sealed with the current one. A row is locked while its secret moves, so a
 * change made meanwhile is not lost; started again, it goes on where it was.
 * @returns how many were moved, and how many have a key that is not configured; those of use for a while only are dropped
 */
export async function reseal(
  orm: Orm,
  box: SecretBox,
  columns: readonly SealedColumn[],
): Promise<{ resealed: number; unreadable: number }> {
  const outcome = { resealed: 0, unreadable: 0 };
  for (const column of columns) {
    const em = orm.em.fork();
    const rows: { id: string; sealed: string }[] = await em.execute(
      `select id, ${valueOf(column)} as sealed from "${column.table}" where ${valueOf(column)} is not null`,
    );
    for (const { id } of rows.filter(({ sealed }) => box.isOld(sealed))) {
      try {
        await em.transactional((tx) => move(tx, box, column, id));
        outcome.resealed++;
      } catch (error) {
        if (!(error instanceof SecretError)) throw error;
        if (column.isTransient) await drop(em, column, id);
        else outcome.unreadable++;
      }
    }
  }
  return outcome;
}

async function drop(em: EntityManager, { table, column, member }: SealedColumn, id: string): Promise<void> {
  const value = member === undefined ? 'null' : `"${column}" - '${member}'`;
  await em.execute(`update "${table}" set "${column}" = ${value} where id = ?`, [id]);
}

const valueOf = ({ column, member }: SealedColumn): string =>
  member === undefined ? `"${column}"` : `"${column}"->>'${member}'`;

async function move(tx: EntityManager, box: SecretBox, at: SealedColumn, id: string): Promise<void> {
  const { table, column, member, context } = at;
  const [row]: { team_id: string; sealed: string | null }[] = await tx.execute(
    `select team_id, ${valueOf(at)} as sealed from "${table}" where id = ? for update`,
    [id],
  );
  if (!row?.sealed || !box.isOld(row.sealed)) return;
  const of = context({ id, teamId: row.team_id });
  const sealed = box.seal(box.open(row.sealed, of), of);
  const value = member === undefined ? '?' : `jsonb_set("${column}", '{${member}}', to_jsonb(?::text))`;
  await tx.execute(`update "${table}" set "${column}" = ${value} where id = ?`, [sealed, id]);
}
