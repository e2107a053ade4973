/** Queries on ClickHouse's system tables, in syntax that old servers support too. */

/** A string as a literal. */
const literal = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

const inDatabase = (database: string | undefined): string =>
  database === undefined
    ? `database not in ('system', 'INFORMATION_SCHEMA', 'information_schema')`
    : `database = ${literal(database)}`;

export const tables = (database?: string): string =>
  `select database, name, engine from system.tables where ${inDatabase(database)} order by database, name`;

export const partsByTable = (database?: string): string => `
  select database, table, sum(rows) as rows, sum(bytes_on_disk) as bytes_on_disk, count() as parts,
         max(modification_time) as last_modified
  from system.parts where active and ${inDatabase(database)} group by database, table`;

/** @param table `name` (in the user's database) or `database.name` */
const whereTable = (table: string, nameColumn: string): string => {
  const [name = '', database] = table.split('.').toReversed();
  const of = database === undefined ? 'currentDatabase()' : literal(database);
  return `database = ${of} and ${nameColumn} = ${literal(name)}`;
};

export const findTable = (table: string): string => `
  select database, name, engine, engine_full, partition_key, sorting_key, primary_key
  from system.tables where ${whereTable(table, 'name')}`;

export const columns = (table: string): string => `
  select name, type, default_kind, default_expression, comment, data_compressed_bytes, data_uncompressed_bytes
  from system.columns where ${whereTable(table, 'table')}`;

export const PROCESSES = `
  select query_id, user, elapsed as elapsed_seconds, read_rows, read_bytes, memory_usage as memory_bytes,
         substring(query, 1, 2000) as query
  from system.processes where query not like '%from system.processes%' order by elapsed desc`;

/**
 * @param normalizes whether the server can strip literals from query texts, so that similar queries are counted
 *   together
 */
export const slowQueries = (limit: number, sinceSeconds: number, normalizes: boolean): string => `
  select substring(${normalizes ? 'normalizeQuery(query)' : 'query'}, 1, 2000) as text, any(user) as first_user,
         count() as calls, sum(query_duration_ms) as total_ms, avg(query_duration_ms) as mean_ms,
         max(query_duration_ms) as max_ms, sum(read_rows) as rows_read, sum(read_bytes) as bytes_read,
         max(memory_usage) as max_memory_bytes
  from system.query_log
  where toInt8(type) = 2 and event_date >= toDate(now() - ${sinceSeconds}) and event_time >= now() - ${sinceSeconds}
  group by text order by total_ms desc limit ${limit}`;

export const PARTS = `
  select database, table, count() as active_parts, sum(rows) as rows, sum(bytes_on_disk) as bytes_on_disk
  from system.parts where active group by database, table order by active_parts desc limit 50`;

export const MERGES = `
  select database, table, elapsed as elapsed_seconds, progress, num_parts as parts, is_mutation,
         total_size_bytes_compressed as bytes, memory_usage as memory_bytes
  from system.merges order by elapsed desc`;

export const MUTATIONS = `
  select database, table, mutation_id, command, create_time, parts_to_do, latest_fail_time, latest_fail_reason
  from system.mutations where not is_done order by create_time`;

export const REPLICAS = `
  select database, table, is_leader, is_readonly, is_session_expired, absolute_delay as delay_seconds, queue_size,
         inserts_in_queue, merges_in_queue, active_replicas, total_replicas
  from system.replicas order by is_readonly desc, delay_seconds desc`;

export const ERRORS = `
  select name, code, value as count, last_error_time, substring(last_error_message, 1, 500) as last_message
  from system.errors order by last_error_time desc limit 100`;
