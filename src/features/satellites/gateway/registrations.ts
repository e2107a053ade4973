/** The rows of connected satellites, maintained by the node that holds their connections. */
import { createHash } from 'node:crypto';
import type { EntityManager, Orm } from '../../../db/orm.ts';
import { anyTeam, forTeam } from '../../../db/team-filter.ts';
import { Satellite, type InventorySummary, type StoredCluster, type StoredHealth } from '../entities.ts';
import { uuidOf } from '../../../platform/uuid.ts';
import type { Inventory } from '@casebook/wire';

/** What is known about a connected satellite: enough to register it again if its row was deleted. */
export interface Registration {
  id: string;
  teamId: string;
  tokenId: string;
  name: string;
  instance: string;
  connectionId: string;
  connectedAt: Date;
  lastHeartbeatAt: Date;
  clockOffsetMs: number;
  health: StoredHealth[];
  inventory: Inventory;
  clusters: StoredCluster[];
  /** What it has announced since it connected; anything else is unknown. */
  announced: Set<'inventory' | 'clusters'>;
}

/** Derived from team and name: a satellite whose registration was deleted comes back as the same. */
export const satelliteIdOf = (teamId: string, name: string): string => uuidOf(`casebook satellite\n${teamId}\n${name}`);

/** Maximum number of satellites of one team. */
export const MAX_SATELLITES = 2_000;
/** Maximum size in bytes of all announcements of a team's satellites together: every run of the team reads them. */
const MAX_INVENTORY_BYTES = 64 * 1_048_576;

/** The outcome of a heartbeat: its row exists, was deleted, or belongs to a newer connection by now. */
export type Beat = 'kept' | 'deleted' | 'replaced';

export class Registrations {
  readonly #orm: Orm;
  /** What the rows already contain: each heartbeat is written once, however often it is checked. */
  readonly #written = new WeakMap<Registration, { at: Date; inbox: string }>();

  constructor(orm: Orm) {
    this.#orm = orm;
  }

  /**
   * Creates or takes over the row: from now on requests go through this connection.
   * @returns false when the team has the maximum number of satellites
   */
  async register(of: Registration, inbox: string): Promise<boolean> {
    const em = forTeam(this.#orm.em, of.teamId);
    if ((await em.count(Satellite, { id: { $ne: of.id } })) >= MAX_SATELLITES) return false;
    const now = of.lastHeartbeatAt;
    const { announced, ...known } = of;
    const row = {
      ...known,
      ...inventoryColumns(of.inventory),
      inbox,
      disconnectedAt: null,
      createdAt: now,
      updatedAt: now,
    };
    await em.upsert(Satellite, row, {
      onConflictFields: ['id'],
      // A reconnected satellite has not announced itself yet: until then its previous announcements remain.
      onConflictExcludeFields: [
        'id',
        'teamId',
        'name',
        'createdAt',
        ...(announced.has('inventory') ? [] : INVENTORY_COLUMNS),
        ...(announced.has('clusters') ? [] : (['clusters'] as const)),
      ],
    });
    return true;
  }

  /** @returns the outcome of each, in order */
  async heartbeats(of: readonly Registration[], inbox: string): Promise<Beat[]> {
    if (of.length === 0) return [];
    const em = this.#em();
    const fresh = of.filter((each) => {
      const written = this.#written.get(each);
      return written?.at !== each.lastHeartbeatAt || written.inbox !== inbox;
    });
    const kept = new Set(await this.#write(em, fresh, inbox));
    for (const each of fresh) if (kept.has(each.id)) this.#written.set(each, { at: each.lastHeartbeatAt, inbox });
    const others = of.filter(({ id }) => !kept.has(id)).map(({ id }) => id);
    const rows =
      others.length === 0
        ? []
        : await em.execute<{ id: string; connection_id: string | null }[]>(
            `select id, connection_id from satellites
             where id in (select value::uuid from jsonb_array_elements_text(?::jsonb))`,
            [JSON.stringify(others)],
          );
    const connectionOf = new Map(rows.map((row) => [row.id, row.connection_id]));
    return of.map(({ id, connectionId }) => {
      const now = kept.has(id) ? connectionId : connectionOf.get(id);
      return now === connectionId ? 'kept' : now == null ? 'deleted' : 'replaced';
    });
  }

  /** @returns the ids of those whose rows exist and are still theirs */
  async #write(em: EntityManager, of: readonly Registration[], inbox: string): Promise<string[]> {
    if (of.length === 0) return [];
    const beats = of.map((each) => ({
      id: each.id,
      connection_id: each.connectionId,
      at: each.lastHeartbeatAt,
      clock_offset_ms: each.clockOffsetMs,
      health: each.health,
    }));
    const rows = await em.execute<{ id: string }[]>(
      `update satellites set last_heartbeat_at = beat.at, updated_at = beat.at, inbox = ?,
         clock_offset_ms = beat.clock_offset_ms,
         health = case when satellites.health = beat.health then satellites.health else beat.health end
       from jsonb_to_recordset(?::jsonb)
         as beat (id uuid, connection_id uuid, at timestamptz, clock_offset_ms int, health jsonb)
       where satellites.id = beat.id and satellites.connection_id = beat.connection_id
       returning satellites.id`,
      [inbox, JSON.stringify(beats)],
    );
    return rows.map(({ id }) => id);
  }

  /** @returns false when the team's inventories would be too large in total */
  async describe(of: Registration, what: 'inventory' | 'clusters'): Promise<boolean> {
    const { clusters, id, teamId, connectionId } = of;
    const changed = what === 'clusters' ? { clusters } : inventoryColumns(of.inventory);
    const em = forTeam(this.#orm.em, teamId);
    if ('inventoryBytes' in changed) {
      const [row] = await em.execute<{ bytes: string }[]>(
        'select coalesce(sum(inventory_bytes), 0) as bytes from satellites where team_id = ? and id <> ?',
        [teamId, id],
      );
      if (Number(row?.bytes) + changed.inventoryBytes > MAX_INVENTORY_BYTES) return false;
    }
    await em.nativeUpdate(Satellite, { id, connectionId }, changed);
    return true;
  }

  /** The connections are gone; rows that a newer connection has taken over stay unchanged. */
  async disconnect(of: readonly Registration[], at: Date): Promise<void> {
    if (of.length === 0) return;
    const id = { $in: of.map((each) => each.id) };
    const connectionId = { $in: of.map((each) => each.connectionId) };
    const gone = { connectionId: null, inbox: null, disconnectedAt: at, updatedAt: at };
    await this.#em().nativeUpdate(Satellite, { id, connectionId }, gone, anyTeam);
  }

  #em(): EntityManager {
    return this.#orm.em.fork();
  }
}

const INVENTORY_COLUMNS = ['inventory', 'version', 'labels', 'summary', 'inventoryBytes', 'inventoryDigest'] as const;

/** The inventory and the columns derived from it. */
function inventoryColumns(inventory: Inventory) {
  const text = JSON.stringify(inventory);
  return {
    inventory,
    version: inventory.version,
    labels: inventory.labels,
    summary: summaryOf(inventory),
    inventoryBytes: Buffer.byteLength(text),
    inventoryDigest: createHash('sha256').update(text).digest('hex'),
  };
}

function summaryOf({ connectors, tools, omittedTools, integrations }: Inventory): InventorySummary {
  return {
    connectors: connectors.map(({ id, kind, title, operations }) => ({
      id,
      kind,
      title,
      operations: operations.map(({ name }) => name),
    })),
    servers: [...new Set(tools.map(({ server }) => server))],
    tools: tools.length,
    omittedTools,
    ...(integrations && { integrations }),
  };
}
