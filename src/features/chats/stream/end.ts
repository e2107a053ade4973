/** The last event of a turn's stream, made from its row and read again by whoever follows the stream. */
import type { EventData, NewEvent } from '../../../platform/event-log/port.ts';
import { stateEvent } from '../../runs/index.ts';
import type { ChatTurn } from '../entities.ts';
import type { DraftOutcome } from '../../workspace/index.ts';
import type { ChatUsage } from '../usage.ts';
import type { UiChunk } from './chunks.ts';

/** What a stream's end says of its turn. */
export interface EndedTurn {
  status: 'completed' | 'failed' | 'cancelled';
  explanation: string;
  textDigest: string;
  citations: unknown;
  /** Charts that were drawn and changes that were made, as data parts. */
  results: UiChunk[];
  metadata: Record<string, unknown>;
}

/** An event holds at most 256 kB, and a character takes up to six bytes of JSON; all of it is with the chat. */
const DIFF_CHARACTERS = 10_000;
const CITATIONS_BYTES = 100_000;
const PATHS_BYTES = 40_000;
const CONFLICTS_BYTES = 20_000;

/** What is recorded of a turn's end, but for its words, which may be megabytes. */
export type RecordedEnd = Pick<
  ChatTurn,
  'status' | 'chatId' | 'number' | 'limitReached' | 'explanation' | 'citations' | 'outcome'
>;

/**
 * The key makes it the same event, whoever appends it. Charts travel as addresses: their points may be many.
 * @param digest the `textDigest` of what was said
 */
export function turnEndEvent(turn: RecordedEnd, digest: string, usage: ChatUsage): NewEvent {
  const { charts = [], changes } = turn.outcome ?? {};
  return stateEvent(`run.${turn.status}`, 'run:ended', {
    status: turn.status,
    chatId: turn.chatId,
    turn: turn.number,
    limit: turn.limitReached,
    explanation: turn.explanation,
    textDigest: digest,
    citations: within(CITATIONS_BYTES, turn.citations),
    charts: within(PATHS_BYTES, charts),
    ...(changes && { changes: shortened(changes) }),
    usage,
  });
}

function shortened(changes: DraftOutcome): DraftOutcome {
  const diff = changes.diff.slice(0, DIFF_CHARACTERS).toWellFormed();
  const paths = within(PATHS_BYTES, changes.paths);
  const conflicts = within(CONFLICTS_BYTES, changes.conflicts);
  const isCut = diff.length < changes.diff.length || paths.length < changes.paths.length;
  return { ...changes, diff, paths, conflicts, truncated: changes.truncated || isCut };
}

/** The first of the items that together take no more bytes as JSON. */
function within<T>(bytes: number, items: readonly T[]): T[] {
  let room = bytes;
  return items.filter((item) => (room -= Buffer.byteLength(JSON.stringify(item)) + 1) >= 0);
}

/** @returns undefined for any other event */
export function endedTurn(type: string, data: EventData): EndedTurn | undefined {
  const status = /^run\.(completed|failed|cancelled)$/.exec(type)?.[1];
  if (status !== 'completed' && status !== 'failed' && status !== 'cancelled') return undefined;
  const charts: unknown[] = Array.isArray(data['charts']) ? data['charts'] : [];
  const results = charts.map((id): UiChunk => ({ type: 'data-chart', id: `chart-${String(id)}`, data: {} }));
  if (data['changes']) results.push({ type: 'data-changes', id: 'changes', data: data['changes'] });
  const { chatId, limit, usage } = data;
  return {
    status,
    explanation: typeof data['explanation'] === 'string' ? data['explanation'] : `The turn is ${status}.`,
    textDigest: String(data['textDigest']),
    citations: data['citations'],
    results,
    metadata: { chatId, status, limit, usage },
  };
}
