/** The last event of a turn's stream: built from its row, parsed by followers, and awaited. */
import type { EventData, NewEvent, EventLog } from '../../../platform/event-log/port.ts';
import type { EntityManager } from '../../../db/orm.ts';
import { stateEvent, isOpen, followRun, runStream } from '../../runs/index.ts';
import type { DraftOutcome } from '../../workspace/index.ts';
import { ChatTurn } from '../entities.ts';
import { type ChatUsage, usageSoFar } from '../turns/model-turns.ts';
import { chatNotFound } from '../errors.ts';
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
type RecordedEnd = Pick<
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

/**
 * Reads whether a turn has ended. Only the digest of its text leaves the database.
 * @param em a fresh entity manager of the turn's team
 * @returns the last event of the turn's stream, once it has ended
 */
export async function recordedEnd(em: EntityManager, id: string): Promise<NewEvent | 'processing' | 'deleted'> {
  const turn = await em.findOne(ChatTurn, { id }, { exclude: ['text', 'searchText', 'question', 'systemPrompt'] });
  if (!turn) return 'deleted';
  if (isOpen(turn.status)) return 'processing';
  return turnEndEvent(turn, await storedTextDigest(em, id), await usageSoFar(em, turn));
}

/** The `textDigest` of a turn's text, computed by PostgreSQL. */
async function storedTextDigest(em: EntityManager, id: string): Promise<string> {
  const [row] = await em.execute<{ digest: string }[]>(
    `select left(translate(encode(sha256(convert_to(coalesce(text, ''), 'UTF8')), 'base64'), '+/', '-_'), 22) as digest
     from chat_turns where id = ?`,
    [id],
  );
  // The chat may have just been deleted: then there is no text, and nobody to notify.
  return row?.digest ?? '';
}

/**
 * Waits for the end of a turn.
 * @param em a fresh entity manager of the turn's team
 * @param signal ends the wait, not the turn
 * @returns the ended turn, or undefined if the signal fired first
 * @throws {NotFound} if its chat was deleted meanwhile
 */
export async function untilTurnEnded(
  log: EventLog,
  { id, chatId }: Pick<ChatTurn, 'id' | 'chatId'>,
  em: () => EntityManager,
  signal: AbortSignal,
): Promise<ChatTurn | undefined> {
  const deleted = new AbortController();
  const ending = async () => {
    const end = await recordedEnd(em(), id);
    // Its events are deleted with it, so nothing else would end the wait.
    if (end === 'deleted') deleted.abort(chatNotFound());
    return typeof end === 'string' ? undefined : end;
  };
  const following = { ending, signal: AbortSignal.any([signal, deleted.signal]) };
  // Read to the end: the last event says that the row is final.
  for await (const _event of followRun(log, runStream({ conversationId: chatId, runId: id }), following));
  const turn = signal.aborted ? undefined : await em().findOne(ChatTurn, { id });
  deleted.signal.throwIfAborted();
  if (turn === null) throw chatNotFound();
  return turn && isOpen(turn.status) ? undefined : turn;
}
