import { callsIn, readingStatement } from '../shared/sql/read-only.ts';
import { CLICKHOUSE, type Token } from '../shared/sql/tokens.ts';

/** Functions that reach other systems or the server's files; they are available even to users with `readonly=2`. */
const REACHING = new RegExp(
  `^(?:${[
    'url(?:cluster)?|file(?:cluster)?|remote(?:secure)?|input|executable|fuzzjson|fuzzquery|catboostevaluate|loop|hascolumnintable',
    '(?:s3|gcs|cosn|oss|hdfs|hive|azure|iceberg|deltalake|hudi|paimon|ytsaurus|arrowflight)\\w*',
    'mysql|postgresql|mongodb|redis|sqlite|jdbc|odbc',
  ].join('|')})$`,
  'u',
);

/** Table functions that stay within the server and its cluster. */
const STAYING = new Set(
  `cluster clusterallreplicas dictionary format generaterandom generate_series generateseries merge null numbers numbers_mt
  primes values view zeros zeros_mt`.split(/\s+/u),
);

/**
 * @param tableFunctions the server's own, if it lists them
 * @throws {QueryError} `bad_request` when the statement may do more than read
 */
export function readingClickhouse(sql: string, tableFunctions: readonly string[] = []): string {
  const known = new Set(tableFunctions.map((name) => name.toLowerCase()).filter((name) => !STAYING.has(name)));
  const isRefused = (name: string): boolean => known.has(name.toLowerCase()) || REACHING.test(name.toLowerCase());
  return readingStatement(sql, {
    dialect: CLICKHOUSE,
    statements: ['select', 'with', 'show', 'describe', 'desc', 'exists', 'explain'],
    problem: (tokens) => {
      if (tokens.some(({ kind, text }) => kind === 'identifier' && text.includes('\\')))
        return 'names with a backslash are not allowed.';
      if (setsSettings(tokens)) return 'SETTINGS are not allowed: they could lift the limits.';
      const refused = [...callsIn(tokens).map(({ name }) => name), ...appliedIn(tokens)].find(isRefused);
      return refused && `${refused}() may do more than read.`;
    },
  });
}

/** `SETTINGS name = value`, unlike a table or column named settings. */
function setsSettings(tokens: readonly Token[]): boolean {
  return tokens.some(
    ({ kind, text }, index) =>
      kind === 'word' &&
      text === 'settings' &&
      ['word', 'identifier'].includes(tokens[index + 1]?.kind ?? '') &&
      tokens[index + 2]?.text === '=',
  );
}

/** Functions called without parentheses of their own: `SELECT * APPLY(f)`. */
function appliedIn(tokens: readonly Token[]): string[] {
  return tokens.flatMap(({ kind, text }, index) => {
    if (kind !== 'word' || text !== 'apply') return [];
    return tokens.slice(index + 1, index + 3).map((token) => token.text);
  });
}
