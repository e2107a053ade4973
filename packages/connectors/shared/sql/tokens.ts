/**
 * The words of an SQL text, without anything quoted or commented out: enough to classify a statement, not to parse it.
 * It must agree with the server on the borders of strings and comments, so anything that servers read differently is
 * refused.
 */
import { QueryError } from '../../connector.ts';

export interface Token {
  /** A word in lower case; for a quoted identifier or string, its content as written; otherwise one character. */
  text: string;
  kind: 'word' | 'identifier' | 'string' | 'symbol';
}

export interface Dialect {
  /** Whether a backslash escapes in all quotes, or (as in PostgreSQL) only in strings that begin with E. */
  backslashEscapes: 'always' | 'with-e';
  /** Whether comments nest in every version; otherwise a comment within a comment is refused. */
  nestedComments: boolean;
  /** Markers of comments that run to the end of the line. */
  lineComments: readonly string[];
  /** Markers of comments in some versions only: refused. */
  disputedComments?: readonly string[];
  /** Quote characters of identifiers. */
  identifierQuotes: readonly string[];
  word: RegExp;
  /** Numbered parameters, such as `$1`. */
  parameter?: RegExp;
}

export const POSTGRESQL: Dialect = {
  backslashEscapes: 'with-e',
  nestedComments: true,
  lineComments: ['--'],
  identifierQuotes: ['"'],
  word: /[A-Za-z_][A-Za-z0-9_$]*/uy,
  parameter: /\$\d+(?![\w$])/uy,
};

export const CLICKHOUSE: Dialect = {
  backslashEscapes: 'always',
  nestedComments: false,
  lineComments: ['--', '#!', '# '],
  disputedComments: ['//'],
  identifierQuotes: ['"', '`'],
  word: /[A-Za-z_][A-Za-z0-9_]*/uy,
};

const SPACE = /[ \t\n]+/uy;

/**
 * @returns the tokens of a statement, in order; an unclosed quote or comment runs to the end of the text
 * @throws {QueryError} `bad_request` for what servers may take for a border
 */
export function tokensOf(sql: string, dialect: Dialect): Token[] {
  if (sql.includes('\0')) throw refusedCharacter('\0');
  const tokens: Token[] = [];
  let at = 0;
  const match = (pattern: RegExp | undefined): string | undefined => {
    if (!pattern) return undefined;
    pattern.lastIndex = at;
    return pattern.exec(sql)?.[0];
  };
  while (at < sql.length) {
    const char = sql[at]!;
    const disputed = dialect.disputedComments?.find((start) => sql.startsWith(start, at));
    if (disputed)
      throw new QueryError('bad_request', `Begin a comment with --: not every server reads ${disputed} as one.`);
    const skipped = match(SPACE) ?? match(dialect.parameter);
    if (skipped) {
      if (skipped.startsWith('$')) tokens.push({ text: '$', kind: 'symbol' });
      at += skipped.length;
    } else if (sql.startsWith('/*', at)) {
      at = endOfComment(sql, at, dialect.nestedComments);
    } else if (dialect.lineComments.some((start) => sql.startsWith(start, at))) {
      at += /[\r\n]|$/u.exec(sql.slice(at))!.index;
    } else if (char === "'" || dialect.identifierQuotes.includes(char)) {
      const last = tokens.at(-1);
      const escaped = char === "'" && sql[at - 1]?.toLowerCase() === 'e' && last?.kind === 'word' && last.text === 'e';
      const end = endOfQuoted(sql, at, dialect.backslashEscapes === 'always' || escaped);
      tokens.push({ text: sql.slice(at + 1, end - 1), kind: char === "'" ? 'string' : 'identifier' });
      at = end;
    } else {
      const word = match(dialect.word);
      if (!word && (char === '$' || !/[!-~]/u.test(char))) throw refusedCharacter(char);
      tokens.push(word ? { text: word.toLowerCase(), kind: 'word' } : { text: char, kind: 'symbol' });
      at += word?.length ?? 1;
    }
  }
  return tokens;
}

function refusedCharacter(char: string): QueryError {
  const code = `U+${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
  const what =
    char === '$' ? 'Dollar quotes are not allowed: write strings in single quotes' : `${code} is not allowed`;
  return new QueryError('bad_request', `${what}. Outside quotes a statement is plain ASCII with spaces and newlines.`);
}

function endOfComment(sql: string, start: number, nested: boolean): number {
  let depth = 0;
  for (let at = start; at < sql.length;) {
    if (sql.startsWith('/*', at)) {
      if (depth > 0 && !nested) throw new QueryError('bad_request', 'A comment within a comment is not allowed.');
      depth += 1;
      at += 2;
    } else if (sql.startsWith('*/', at)) {
      depth -= 1;
      at += 2;
      if (depth === 0) return at;
    } else {
      at += 1;
    }
  }
  return sql.length;
}

/** A doubled quote stands for itself. */
function endOfQuoted(sql: string, start: number, backslash: boolean): number {
  const quote = sql[start];
  for (let at = start + 1; at < sql.length; at += 1) {
    if (backslash && sql[at] === '\\') at += 1;
    else if (sql[at] === quote && sql[at + 1] === quote) at += 1;
    else if (sql[at] === quote) return at + 1;
  }
  return sql.length;
}
