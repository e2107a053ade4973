/** What a claim rests on, as it is shown beside a page. */
import type { Schema } from '../../api/client.ts';

export interface CitedExcerpt {
  text: string;
  /** Whether it stands in the result, word for word. */
  verified: boolean;
  /** In the stored result; null: not known. */
  offset: number | null;
}

/** A tool call, as far as it is known. */
export type EvidenceCall = Partial<Schema<'InvestigationToolCall'>> & { id: string };

/** Titles and descriptions are written by models and tools: they are shown as text. */
export interface Evidence {
  title: string;
  description: string;
  /** Absent: there is no such tool call. */
  call?: EvidenceCall;
  /** Why there is none, in a sentence. */
  missing?: string;
  excerpts: readonly CitedExcerpt[];
}

/** @returns the one before or after, or undefined at the end */
export function neighbour<T>(order: readonly T[], current: T, by: 1 | -1): T | undefined {
  const at = order.indexOf(current);
  return at < 0 ? undefined : order[at + by];
}
