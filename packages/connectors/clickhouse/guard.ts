import { readingStatement } from '../shared/sql/read-only.ts';
import { CLICKHOUSE } from '../shared/sql/tokens.ts';

/** Table functions that reach other systems or the server's files; a user who may set nothing has them in `readonly=2`. */
const REFUSED_FUNCTIONS = new RegExp(
  `^(?:${[
    'url(?:cluster)?|file(?:cluster)?|remote(?:secure)?|input|executable|fuzzjson|catboostevaluate',
    '(?:s3|gcs|cosn|oss|hdfs|hive|azure|iceberg|deltalake|hudi|paimon|ytsaurus|arrowflight)\\w*',
    'mysql|postgresql|mongodb|redis|sqlite|jdbc|odbc',
  ].join('|')})$`,
  'u',
);

const rules = {
  dialect: CLICKHOUSE,
  statements: ['select', 'with', 'show', 'describe', 'desc', 'exists', 'explain'],
  refusedFunctions: REFUSED_FUNCTIONS,
};

/** @throws {QueryError} `bad_request` when the statement does more than read, as far as its text shows */
export const readingClickhouse = (sql: string): string => readingStatement(sql, rules);
