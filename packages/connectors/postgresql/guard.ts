import { callsIn, readingStatement, type Call } from '../shared/sql/read-only.ts';
import { POSTGRESQL, type Token } from '../shared/sql/tokens.ts';
import { READ_ONLY_NAMES } from './functions.ts';

/** A name after these takes a list of columns, or is a type: it is not a function. */
const NAMING = new Set(['as', 'recursive', 'with']);

/** What EXPLAIN may explain; a table made of a query would run in a read-only transaction. */
const EXPLAINED = new Set(['select', 'values', 'table', 'with']);

export interface Reading {
  statement: string;
  /**
   * Names after a dot that may be columns or functions: `(x).f` and `x.f` call f(x) if x has no column f. Only the server
   * knows.
   */
  attributes: string[];
}

/**
 * @param allowed further functions, with their schema if the statement must name it
 * @throws {QueryError} `bad_request` when the statement may do more than read
 */
export function readingPostgres(sql: string, allowed: ReadonlySet<string> = new Set()): Reading {
  const isKnown = (name: string): boolean =>
    allowed.has(name) || READ_ONLY_NAMES.has(name.replace(/^pg_catalog\./u, ''));
  const mayStand = ({ name, before }: Call): boolean =>
    isKnown(name) || (before?.kind === 'word' && NAMING.has(before.text) && !name.includes('.'));
  let attributes: string[] = [];
  const statement = readingStatement(sql, {
    dialect: POSTGRESQL,
    statements: ['select', 'with', 'values', 'table', 'show', 'explain'],
    problem: (tokens) => {
      if (hidesName(tokens)) return 'identifiers written as U&"..." are not allowed.';
      // The continuation would be read like the first string, escapes and all.
      if (tokens.some(({ kind }, index) => kind === 'string' && tokens[index + 1]?.kind === 'string'))
        return 'two strings in a row are not allowed; join them with ||.';
      if (explainsMore(tokens)) return 'EXPLAIN takes a SELECT, VALUES, TABLE or WITH, without INTO.';
      attributes = attributesIn(tokens).filter((name) => !isKnown(name));
      const refused = callsIn(tokens).find((call) => !mayStand(call));
      return (
        refused &&
        `${refused.name}() is not known to only read. (Name the columns of an alias with AS: FROM f() AS t(a, b).)`
      );
    },
  });
  return { statement, attributes };
}

function explainsMore(tokens: readonly Token[]): boolean {
  if (tokens[0]?.text !== 'explain') return false;
  const isOptions = tokens[1]?.text === '(' && !EXPLAINED.has(tokens[2]?.text ?? '');
  const end = isOptions ? tokens.findIndex(({ text, kind }) => kind === 'symbol' && text === ')') : 0;
  const explained = tokens.slice(end + 1).find(({ text }) => !['(', 'analyze', 'analyse', 'verbose'].includes(text));
  const hasInto = tokens.some(({ text, kind }) => kind === 'word' && text === 'into');
  return explained?.kind !== 'word' || !EXPLAINED.has(explained.text) || hasInto;
}

/** Names after a dot that no parenthesis follows. */
function attributesIn(tokens: readonly Token[]): string[] {
  const names = tokens.flatMap(({ kind, text }, index) => {
    const before = tokens[index - 1];
    if (before?.kind !== 'symbol' || before.text !== '.' || tokens[index + 1]?.text === '(') return [];
    if (kind === 'identifier') return [text.replaceAll('""', '"')];
    return kind === 'word' ? [text] : [];
  });
  return [...new Set(names)];
}

function hidesName(tokens: readonly Token[]): boolean {
  return tokens.some(
    ({ text, kind }, index) =>
      kind === 'word' && text === 'u' && tokens[index + 1]?.text === '&' && tokens[index + 2]?.kind === 'identifier',
  );
}
