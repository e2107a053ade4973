/** Queries on PostgreSQL's catalogue and statistics. */

export const TABLES = `
  select n.nspname as schema, c.relname as name,
         case c.relkind when 'r' then 'table' when 'p' then 'partitioned table' when 'v' then 'view'
           when 'm' then 'materialized view' when 'f' then 'foreign table' end as kind,
         c.reltuples::bigint as estimated_rows, pg_total_relation_size(c.oid) as total_bytes,
         s.seq_scan, s.idx_scan, s.n_dead_tup as dead_rows, s.last_autovacuum, s.last_autoanalyze
  from pg_class c join pg_namespace n on n.oid = c.relnamespace left join pg_stat_all_tables s on s.relid = c.oid
  where c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition
    and case when $1::text is null then n.nspname !~ '^(pg_|information_schema$)' else n.nspname = $1 end
  order by total_bytes desc, schema, name`;

/** Takes the table's name as PostgreSQL parses it: with or without its schema, quoted where necessary. */
export const FIND_TABLE = `
  select c.oid::bigint, n.nspname, c.relname, c.reltuples::bigint, pg_total_relation_size(c.oid)
  from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.oid = to_regclass($1)`;

export const COLUMNS = `
  select a.attname as name, format_type(a.atttypid, a.atttypmod) as type, not a.attnotnull as nullable,
         pg_get_expr(d.adbin, d.adrelid) as default
  from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
  where a.attrelid = $1::oid and a.attnum > 0 and not a.attisdropped order by a.attnum`;

export const INDEXES = `
  select c.relname as name, pg_get_indexdef(i.indexrelid) as definition, i.indisvalid as valid,
         pg_relation_size(i.indexrelid) as bytes, s.idx_scan as scans
  from pg_index i join pg_class c on c.oid = i.indexrelid
  left join pg_stat_all_indexes s on s.indexrelid = i.indexrelid
  where i.indrelid = $1::oid order by name`;

export const CONSTRAINTS = `
  select conname as name, pg_get_constraintdef(oid) as definition from pg_constraint
  where conrelid = $1::oid order by contype, name`;

export const ACTIVITY = `
  select pid, usename as user, datname as database, application_name as application, client_addr as client,
         backend_type, state, wait_event_type, wait_event,
         round(extract(epoch from now() - xact_start)::numeric, 3)::float8 as transaction_seconds,
         round(extract(epoch from clock_timestamp() - query_start)::numeric, 3)::float8 as query_seconds,
         pg_blocking_pids(pid) as blocked_by, left(query, 2000) as query
  from pg_stat_activity
  where pid <> pg_backend_pid() and (state is distinct from 'idle') and backend_type = 'client backend'
  order by xact_start nulls last, query_start nulls last`;

export const CONNECTIONS = `
  select datname as database, usename as user, coalesce(state, 'unknown') as state, count(*) as connections,
         current_setting('max_connections')::int as max_connections
  from pg_stat_activity where backend_type = 'client backend' group by 1, 2, 3 order by 4 desc`;

export const LOCKS = `
  select w.pid as waiting_pid, w.usename as waiting_user, l.locktype as lock_type, l.mode as wanted_mode,
         l.relation::regclass::text as relation,
         round(extract(epoch from clock_timestamp() - coalesce(l.waitstart, w.state_change))::numeric, 3)::float8 as waiting_seconds,
         left(w.query, 2000) as waiting_query,
         b.pid as blocking_pid, b.usename as blocking_user, b.state as blocking_state,
         round(extract(epoch from clock_timestamp() - b.xact_start)::numeric, 3)::float8 as blocking_transaction_seconds,
         left(b.query, 2000) as blocking_query
  from pg_locks l join pg_stat_activity w on w.pid = l.pid
  cross join lateral unnest(pg_blocking_pids(l.pid)) as by(pid)
  left join pg_stat_activity b on b.pid = by.pid
  where not l.granted order by waiting_seconds desc nulls last`;

/** The schema of the extension's view; no row when it is not installed in this database. */
export const FIND_STATEMENTS = `
  select quote_ident(n.nspname) from pg_extension e join pg_namespace n on n.oid = e.extnamespace
  where e.extname = 'pg_stat_statements'`;

/**
 * Of this database: the view has those of all, which are none of an integration's business.
 * @param schema quoted
 */
export const slowQueries = (schema: string): string => `
  select s.queryid::text as query_id, d.datname as database, r.rolname as user, s.calls,
         s.total_exec_time as total_ms, s.mean_exec_time as mean_ms, s.max_exec_time as max_ms, s.rows,
         s.shared_blks_hit, s.shared_blks_read, s.temp_blks_written, left(s.query, 2000) as query
  from ${schema}.pg_stat_statements s join pg_database d on d.oid = s.dbid and d.datname = current_database()
  left join pg_roles r on r.oid = s.userid
  order by s.total_exec_time desc limit $1`;

export const RECOVERY = `
  select pg_is_in_recovery() as is_replica,
         case when pg_is_in_recovery()
           then round(extract(epoch from now() - pg_last_xact_replay_timestamp())::numeric, 3)::float8 end as lag_seconds`;

export const REPLICAS = `
  select application_name as name, client_addr as client, state, sync_state,
         case when not pg_is_in_recovery() then pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn)::bigint end as lag_bytes,
         round(extract(epoch from replay_lag)::numeric, 3)::float8 as lag_seconds
  from pg_stat_replication order by lag_bytes desc nulls last`;

export const SLOTS = `
  select slot_name as name, slot_type as type, active, wal_status,
         case when not pg_is_in_recovery() then pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)::bigint end as retained_bytes
  from pg_replication_slots order by retained_bytes desc nulls last`;

export const UNUSED_INDEXES = `
  select s.schemaname as schema, s.relname as table, s.indexrelname as name, pg_relation_size(s.indexrelid) as bytes,
         pg_get_indexdef(s.indexrelid) as definition
  from pg_stat_user_indexes s join pg_index i on i.indexrelid = s.indexrelid
  where s.idx_scan = 0 and not i.indisunique and not i.indisexclusion
    and not exists (select from pg_constraint c where c.conindid = s.indexrelid)
  order by bytes desc, schema, name`;

/**
 * Functions among these names that `x.name` calls, unless x has such a column. A name that is some table's column is not
 * among them, except for PostgreSQL's own that do things: a view's column is named after the function that it calls.
 */
export const FUNCTIONS_OF_ONE = `
  select proname::text from pg_catalog.pg_proc
  where proname = any($1::name[]) and pronargs >= 1 and pronargs - pronargdefaults <= 1
    and (pronamespace = 'pg_catalog'::regnamespace and provolatile = 'v'
      or not exists (select from pg_catalog.pg_attribute where attname = proname and attnum > 0))
  limit 1`;
