import { QueryError } from '../../connector.ts';
import { calledNames, tokensOf, type Dialect } from './tokens.ts';

export interface ReadOnlyRules {
  dialect: Dialect;
  /** Words that a statement may begin with. */
  statements: readonly string[];
  /** Functions, in lower case, that do more than read, or that reach other systems or the server's files. */
  refusedFunctions: RegExp;
}

/**
 * Refuses what is not plainly a single reading statement. This is the first of two fences: the server's own read-only
 * mode is the second, and holds where a name is hidden from this one.
 * @returns the statement without a semicolon at its end
 * @throws {QueryError} `bad_request`
 */
export function readingStatement(sql: string, rules: ReadOnlyRules): string {
  const tokens = tokensOf(sql, rules.dialect);
  while (tokens.at(-1)?.text === ';') tokens.pop();
  const first = tokens.find(({ text }) => text !== '(');
  if (!first) throw new QueryError('bad_request', 'There is no statement.');
  if (tokens.some(({ kind, text }) => kind === 'symbol' && text === ';'))
    throw new QueryError('bad_request', 'One statement at a time: remove what follows the semicolon.');
  if (first.kind !== 'word' || !rules.statements.includes(first.text)) {
    const allowed = rules.statements.map((word) => word.toUpperCase()).join(', ');
    throw new QueryError('bad_request', `Only reading is allowed. A statement begins with one of: ${allowed}.`);
  }
  const refused = calledNames(tokens).find((name) => rules.refusedFunctions.test(name.toLowerCase()));
  if (refused !== undefined)
    throw new QueryError('bad_request', `Only reading is allowed: ${refused}() may do more than that.`);
  return sql.replace(/[\s;]+$/u, '');
}
