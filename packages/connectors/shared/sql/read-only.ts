import { QueryError } from '../../connector.ts';
import { tokensOf, type Dialect, type Token } from './tokens.ts';

interface ReadOnlyRules {
  dialect: Dialect;
  /** Words that may begin a statement. */
  statements: readonly string[];
  /** The problem with these tokens, if any. */
  problem(tokens: readonly Token[]): string | undefined;
}

/**
 * Refuses everything but a single, plainly reading statement. This is the first of two fences; the server's own
 * read-only mode is the second.
 * @returns the statement without a trailing semicolon
 * @throws {QueryError} `bad_request`
 */
export function readingStatement(sql: string, { dialect, statements, problem }: ReadOnlyRules): string {
  const tokens = tokensOf(sql, dialect);
  while (tokens.at(-1)?.text === ';') tokens.pop();
  const first = tokens.find(({ text }) => text !== '(');
  if (!first) throw new QueryError('bad_request', 'There is no statement.');
  if (tokens.some(({ kind, text }) => kind === 'symbol' && text === ';'))
    throw new QueryError('bad_request', 'One statement at a time: remove what follows the semicolon.');
  if (first.kind !== 'word' || !statements.includes(first.text)) {
    const allowed = statements.map((word) => word.toUpperCase()).join(', ');
    throw new QueryError('bad_request', `Only reading is allowed. A statement begins with one of: ${allowed}.`);
  }
  const found = problem(tokens);
  if (found !== undefined) throw new QueryError('bad_request', `Only reading is allowed: ${found}`);
  return sql.replace(/[\s;]+$/u, '');
}

/** A name before an opening parenthesis, as in a function call. */
export interface Call {
  /** With its qualifier, such as `pg_catalog.now`; quoted parts as written. */
  name: string;
  /** The preceding token. */
  before: Token | undefined;
}

export function callsIn(tokens: readonly Token[]): Call[] {
  const isName = (token: Token | undefined): boolean => token?.kind === 'word' || token?.kind === 'identifier';
  const isSymbol = (token: Token | undefined, text: string): boolean => token?.kind === 'symbol' && token.text === text;
  return tokens.flatMap((token, index) => {
    if (!isName(token) || !isSymbol(tokens[index + 1], '(')) return [];
    let start = index;
    while (isSymbol(tokens[start - 1], '.') && isName(tokens[start - 2])) start -= 2;
    const path = tokens.slice(start, index + 1).filter((part) => part.kind !== 'symbol');
    return [{ name: path.map(({ text }) => text).join('.'), before: tokens[start - 1] }];
  });
}
