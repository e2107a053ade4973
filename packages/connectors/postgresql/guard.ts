import { callsIn, readingStatement, type Call } from '../shared/sql/read-only.ts';
import { POSTGRESQL, type Token } from '../shared/sql/tokens.ts';
import { READ_ONLY_NAMES } from './functions.ts';

/** A name after these takes a list of columns, or is a type: it is not a function. */
const NAMING = new Set(['as', 'recursive', 'with']);

/**
 * @param allowed further functions, with their schema if the statement must name it
 * @throws {QueryError} `bad_request` when the statement may do more than read
 */
export function readingPostgres(sql: string, allowed: ReadonlySet<string> = new Set()): string {
  const mayStand = ({ name, before }: Call): boolean =>
    allowed.has(name) ||
    READ_ONLY_NAMES.has(name.replace(/^pg_catalog\./u, '')) ||
    (before?.kind === 'word' && NAMING.has(before.text) && !name.includes('.'));
  return readingStatement(sql, {
    dialect: POSTGRESQL,
    statements: ['select', 'with', 'values', 'table', 'show', 'explain'],
    problem: (tokens) => {
      if (hidesName(tokens)) return 'identifiers written as U&"..." are not allowed.';
      // The continuation would be read like the first string, escapes and all.
      if (tokens.some(({ kind }, index) => kind === 'string' && tokens[index + 1]?.kind === 'string'))
        return 'two strings in a row are not allowed; join them with ||.';
      const refused = callsIn(tokens).find((call) => !mayStand(call));
      return (
        refused &&
        `${refused.name}() is not known to only read. (Name the columns of an alias with AS: FROM f() AS t(a, b).)`
      );
    },
  });
}

function hidesName(tokens: readonly Token[]): boolean {
  return tokens.some(
    ({ text, kind }, index) =>
      kind === 'word' && text === 'u' && tokens[index + 1]?.text === '&' && tokens[index + 2]?.kind === 'identifier',
  );
}
