/** The statements on the graph's two tables. Edges travel in parallel arrays, thousands per statement. */

/**
 * Waits for a deletion of the satellite in progress, and prevents one until the transaction ends; heartbeats are not
 * blocked. $1 satellite, $2 team, $3 connection.
 */
export const holdSatelliteSql = `
select 1 from satellites where id = $1 and team_id = $2 and connection_id = $3 for key share`;

/** Locks the head of an existing graph. $1 satellite, $2 team. */
export const lockHeadSql = `
select epoch, seq, version::float8, complete_since::float8, edges, tombstones, truncated
from satellite_graphs where satellite_id = $1 and team_id = $2 for update`;

/**
 * Locks the head, creating it if necessary: it serializes concurrent snapshots. Versions of a new graph start at the
 * current time, so that one that was deleted and came back never repeats a version. $1 satellite, $2 team, $3 epoch.
 */
export const makeHeadSql = `
with begun as (select (extract(epoch from clock_timestamp()) * 1000)::bigint as version)
insert into satellite_graphs as g
  (satellite_id, team_id, epoch, seq, version, complete_since, as_of, edges, tombstones, truncated)
select $1, $2, $3, -1, version, version, clock_timestamp(), 0, 0, false from begun
on conflict (satellite_id) do update set team_id = excluded.team_id
returning epoch, seq, version::float8, complete_since::float8, edges, tombstones, truncated`;

/**
 * Writes the head unless the satellite has reconnected since, in which case no row is written. The statement sees what
 * was committed while it waited for the lock. $1 satellite, $2 team, $3 connection, $4 epoch, $5 seq, $6 version, $7
 * complete_since, $8 as_of, $9 edges, $10 tombstones, $11 truncated.
 */
export const writeHeadSql = `
update satellite_graphs set epoch = $4, seq = $5, version = $6::bigint, complete_since = $7::bigint, as_of = $8,
  edges = $9, tombstones = $10, truncated = $11
where satellite_id = $1
  and exists (select 1 from satellites where id = $1 and team_id = $2 and connection_id = $3)`;

/**
 * Adds and changes edges, leaving unchanged ones alone. Every message confirms all edges that are not stale, so their
 * time of observation alone is no change. $1 satellite, $2 team, $3 version, $4 the time, then arrays: $5 caller, $6
 * callee, $7 calls per second, $8 error ratio, $9 p50, $10 p95, $11 sources, $12 stale, $13 ms since seen. Returns how
 * many of them existed before: live ones, and tombstones.
 */
export const upsertEdgesSql = `
with seen as materialized (
  select caller, callee, calls_per_second, error_ratio, p50_seconds, p95_seconds, sources, stale,
    $4::timestamptz - seen_ago * interval '1 ms' as seen_at
  from unnest($5::text[], $6::text[], $7::float8[], $8::float8[], $9::float8[], $10::float8[], $11::smallint[],
    $12::boolean[], $13::float8[])
    as seen (caller, callee, calls_per_second, error_ratio, p50_seconds, p95_seconds, sources, stale, seen_ago)
), known as (
  select count(*) filter (where not e.gone)::integer as live, count(*) filter (where e.gone)::integer as tombstones
  from seen join satellite_graph_edges e
    on e.satellite_id = $1 and e.caller = seen.caller collate "C" and e.callee = seen.callee collate "C"
), stored as (
  insert into satellite_graph_edges as e (satellite_id, team_id, caller, callee, calls_per_second, error_ratio,
    p50_seconds, p95_seconds, sources, stale, seen_at, gone, version)
  select $1, $2, caller, callee, calls_per_second, error_ratio, p50_seconds, p95_seconds, sources, stale, seen_at,
    false, $3::bigint
  from seen
  on conflict (satellite_id, caller, callee) do update set
    calls_per_second = excluded.calls_per_second, error_ratio = excluded.error_ratio,
    p50_seconds = excluded.p50_seconds, p95_seconds = excluded.p95_seconds, sources = excluded.sources,
    stale = excluded.stale, seen_at = excluded.seen_at, gone = false, version = excluded.version
  where (e.calls_per_second, e.error_ratio, e.p50_seconds, e.p95_seconds, e.sources, e.stale, e.gone)
    is distinct from (excluded.calls_per_second, excluded.error_ratio, excluded.p50_seconds, excluded.p95_seconds,
      excluded.sources, excluded.stale, false)
    or excluded.stale and abs(extract(epoch from e.seen_at - excluded.seen_at)) > 1
)
select live, tombstones from known`;

/**
 * Turns edges into tombstones, which tell readers that they are gone. $1 satellite, $2 version, $3 callers, $4 callees.
 */
export const removeEdgesSql = `
update satellite_graph_edges e set gone = true, version = $2::bigint
from unnest($3::text[], $4::text[]) as removed (caller, callee)
where e.satellite_id = $1 and e.caller = removed.caller collate "C" and e.callee = removed.callee collate "C"
  and not e.gone`;

/** Turns the $3 least called edges into tombstones: there are more than a graph may have. */
export const removeLeastCalledSql = `
update satellite_graph_edges e set gone = true, version = $2::bigint
from (
  select caller, callee from satellite_graph_edges where satellite_id = $1 and not gone
  order by calls_per_second nulls first, caller desc, callee desc limit $3
) as least
where e.satellite_id = $1 and e.caller = least.caller and e.callee = least.callee`;

/** The pairs of all edges. */
export const liveKeysSql = `select caller, callee from satellite_graph_edges where satellite_id = $1 and not gone`;

/** Deletes the tombstones from before version $2. */
export const purgeSql = `
delete from satellite_graph_edges where satellite_id = $1 and gone and version < $2::bigint`;

/** The satellites of team $1 and the heads of their graphs, by name. */
export const headsSql = `
select s.id, s.name, s.instance, s.connection_id as "connectionId", s.inbox,
  (extract(epoch from s.last_heartbeat_at) * 1000)::float8 as "lastHeartbeatAt",
  g.version::float8, g.edges, g.truncated, (extract(epoch from g.as_of) * 1000)::float8 as "asOf"
from satellites s left join satellite_graphs g on g.satellite_id = s.id and g.team_id = s.team_id
where s.team_id = $1 order by s.name`;

/** Version of a graph, and the version since which its tombstones are complete. $1 satellite, $2 team. */
export const versionSql = `
select version::float8, complete_since::float8 as "completeSince" from satellite_graphs
where satellite_id = $1 and team_id = $2`;

const rowColumns = `caller, callee, calls_per_second, error_ratio, p50_seconds, p95_seconds, sources, stale,
  (extract(epoch from seen_at) * 1000)::float8, gone`;

/** All edges. $1 satellite, $2 team. */
export const allEdgesSql = `
select ${rowColumns} from satellite_graph_edges where satellite_id = $1 and team_id = $2 and not gone`;

/** Everything that changed after version $3, including tombstones. */
export const changedEdgesSql = `
select ${rowColumns} from satellite_graph_edges where satellite_id = $1 and team_id = $2 and version > $3::bigint`;
