import { QueryError } from '../connector.ts';
import { readingStatement } from '../shared/sql/read-only.ts';
import { POSTGRESQL, tokensOf } from '../shared/sql/tokens.ts';

/**
 * What a read-only transaction lets through although it changes something, reaches out, or runs a text as SQL where
 * the names in it cannot be seen.
 */
const REFUSED_FUNCTIONS = new RegExp(
  `^(?:${[
    'pg_(?:terminate|cancel|log)_backend\\w*',
    'pg_(?:reload_conf|rotate_logfile\\w*|promote|switch_wal|switch_xlog|create_\\w+|drop_\\w+|copy_\\w+)',
    'pg_(?:backup|start_backup|stop_backup|wal_replay|xlog_replay|replication|logical|sync_replication)\\w*',
    'pg_(?:stat_reset|stat_statements_reset|stat_force|stat_clear)\\w*',
    'pg_(?:read_(?:binary_)?file\\w*|stat_file\\w*|file_\\w+|ls_\\w+|current_logfile)',
    'pg_(?:try_)?advisory_\\w+',
    'pg_(?:notify|export_snapshot|prewarm|import_system_collations|extension_config_dump|restore_\\w+|clear_\\w+)',
    'set_config|setval|nextval',
    'lo_\\w+|lowrite|loread',
    // Upkeep of indexes and caches, which is no statement and so not held by the transaction.
    'gin_clean_pending_list|brin_(?:de)?summarize_\\w+|pg_(?:truncate|background|repack)_?\\w*|pg_buffercache_(?:evict|mark)\\w*|pg_stat_\\w+_reset',
    // Extensions of cloud vendors that reach their other services.
    'query_export_to_s3|table_import_from_s3|invoke|blob_\\w+',
    'dblink\\w*|postgres_fdw_\\w+|http\\w*|plpy_\\w*|cron_?\\w*',
    '(?:query|cursor)_to_xml\\w*|ts_stat|xpath_table|crosstab\\w*|connectby\\w*',
  ].join('|')})$`,
  'u',
);

const rules = {
  dialect: POSTGRESQL,
  statements: ['select', 'with', 'values', 'table', 'show', 'explain'],
  refusedFunctions: REFUSED_FUNCTIONS,
};

/** @throws {QueryError} `bad_request` when the statement does more than read, as far as its text shows */
export function readingPostgres(sql: string): string {
  const hidden = tokensOf(sql, POSTGRESQL).some(
    ({ text, kind }, index, all) =>
      kind === 'word' && text === 'u' && all[index + 1]?.text === '&' && all[index + 2]?.kind === 'identifier',
  );
  if (hidden) throw new QueryError('bad_request', 'Identifiers written as U&"..." are not allowed.');
  return readingStatement(sql, rules);
}
