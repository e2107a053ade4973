/** What a query must not do, although it only reads: fetch from where it says, and so carry data there. */
import { QueryError } from '../connector.ts';

/** Comments, and literals: with three quotes, verbatim, and plain. */
const LITERALS =
  /\/\/[^\n]*|```[\s\S]*?```|~~~[\s\S]*?~~~|@"(?:[^"]|"")*"|@'(?:[^']|'')*'|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/gu;

/** Operators and plugins that connect to an address in the query. */
const REACHES_OUT = /\b(externaldata|adx|cluster|[a-z_]*http_request[a-z_]*|[a-z_]*(?:sql|twins_query)_request)\s*\(/iu;

/** What some take for the end of a line, and so of a comment. */
const ODD_LINE_END = /\r(?!\n)|[\u0085\u2028\u2029]/u;

/** @throws {QueryError} when the query would reach out, naming the function, or when comments could hide that */
export function assertStaysInside(query: string): void {
  if (ODD_LINE_END.test(query)) throw new QueryError('bad_request', 'lines of a query must end in \\n or \\r\\n');
  const bare = query.replaceAll(LITERALS, (literal) => (literal.startsWith('//') ? ' ' : '""'));
  const [, name] = REACHES_OUT.exec(bare) ?? [];
  if (name === undefined) return;
  throw new QueryError('bad_request', `${name} is not allowed: it connects to an address that the query names`);
}
