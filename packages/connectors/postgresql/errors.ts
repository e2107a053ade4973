import { QueryError } from '../connector.ts';

const CODES: Record<string, QueryError['code']> = {
  // query_canceled (its time limit), too_many_connections, lock_not_available.
  '57014': 'timeout',
  '53300': 'busy',
  '55P03': 'busy',
};

/** Classes: data exception, cardinality, invalid transaction state (read-only), syntax or access rule, parameters. */
const CALLER_ERRORS = /^(?:22|21|25|42|08P01)/u;

export function abortedError(): QueryError {
  return new QueryError('timeout', 'The query was stopped: it timed out, or its caller gave up.');
}

/** The server's message, with its detail and hint. */
export function asQueryError(error: unknown): QueryError {
  if (error instanceof QueryError) return error;
  if (!(error instanceof Error)) return new QueryError('failed', String(error));
  const part = (name: string): string | undefined => {
    const value: unknown = Reflect.get(error, name);
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const state = part('code');
  const position = part('position');
  const words = [
    error.message || state || 'no connection',
    part('detail'),
    part('hint') && `Hint: ${part('hint')}`,
    position && `At character ${position}.`,
  ].filter(Boolean);
  // An SQLSTATE has five characters; anything else comes from the network or the client.
  const isServers = state !== undefined && /^[0-9A-Z]{5}$/u.test(state) && part('severity') !== undefined;
  if (!isServers) return new QueryError('failed', `No answer from PostgreSQL: ${words.join('. ')}`, { cause: error });
  const code = CODES[state] ?? (CALLER_ERRORS.test(state) ? 'bad_request' : 'failed');
  return new QueryError(code, `PostgreSQL: ${words.join('. ')} (${state})`, { cause: error });
}
