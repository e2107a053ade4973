/** The words of an SQL text without what is quoted or commented out: enough to say what a statement is, not to parse it. */

export interface Token {
  /** A word as written, in lower case; of a quoted identifier what is between the quotes; else one character. */
  text: string;
  kind: 'word' | 'identifier' | 'symbol';
}

export interface Dialect {
  /** Whether a backslash escapes in every string, or (as in PostgreSQL) in those that begin with E. */
  backslashEscapes: 'always' | 'with-e';
  nestedComments: boolean;
  dollarQuotes: boolean;
  /** Comments that go to the end of the line. */
  lineComments: readonly string[];
  /** Characters around identifiers. */
  identifierQuotes: readonly string[];
}

export const POSTGRESQL: Dialect = {
  backslashEscapes: 'with-e',
  nestedComments: true,
  dollarQuotes: true,
  lineComments: ['--'],
  identifierQuotes: ['"'],
};

export const CLICKHOUSE: Dialect = {
  backslashEscapes: 'always',
  nestedComments: false,
  dollarQuotes: true,
  lineComments: ['--', '#!', '# '],
  identifierQuotes: ['"', '`'],
};

const WORD = /[\p{L}_][\p{L}\p{N}_$]*/uy;
const DOLLAR_QUOTE = /\$(?:[\p{L}_][\p{L}\p{N}_]*)?\$/uy;
const SPACE = /\s+/uy;

/** @returns the tokens of a statement, in order; what is never closed goes to the end of the text */
export function tokensOf(sql: string, dialect: Dialect): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(sql)?.[0];
  };
  while (at < sql.length) {
    const char = sql[at]!;
    const space = match(SPACE);
    if (space) {
      at += space.length;
    } else if (sql.startsWith('/*', at)) {
      at = endOfComment(sql, at, dialect.nestedComments);
    } else if (dialect.lineComments.some((start) => sql.startsWith(start, at))) {
      const end = sql.indexOf('\n', at);
      at = end < 0 ? sql.length : end;
    } else if (char === "'") {
      const last = tokens.at(-1);
      const escaped = sql[at - 1]?.toLowerCase() === 'e' && last?.kind === 'word' && last.text === 'e';
      at = endOfQuoted(sql, at, dialect.backslashEscapes === 'always' || escaped);
    } else if (dialect.identifierQuotes.includes(char)) {
      const end = endOfQuoted(sql, at, dialect.backslashEscapes === 'always');
      tokens.push({ text: sql.slice(at + 1, end - 1), kind: 'identifier' });
      at = end;
    } else {
      const dollar = dialect.dollarQuotes ? match(DOLLAR_QUOTE) : undefined;
      const word = match(WORD);
      if (dollar) {
        const end = sql.indexOf(dollar, at + dollar.length);
        at = end < 0 ? sql.length : end + dollar.length;
      } else {
        tokens.push(word ? { text: word.toLowerCase(), kind: 'word' } : { text: char, kind: 'symbol' });
        at += word?.length ?? 1;
      }
    }
  }
  return tokens;
}

/** Names that stand before an opening parenthesis, as functions do; quoted ones as they are. */
export function calledNames(tokens: readonly Token[]): string[] {
  return tokens.flatMap((token, index) => {
    const next = tokens[index + 1];
    return token.kind !== 'symbol' && next?.kind === 'symbol' && next.text === '(' ? [token.text] : [];
  });
}

function endOfComment(sql: string, start: number, nested: boolean): number {
  let depth = 0;
  for (let at = start; at < sql.length;) {
    if (sql.startsWith('/*', at) && (nested || depth === 0)) {
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

/** A quote is doubled to stand for itself. */
function endOfQuoted(sql: string, start: number, backslash: boolean): number {
  const quote = sql[start];
  for (let at = start + 1; at < sql.length; at += 1) {
    if (backslash && sql[at] === '\\') at += 1;
    else if (sql[at] === quote && sql[at + 1] === quote) at += 1;
    else if (sql[at] === quote) return at + 1;
  }
  return sql.length;
}
