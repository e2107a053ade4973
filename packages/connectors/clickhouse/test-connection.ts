/** Tests a connection, and says what its user may do and what would be better. */
import { orThroughSatellite } from '../shared/sql/places.ts';
import { QueryError, type ConnectionTest, type OperationContext } from '../connector.ts';
import type { ClickhouseSession } from './session.ts';

const FACTS = `
  select version() as version, currentDatabase() as database,
         (select count() from system.databases where name = currentDatabase()) as has_database,
         (select count() from system.tables where lower(database) not in ('system', 'information_schema')) as tables`;
const LOG = `select count() from system.tables where database = 'system' and name = 'query_log'`;

const BETTER_USER = "create user casebook identified by '...' settings readonly = 2; grant select on *.* to casebook;";

export async function testConnection(
  session: ClickhouseSession,
  {
    database,
    ca_certificate,
    secure,
    url,
    username,
  }: Partial<Record<'database' | 'ca_certificate' | 'url', string | undefined>> & {
    secure: boolean;
    username: string;
  },
  context: OperationContext,
): Promise<ConnectionTest> {
  const began = performance.now();
  const result = (test: Pick<ConnectionTest, 'status' | 'message'> & Partial<ConnectionTest>): ConnectionTest => ({
    latencyMs: performance.now() - began,
    warnings: [],
    resources: [],
    ...test,
  });
  try {
    const { rows } = await session.read(FACTS, { ...context, maxRows: 1 });
    const [version, current, hasDatabase, tables] = rows[0] ?? [];
    if (Number(hasDatabase) === 0) {
      const message = `There is no database ${database ?? String(current)}, or the user may not see it.`;
      return result({ status: 'refused', field: 'database', message });
    }
    const [{ readonly }, log] = await Promise.all([
      session.abilities(context.signal),
      session.read(LOG, { ...context, maxRows: 1 }),
    ]);
    const isPlain = url === undefined ? !secure : url.startsWith('http:');
    return result({
      status: 'ok',
      message: `Connected to ClickHouse ${String(version)} as ${username}, which sees ${String(tables)} ${Number(tables) === 1 ? 'table' : 'tables'} and ${readonly === 0 ? 'may write' : 'is read-only'}.`,
      version: String(version),
      warnings: [
        readonly === 0 && `${username} may write. Nothing is written, but a better user could not: ${BETTER_USER}`,
        Number(log.rows[0]?.[0]) === 0 &&
          'Slow queries need system.query_log, which is off, has no entry yet, or may not be read.',
        isPlain && 'The connection is not encrypted.',
      ].filter((warning) => warning !== false),
    });
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    return result({ ...faultOf(error, { ca_certificate, url }), message: orThroughSatellite(error.message) });
  }
}

/** The setting at fault, by ClickHouse's code (src/Common/ErrorCodes.cpp), or that of network and TLS. */
function faultOf(
  { message, cause }: QueryError,
  { ca_certificate, url }: { ca_certificate: string | undefined; url: string | undefined },
): Pick<ConnectionTest, 'status' | 'field'> {
  const place = url === undefined ? 'host' : 'url';
  const number = /\(code (\d+)\)/u.exec(message)?.[1];
  // One answer for an unknown user and a wrong password, so that nobody can guess users.
  if (number === '516' || number === '193' || number === '194') return { status: 'refused', field: 'password' };
  if (number === '192') return { status: 'refused', field: 'username' };
  if (number === '81') return { status: 'refused', field: 'database' };
  if (number !== undefined) return { status: 'refused' };
  const code: unknown = cause instanceof Error ? Reflect.get(cause, 'code') : undefined;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return { status: 'refused', field: place };
  if (typeof code === 'string' && /^(?:DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|CERT_)/u.test(code))
    return {
      status: 'refused',
      field: ca_certificate === undefined && url === undefined ? 'secure' : 'ca_certificate',
    };
  if (url === undefined && message.includes('must begin with https')) return { status: 'refused', field: 'secure' };
  if (/not public|not a public|must begin with https|must not contain a user|not a host name/u.test(message))
    return { status: 'refused', field: place };
  return { status: 'unreachable', field: place };
}
