/** Tests a connection, and says what its role may do and what would be better. */
import { orThroughSatellite } from '../shared/sql/places.ts';
import { QueryError, type ConnectionTest } from '../connector.ts';
import type { PostgresSession } from './session.ts';
import type { PostgresConfig } from './config.ts';

const TEST_BYTES = 1_000_000;

const FACTS = `
  select current_setting('server_version') as version, current_database() as database, current_user as role,
         coalesce((select ssl from pg_stat_ssl where pid = pg_backend_pid()), false) as encrypted,
         (select rolsuper from pg_roles where rolname = current_user) as superuser,
         pg_has_role(current_user, 'pg_monitor', 'usage') as monitors,
         exists (select from pg_extension where extname = 'pg_stat_statements') as has_statements,
         (select array[count(*), count(*) filter (where has_table_privilege(c.oid, 'select')),
                       count(*) filter (where has_table_privilege(c.oid, 'insert, update, delete, truncate'))]::text[]
           from pg_class c join pg_namespace n on n.oid = c.relnamespace
           where c.relkind in ('r', 'p') and n.nspname !~ '^(pg_|information_schema$)') as tables,
         array(select rolname::text from pg_roles
           where rolname in ('pg_execute_server_program', 'pg_write_server_files', 'pg_write_all_data')
             and pg_has_role(oid, 'member') and not (select rolsuper from pg_roles where rolname = current_user)) as powers`;

const BETTER_ROLE = "create role casebook login password '...'; grant pg_read_all_data, pg_monitor to casebook;";

export async function testConnection(
  session: PostgresSession,
  settings: PostgresConfig,
  signal: AbortSignal,
): Promise<ConnectionTest> {
  const began = performance.now();
  const result = (test: Pick<ConnectionTest, 'status' | 'message'> & Partial<ConnectionTest>): ConnectionTest => ({
    latencyMs: performance.now() - began,
    warnings: [],
    resources: [],
    ...test,
  });
  try {
    const { columns, rows } = await session.read(FACTS, [], { maxRows: 1, maxBytes: TEST_BYTES, signal });
    const facts = Object.fromEntries(columns.map(({ name }, index) => [name, rows[0]?.[index]]));
    return result({
      status: 'ok',
      message: `Connected to the database ${String(facts['database'])} of PostgreSQL ${String(facts['version'])} as ${String(facts['role'])}, who ${abilitiesIn(facts)}.`,
      version: String(facts['version']),
      warnings: warningsOf(facts, settings),
    });
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    return result({ ...faultOf(error, settings), message: orThroughSatellite(error.message) });
  }
}

/** Of the database's tables: all, those that the role may read, and those that it may write to. */
function tablesIn({ tables }: Record<string, unknown>): { all: number; readable: number; writable: number } {
  const [all = 0, readable = 0, writable = 0] = Array.isArray(tables) ? tables.map(Number) : [];
  return { all, readable, writable };
}

/** `reads 41 of 41 tables, writes none and sees all sessions` */
function abilitiesIn(facts: Record<string, unknown>): string {
  const { all, readable, writable } = tablesIn(facts);
  const sessions = facts['monitors'] === true ? 'all sessions' : 'only its own sessions';
  const writes = writable === 0 ? 'writes none' : `may write ${writable}`;
  return `reads ${readable} of ${all} ${all === 1 ? 'table' : 'tables'}, ${writes} and sees ${sessions}`;
}

function warningsOf(facts: Record<string, unknown>, { ssl_mode, host }: PostgresConfig): string[] {
  const role = String(facts['role']);
  const powers = Array.isArray(facts['powers']) ? facts['powers'].map(String) : [];
  const { all, readable, writable } = tablesIn(facts);
  const unreadable = all - readable;
  return [
    facts['superuser'] === true &&
      `${role} is a superuser, which a read-only transaction does not restrain. A better one: ${BETTER_ROLE}`,
    powers.length > 0 && `${role} is a member of ${powers.join(', ')}. A better one: ${BETTER_ROLE}`,
    facts['superuser'] !== true &&
      powers.length === 0 &&
      writable > 0 &&
      `${role} may write to ${writable} ${writable === 1 ? 'table' : 'tables'}. Nothing is written, but a better one could not: ${BETTER_ROLE}`,
    unreadable > 0 &&
      `${role} cannot read ${unreadable} ${unreadable === 1 ? 'table' : 'tables'}: grant pg_read_all_data to ${role};`,
    facts['monitors'] !== true && `${role} sees only its own sessions and statements: grant pg_monitor to ${role};`,
    facts['has_statements'] !== true &&
      `Slow queries need the extension pg_stat_statements: add it to shared_preload_libraries, restart, then: create extension pg_stat_statements;`,
    facts['encrypted'] !== true && ssl_mode !== 'disable' && !isLocal(host) && 'The connection is not encrypted.',
  ].filter((warning) => warning !== false);
}

const isLocal = (host: string | undefined): boolean =>
  host !== undefined && /^(?:localhost|127\.\d+\.\d+\.\d+|::1)$/u.test(host);

/** The setting at fault, by the code of the server (SQLSTATE), of the network or of TLS. */
function faultOf(
  { message, cause }: QueryError,
  { ca_certificate }: PostgresConfig,
): Pick<ConnectionTest, 'status' | 'field'> {
  const code = codeOf(cause);
  if (code === '28P01') return { status: 'refused', field: 'password' };
  if (code === '28000') return { status: 'refused', field: 'user' };
  if (code === '3D000') return { status: 'refused', field: 'database' };
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return { status: 'refused', field: 'ssl_mode' };
  if (/^(?:DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|CERT_)/u.test(code))
    return { status: 'refused', field: ca_certificate === undefined ? 'ssl_mode' : 'ca_certificate' };
  if (/does not support SSL/u.test(message)) return { status: 'refused', field: 'ssl_mode' };
  if (
    /may write: it is a member|not a public address|not public\b|not a host name|satellite does not connect|integrations\.allow/u.test(
      message,
    )
  )
    return { status: 'refused', field: /may write/u.test(message) ? 'user' : 'host' };
  if (/^[0-9A-Z]{5}$/u.test(code) && !code.startsWith('E')) return { status: 'refused' };
  return { status: 'unreachable', field: 'host' };
}

function codeOf(error: unknown): string {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
  return typeof code === 'string' ? code : '';
}
