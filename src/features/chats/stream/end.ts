/** The last event of a turn's stream: built from its row, parsed by followers. */
import type { EventData, NewEvent } from '../../../platform/event-log/port.ts';
import { stateEvent } from '../../runs/index.ts';
import type { ChatTurn } from '../entities.ts';
import type { DraftOutcome } from '../../workspace/index.ts';
import type { ChatUsage } from '../usage.ts';
import type { UiChunk } from './chunks.ts';

/** What the end of a stream says about its turn. */
export interface EndedTurn {
  status: 'completed' | 'failed' | 'cancelled';
  explanation: string;
  textDigest: string;
  citations: unknown;
  /** Charts and changes, as data parts. */
  results: UiChunk[];
  metadata: Record<string, unknown>;
}

/** An event holds at most 256 kB, and a character takes up to six bytes of JSON; the chat has all of it. */
const DIFF_CHARACTERS = 10_000;
const CITATIONS_BYTES = 100_000;
const PATHS_BYTES = 40_000;
const CONFLICTS_BYTES = 20_000;

/** The recorded end of a turn without its text, which may be megabytes. */
export type RecordedEnd = Pick<
  ChatTurn,
  'status' | 'chatId' | 'number' | 'limitReached' | 'explanation' | 'citations' | 'outcome'
>;

/**
 * The key makes it the same event, whoever appends it. Charts travel as references: they may have many points.
 * @param digest the `textDigest` of the text
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

/** The first items that together stay within this many bytes of JSON. */
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
