import { createHash } from 'node:crypto';
import type { EntityManager } from '../../db/orm.ts';
import { grants, requireOneOf, type Principal } from '../../http/authenticate.ts';
import { NotFound } from '../../http/errors.ts';
import { isUuid } from '../../platform/uuid.ts';
import { deleteInParts } from '../../db/delete-in-parts.ts';
import { capabilityOf, type EvidenceReader, type StoredEvidence } from '../tools/index.ts';
import { Conversation, Message, ModelTurn, ToolCall, AuxiliaryCall } from './entities.ts';
import type { TranscriptRows } from './messages.ts';

/** sha256 of a stored tool result, as citations carry it. */
export function contentDigest(content: string): string {
  return createHash('sha256').update(content, 'utf8').digest('hex');
}

/** The order of messages. */
export const SAID_ORDER = { createdAt: 'asc', position: 'asc', id: 'asc' } as const;

/**
 * Everything said in a conversation before a step, ready for `buildMessages`; compacted parts only as their summary.
 * @param em bound to the conversation's team
 */
export async function loadTranscript(
  em: EntityManager,
  conversation: Pick<Conversation, 'id' | 'opening' | 'summary' | 'summaryThroughStep'>,
  beforeStep: number,
): Promise<TranscriptRows> {
  const { id: conversationId, opening, summary, summaryThroughStep } = conversation;
  const step = { $gt: summaryThroughStep, $lt: beforeStep };
  // In parallel, because the first word waits for this.
  const [turns, toolCalls, messages] = await Promise.all([
    em.find(ModelTurn, { conversationId, step }, { orderBy: { step: 'asc' } }),
    em.find(ToolCall, { conversationId, step }, { orderBy: { evidence: 'asc' }, populate: ['view'] }),
    em.find(
      Message,
      { conversationId, deliveredStep: { $gt: summaryThroughStep, $lte: beforeStep } },
      { orderBy: SAID_ORDER },
    ),
  ]);
  return { opening, summary, turns, toolCalls, messages };
}

/** Marks waiting messages as read by this step; repeating the step marks the same ones. */
export async function deliverMessages(em: EntityManager, conversationId: string, step: number): Promise<void> {
  await em.nativeUpdate(
    Message,
    { conversationId, deliveredStep: null },
    { deliveredStep: step, updatedAt: new Date() },
  );
}

/**
 * Reads stored results for tools and the citation checker: by number within a conversation, by id within its team.
 * @param actor who reads; without one nothing is read of other conversations
 */
export function evidenceReader(
  em: EntityManager,
  conversationId: string,
  actor: { scopes: readonly string[]; readScopes: ReadScopes } = { scopes: [], readScopes: {} },
): EvidenceReader {
  const mayRead = async (id: string): Promise<boolean> => {
    if (id === conversationId) return true;
    const conversation = await em.findOne(Conversation, { id });
    return conversation !== null && grants(actor.scopes, readScopeOf(actor.readScopes, conversation.kind));
  };
  return {
    async read(evidence) {
      // Results are large and read once, so they do not stay in the entity manager.
      const options = { populate: ['content'], disableIdentityMap: true } as const;
      const call = await em.findOne(ToolCall, { conversationId, evidence, status: 'completed' }, options);
      return call ? toStoredEvidence(call, call.content ?? '') : undefined;
    },
    async readById(toolCallId) {
      if (!isUuid(toolCallId.toLowerCase())) return undefined;
      const options = { populate: ['content'], disableIdentityMap: true } as const;
      const call = await em.findOne(ToolCall, { id: toolCallId, status: 'completed' }, options);
      return call && (await mayRead(call.conversationId)) ? toStoredEvidence(call, call.content ?? '') : undefined;
    },
  };
}

/** Per result; enough for a report without a model, however much a tool returned. */
const EVIDENCE_CHARACTERS = 200_000;

/** All completed results of a conversation by evidence number, each truncated to 200,000 characters. */
export async function loadEvidence(em: EntityManager, conversationId: string): Promise<StoredEvidence[]> {
  const calls = await em.find(ToolCall, { conversationId, status: 'completed' }, { orderBy: { evidence: 'asc' } });
  const heads = await em.execute<{ id: string; head: string; characters: number }[]>(
    'select id, left(content, ?) as head, length(content) as characters from tool_calls where id = any(?::uuid[])',
    [EVIDENCE_CHARACTERS, `{${calls.map(({ id }) => id).join(',')}}`],
  );
  const headOf = new Map(heads.map((head) => [head.id, head]));
  return calls.map((call) => {
    const { head = '', characters } = headOf.get(call.id) ?? {};
    return { ...toStoredEvidence(call, head), characters };
  });
}

/** The source that a tool call queries; undefined if it queries none. */
export function sourceOfCall({ name, input, source }: Pick<ToolCall, 'name' | 'input' | 'source'>): string | undefined {
  if (source) return source;
  if (capabilityOf(name) === undefined || typeof input !== 'object' || input === null) return undefined;
  return 'source' in input && typeof input.source === 'string' ? input.source : undefined;
}

/** A conversation in which a source was queried. */
export interface Queried {
  conversation_id: string;
  kind: string;
  /** The last time. */
  at: Date;
}

/** The conversations of these kinds that last queried a source, newest first. */
export async function conversationsThatQueried(
  em: EntityManager,
  teamId: string,
  source: string,
  { kinds, limit }: { kinds: readonly string[]; limit: number },
): Promise<Queried[]> {
  const rows: { conversation_id: string; kind: string; at: string }[] = await em.execute(
    `select c.id as conversation_id, c.kind, max(t.finished_at) as at
       from tool_calls t join conversations c on c.id = t.conversation_id and c.deleted_at is null
      where t.team_id = ? and t.source = ? and t.finished_at is not null and c.kind = any(?::text[])
      group by c.id order by at desc limit ?`,
    [teamId, source, `{${kinds.join(',')}}`, limit],
  );
  return rows.map(({ at, ...row }) => ({ ...row, at: new Date(at) }));
}

function toStoredEvidence(call: Omit<ToolCall, 'content' | 'view'>, content: string): StoredEvidence {
  const source = sourceOfCall(call);
  return {
    evidence: call.evidence,
    toolCallId: call.id,
    tool: call.name,
    ...(source !== undefined && { source }),
    content,
    sha256: call.sha256 ?? contentDigest(content),
  };
}

/**
 * Closes a run of a conversation: nothing is added to its steps from here on, and unfinished calls are over.
 * @param em in the transaction that holds the conversation's lock
 * @param firstStep of the run
 * @returns the last of its steps; the one before the first if there are none
 */
export async function closeSteps(em: EntityManager, conversation: Conversation, firstStep = 1): Promise<number> {
  const { id: conversationId } = conversation;
  await em.nativeUpdate(
    ToolCall,
    { conversationId, step: { $gte: firstStep }, status: 'pending' },
    { status: 'cancelled', isError: true, digest: 'The call was not finished.', updatedAt: new Date() },
  );
  const [last] = await em.find(ModelTurn, { conversationId }, { orderBy: { step: 'desc' }, limit: 1 });
  const lastStep = Math.max(last?.step ?? 0, firstStep - 1);
  // A step starts only once the previous one is stored, so at most one more is running.
  conversation.closedThroughStep = Math.max(conversation.closedThroughStep, lastStep + 1);
  return lastStep;
}

/** What a key must grant to see what was found in a run, by kind. */
export type ReadScopes = Readonly<Record<string, string>>;

/** The scope to see what was found in a run of this kind; of a kind that no room declares, that of admins. */
export const readScopeOf = (readScopes: ReadScopes, kind: string): string => readScopes[kind] ?? 'team:admin';

/** The kinds of runs whose findings these scopes let somebody see. */
export const readableKinds = (readScopes: ReadScopes, scopes: readonly string[]): string[] =>
  Object.keys(readScopes).filter((kind) => grants(scopes, readScopes[kind]!));

/**
 * A tool call with its content, for a caller who may read its conversation.
 * @throws {Forbidden} if the caller may not read that kind of conversation
 * @throws {NotFound} if the team has no such call
 */
export async function readableToolCall(
  { readScopes }: { readScopes: ReadScopes },
  em: EntityManager,
  principal: Principal,
  id: string,
): Promise<ToolCall> {
  requireOneOf(principal, ...Object.values(readScopes));
  const call = await em.findOne(ToolCall, { id }, { populate: ['content'] });
  const conversation = call && (await em.findOne(Conversation, { id: call.conversationId }));
  if (!conversation) throw new NotFound('Tool result not found.');
  requireOneOf(principal, readScopeOf(readScopes, conversation.kind));
  return call;
}

const withDeleted = { filters: { present: false } };

/**
 * Deletes conversations with everything that was said in them. In steps that each persist: an interrupted
 * deletion resumes.
 * @param em bound to their team, outside of a transaction
 * @param purgeRuns deletes the runs in which it was said
 * @param signal aborts it
 */
export async function purgeConversations(
  em: EntityManager,
  conversationIds: readonly string[],
  purgeRuns: () => Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  const ids = { $in: [...conversationIds] };
  // First: whoever still adds to one holds its lock, and whoever comes later finds it gone.
  await em.nativeUpdate(Conversation, { id: ids }, { deletedAt: new Date() });
  await purgeRuns();
  const said = { conversationId: ids };
  await deleteInParts(em, ToolCall, said, signal);
  await deleteInParts(em, ModelTurn, said, signal);
  await deleteInParts(em, Message, said, signal);
  await deleteInParts(em, AuxiliaryCall, said, signal);
  await em.nativeDelete(Conversation, { id: ids }, withDeleted);
}
