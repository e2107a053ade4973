import { createHash } from 'node:crypto';
import { line } from './text.ts';

/** A longer fingerprint is replaced by its digest. */
const LONGEST_GIVEN = 200;

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

/**
 * Identifies an alert across all reports of its tool. Fingerprints of different tools never collide.
 * @param given the tool's own identifier, if any
 * @param identity names and values that distinguish the alert; never texts that change during its life
 */
export function fingerprintOf(source: string, given: string | undefined, identity: Record<string, string>): string {
  const plain = given?.trim();
  if (plain) return `${source}:${plain.length > LONGEST_GIVEN ? digest(plain) : line(plain, LONGEST_GIVEN)}`;
  const pairs = Object.entries(identity).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `${source}:${digest(JSON.stringify([source, pairs]))}`;
}

/** A title without its state: the same when the alert fires and when it resolves. */
export const bareTitle = (title: string): string =>
  title
    .replace(
      /^(\s*\[\s*(firing|alerting|triggered|re-triggered|resolved|recovered|ok|no ?data|warn(ing)?|pending)\b[^\]]*\])+/i,
      '',
    )
    .trim() || title.trim();
