import { createHash } from 'node:crypto';
import { line } from './text.ts';

/** A longer one is replaced by its digest. */
const LONGEST_GIVEN = 200;

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

/**
 * What names an alert, the same whenever its tool speaks of it. Those of different tools never meet.
 * @param given what the tool says it is, if it says so
 * @param identity what tells it from others: names and values; never texts that change while it is the same alert
 */
export function fingerprintOf(source: string, given: string | undefined, identity: Record<string, string>): string {
  const plain = given?.trim();
  if (plain) return `${source}:${plain.length > LONGEST_GIVEN ? digest(plain) : line(plain, LONGEST_GIVEN)}`;
  const pairs = Object.entries(identity).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `${source}:${digest(JSON.stringify([source, pairs]))}`;
}

/** A title without what it says of the state: the same when the alert fires and when it is over. */
export const bareTitle = (title: string): string =>
  title
    .replace(
      /^(\s*\[\s*(firing|alerting|triggered|re-triggered|resolved|recovered|ok|no ?data|warn(ing)?|pending)\b[^\]]*\])+/i,
      '',
    )
    .trim() || title.trim();
