/** Filters in Google's languages for log entries and metrics, made of parts: a value is always one quoted string. */
import { QueryError } from '../connector.ts';
import { toRfc3339 } from '../shared/http-api/parameters.ts';

/** JSON's escapes are among those of the languages; lone surrogates are no text. */
export const quote = (text: string): string => JSON.stringify(text.toWellFormed());

const PLAIN = /^[A-Za-z_][A-Za-z0-9_]*$/u;

/** The path of a field; members that are no identifiers, such as `k8s-pod/app`, are quoted. */
export const field = (...path: string[]): string =>
  path.map((member) => (PLAIN.test(member) ? member : quote(member))).join('.');

/** `field = "value"` of each member. */
export function labelsEqual(path: readonly string[], labels: Record<string, string> = {}): string[] {
  return Object.entries(labels).map(([key, value]) => `${field(...path, key)} = ${quote(value)}`);
}

/** Entries of a half-open range of time. @throws {QueryError} when it is empty */
export function timeRange(from: number, to: number): string[] {
  if (to <= from) throw new QueryError('bad_request', 'the time range ends before it starts');
  return [`timestamp >= ${quote(toRfc3339(from))}`, `timestamp < ${quote(toRfc3339(to))}`];
}

/** All of these conditions. */
export const all = (conditions: readonly string[]): string => conditions.join(' AND ');

/** One of these conditions. */
export const any = (conditions: readonly string[]): string => `(${conditions.join(' OR ')})`;

/**
 * A filter that somebody else wrote, as one condition among others: whatever it says, it stays in its parentheses.
 * @throws {QueryError} when parentheses or quotes do not match, or for what could hide that: comments, other quotes
 */
export function asCondition(filter: string): string {
  const bare = filter.replaceAll(/"(?:[^"\\]|\\.)*"/gsu, ' ');
  if (/["'\\]|--/u.test(bare)) {
    throw new QueryError(
      'bad_request',
      'the filter must have its texts in double quotes, each with an end, and no comments (--)',
    );
  }
  let depth = 0;
  for (const character of bare) {
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    if (depth < 0) break;
  }
  if (depth !== 0) throw new QueryError('bad_request', 'the parentheses of the filter do not match');
  return `(${filter})`;
}
