/** What a request requires of the current content, by its headers (RFC 9110, 13.1). */
import { createHash } from 'node:crypto';
import { changedSince } from './errors.ts';

/** The ETag of a content. */
export const entityTag = (id: string): string => `"${id}"`;

/** The id that Git gives a content. */
export function contentId(content: string): string {
  const bytes = Buffer.from(content);
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}

export interface Preconditions {
  'if-match'?: string;
  'if-none-match'?: string;
}

/**
 * @param id of the current content; null if there is none
 * @throws {PreconditionFailed} 412
 */
export function checkPreconditions(path: string, id: string | null, given: Preconditions): void {
  const { 'if-match': match, 'if-none-match': noneMatch } = given;
  if (match !== undefined && !names(match, id)) throw changedSince(path, id);
  if (noneMatch !== undefined && names(noneMatch, id)) throw changedSince(path, id);
}

/** Whether a list of entity tags names a content. Ours are strong, so that a weak one is as good. */
function names(tags: string, id: string | null): boolean {
  if (id === null) return false;
  return tags.split(',').some((tag) => ['*', entityTag(id), `W/${entityTag(id)}`, id].includes(tag.trim()));
}
