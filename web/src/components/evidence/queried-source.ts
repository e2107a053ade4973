import type { EvidenceCall } from './evidence.ts';

/** The API marks the calls of investigations; those of chats arrive as the model made them. */
const RECORDED = 'incident:';

/** The source that a call queried, and whether it is a recording; undefined if it queried none. */
export function queriedSource({ source, input }: EvidenceCall): { id: string; recorded: boolean } | undefined {
  if (source) return source;
  if (source === null || typeof input !== 'object' || input === null || !('source' in input)) return undefined;
  const { source: id } = input;
  return typeof id === 'string' ? { id, recorded: id.startsWith(RECORDED) } : undefined;
}
