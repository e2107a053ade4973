/** The evidence for a claim, as shown next to a page. */
import type { Schema } from '../../api/client.ts';

export interface CitedExcerpt {
  text: string;
  /** Whether it occurs in the result, word for word. */
  verified: boolean;
  /** In the stored result; null if unknown. */
  offset: number | null;
}

/** A tool call, as far as it is known. */
export type EvidenceCall = Partial<Schema<'InvestigationToolCall'>> & { id: string };

/** Models and tools write titles and descriptions: show them as text. */
export interface Evidence {
  title: string;
  description: string;
  /** Absent if the tool call does not exist. */
  call?: EvidenceCall;
  /** Why it is missing, in a sentence. */
  missing?: string;
  excerpts: readonly CitedExcerpt[];
}

/** @returns the previous or next item, or undefined at the end */
export function neighbour<T>(order: readonly T[], current: T, by: 1 | -1): T | undefined {
  const at = order.indexOf(current);
  return at < 0 ? undefined : order[at + by];
}
