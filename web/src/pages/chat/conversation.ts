/** Merges the stored part of a chat with the part being streamed. */
import type { Part, StoredMessage, Turn } from './parts.ts';
import type { ChatMessage } from './transport.ts';

export interface Shown {
  id: string;
  role: 'user' | 'assistant';
  parts: readonly Part[];
  /** Of a stored answer. */
  turn: Turn | null;
  createdAt: string | undefined;
  /** Still streaming, so more may come. */
  isLive: boolean;
  /** The limit that a streamed answer has reached. */
  limit: string | null;
}

/**
 * Shows a turn from its stream until it is fully stored, and its question as typed until it is stored at all.
 * @param stored oldest first, all messages of a turn together, its answer last
 * @param live questions and answers; an answer's id is its turn's
 */
export function conversation(stored: readonly StoredMessage[], live: readonly ChatMessage[]): Shown[] {
  const byId = new Map(live.map((message) => [message.id, message]));
  const shown = stored.map((message): Shown => {
    const streamed = byId.get(message.id);
    const isOver = message.turn?.status !== 'processing';
    return streamed === undefined || isOver ? storedAs(message) : { ...liveAs(streamed), turn: message.turn };
  });
  const known = new Set(stored.map(({ id }) => id));
  const unknown = live.filter((message, index) => {
    if (message.role === 'assistant') return !known.has(message.id);
    const answer = live[index + 1];
    return answer?.role !== 'assistant' || !known.has(answer.id);
  });
  return [...shown, ...unknown.map(liveAs)];
}

const storedAs = ({ id, role, parts, turn, created_at: createdAt }: StoredMessage): Shown => ({
  id,
  role,
  parts,
  turn,
  createdAt,
  isLive: false,
  limit: turn?.limit_reached ?? null,
});

const liveAs = ({ id, role, parts, metadata }: ChatMessage): Shown => ({
  id,
  role: role === 'user' ? 'user' : 'assistant',
  parts,
  turn: null,
  createdAt: undefined,
  isLive: role === 'assistant',
  limit: metadata?.limit ?? null,
});

/** Whether everything that was streamed is fully stored. */
export const isStored = (stored: readonly StoredMessage[], live: readonly ChatMessage[]): boolean =>
  live.every(
    ({ id, role }) =>
      role === 'user' || stored.some((message) => message.id === id && message.turn?.status !== 'processing'),
  );
