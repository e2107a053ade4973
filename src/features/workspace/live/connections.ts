/** How many sockets a team has open, over all API nodes: each node keeps a row for each team, and renews it. */
import { randomUUID } from 'node:crypto';
import type { EntityManager, Orm } from '../../../db/orm.ts';
import { uuidOf } from '../../../platform/uuid.ts';

/** How often a node renews its rows, in ms. */
export const RENEW_MS = 10_000;
/** A row that was not renewed for this long is a dead node's, in seconds. */
const LEASE_SECONDS = 30;

/** The team's open sockets. By the database's clock: those of the nodes may differ. */
export async function countConnections(em: EntityManager, teamId: string): Promise<number> {
  const [row] = await em.execute<{ sockets: string }[]>(
    `select coalesce(sum(sockets), 0) as sockets from workspace_connections
     where team_id = ? and seen_at > now() - make_interval(secs => ?)`,
    [teamId, LEASE_SECONDS],
  );
  return Number(row?.sockets);
}

/** The rows of this node. */
export class ConnectionRows {
  readonly #orm: Orm;
  readonly #node = randomUUID();
  #writing: Promise<void> | undefined;

  constructor(orm: Orm) {
    this.#orm = orm;
  }

  /**
   * Stores how many sockets each team has on this node. Calls at the same time share one statement.
   * @param counts called when it is written; teams that are not among them have none
   */
  async store(counts: () => Map<string, number>): Promise<void> {
    // One that is being written has older counts.
    await this.#writing?.catch(() => undefined);
    this.#writing ??= this.#store(counts).finally(() => (this.#writing = undefined));
    await this.#writing;
  }

  async #store(counts: () => Map<string, number>): Promise<void> {
    const rows = [...counts()].map(([team_id, sockets]) => ({
      id: uuidOf(`casebook workspace connections\n${this.#node}\n${team_id}`),
      team_id,
      sockets,
    }));
    await this.#orm.em.fork().execute(
      `with given as (
         select * from jsonb_to_recordset(?::jsonb) as given (id uuid, team_id uuid, sockets int)
       ), gone as (
         delete from workspace_connections
         where (node = ? or seen_at < now() - interval '1 hour') and id not in (select id from given)
       )
       insert into workspace_connections (id, team_id, node, sockets, seen_at, created_at, updated_at)
       select id, team_id, ?::uuid, sockets, now(), now(), now() from given
       on conflict (id) do update set sockets = excluded.sockets, seen_at = now(), updated_at = now()`,
      [JSON.stringify(rows), this.#node, this.#node],
    );
  }
}
