import { createHash, randomUUID } from 'node:crypto';
import { LockMode, UniqueConstraintViolationException } from '@mikro-orm/core';
import type { EntityManager } from '../../db/orm.ts';
import { forTeam } from '../../db/team-filter.ts';
import type { ContentBlock, ModelRequest, ModelResponse } from '../../platform/anthropic/port.ts';
import {
  buildMessages,
  Conversation,
  deliverMessages,
  loadTranscript,
  ModelTurn,
  ToolCall,
} from '../transcripts/index.ts';
import type { ModelTurnInput, ModelTurnResult } from './contract.ts';
import type { Attempt, RunDeps } from './deps.ts';
import { conversationStream, DeltaPublisher, messageEvent, stateEvent } from './events.ts';
import { untilReachable } from './persistence.ts';

/** An event holds at most 256 kB, and a character takes up to six bytes of JSON. */
const EVENT_TEXT_CHARACTERS = 30_000;

/**
 * One answer of the model, stored before it is reported. Idempotent by (conversation, step): when the turn is already
 * stored, the stored one is returned and the model is not called.
 * @throws {ModelError} when the model gave no complete answer
 */
export async function takeModelTurn(deps: RunDeps, input: ModelTurnInput, attempt: Attempt): Promise<ModelTurnResult> {
  const stored = await untilReachable(() => findTurn(deps, input), attempt.signal);
  if (stored) return announce(deps, input, stored, attempt);

  const request = await untilReachable(() => prepareRequest(deps, input), attempt.signal);
  const stream = conversationStream(input.conversationId);
  const base = { step: input.step, attempt: attempt.number };
  const nonce = randomUUID();
  const opening = [
    ...request.heard.map(messageEvent),
    stateEvent('turn.started', `turn:${input.step}:${nonce}`, { ...base, model: deps.model.model }),
  ];
  await untilReachable(() => deps.events.append(stream, opening), attempt.signal);
  const startedAt = deps.clock.now();
  const deltas = new DeltaPublisher(deps.events, input.conversationId, base, nonce, attempt.signal);
  const response = await deps.model
    .complete(request, { signal: attempt.signal, onDelta: (delta) => deltas.push(delta) })
    .catch((error: unknown) => {
      deltas.drop();
      throw error;
    });
  // First what was paid for; a log that is away, or refuses an event, must not cost the answer.
  const made = { startedAt, attempt: attempt.number };
  const turn = await untilReachable(() => storeTurn(deps, input, response, made), attempt.signal);
  await deltas.end();
  return announce(deps, input, turn, attempt);
}

interface StoredTurn {
  turn: ModelTurn;
  calls: ToolCall[];
}

async function findTurn(deps: RunDeps, input: ModelTurnInput): Promise<StoredTurn | undefined> {
  const em = forTeam(deps.orm.em, input.teamId);
  const { conversationId, step } = input;
  const turn = await em.findOne(ModelTurn, { conversationId, step });
  if (!turn) return undefined;
  return { turn, calls: await em.find(ToolCall, { conversationId, step }, { orderBy: { evidence: 'asc' } }) };
}

/** The request, and the messages that this turn is the first to read. */
async function prepareRequest(
  deps: RunDeps,
  input: ModelTurnInput,
): Promise<ModelRequest & { heard: { id: string; text: string }[] }> {
  const em = forTeam(deps.orm.em, input.teamId);
  const { conversationId, step } = input;
  const profile = deps.profiles[input.kind];
  await deliverMessages(em, conversationId, step);
  const conversation = await em.findOneOrFail(Conversation, { id: conversationId });
  const rows = await loadTranscript(em, conversationId, conversation.opening, step);
  const definitions = profile.tools.definitions();
  const conclude = input.mode === 'conclude';
  return {
    system: profile.system,
    messages: buildMessages(rows, { step, note: input.note }),
    // A transcript with tool calls needs the definitions of those tools also when only one of them may be called.
    tools: definitions,
    toolChoice: conclude ? { type: 'tool', name: profile.finishTool } : { type: 'auto' },
    maxTokens: profile.maxTokens,
    heard: rows.userMessages.filter(({ deliveredStep }) => deliveredStep === step),
  };
}

async function storeTurn(
  deps: RunDeps,
  input: ModelTurnInput,
  response: ModelResponse,
  made: { startedAt: Date; attempt: number },
): Promise<StoredTurn> {
  const { conversationId, teamId, step } = input;
  try {
    return await forTeam(deps.orm.em, teamId).transactional(async (em) => {
      const turn = em.create(ModelTurn, {
        teamId,
        conversationId,
        step,
        note: input.note ?? null,
        content: storable(response.content),
        stopReason: response.stopReason,
        provider: deps.model.provider,
        model: response.model,
        ...response.usage,
        costUsd: response.costUsd,
        attempt: made.attempt,
        startedAt: made.startedAt,
        finishedAt: deps.clock.now(),
      });
      // Evidence is numbered under this lock: a frozen attempt of an earlier step may store its calls at this moment.
      await em.findOneOrFail(Conversation, { id: conversationId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      const calls = await createToolCalls(deps, em, input, turn.content);
      await em.flush();
      return { turn, calls };
    });
  } catch (error) {
    // Another attempt of the same step was faster, or this one's commit arrived although its answer did not.
    if (!(error instanceof UniqueConstraintViolationException)) throw error;
    const stored = await findTurn(deps, input);
    if (!stored) throw error;
    return stored;
  }
}

async function createToolCalls(
  deps: RunDeps,
  em: EntityManager,
  input: ModelTurnInput,
  content: ContentBlock[],
): Promise<ToolCall[]> {
  const { conversationId, teamId, step } = input;
  const [last] = await em.find(ToolCall, { conversationId }, { orderBy: { evidence: 'desc' }, limit: 1 });
  const { tools } = deps.profiles[input.kind];
  let evidence = last?.evidence ?? 0;
  return content
    .filter((block) => block.type === 'tool_use')
    .map((block) =>
      em.create(ToolCall, {
        id: randomUUID(),
        teamId,
        conversationId,
        step,
        evidence: (evidence += 1),
        toolUseId: block.id,
        name: block.name,
        input: block.input,
        summary: tools.summarize(block.name, block.input),
        status: 'pending',
        digest: null,
        view: null,
        content: null,
        bytes: null,
        sha256: null,
        startedAt: null,
        finishedAt: null,
      }),
    );
}

async function announce(
  deps: RunDeps,
  input: ModelTurnInput,
  { turn, calls }: StoredTurn,
  attempt: Attempt,
): Promise<ModelTurnResult> {
  const text = turn.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
  const event = stateEvent('turn.completed', `turn:${turn.step}:completed`, {
    step: turn.step,
    attempt: turn.attempt,
    // An event is bounded; the whole text is with the investigation.
    text: text.slice(0, EVENT_TEXT_CHARACTERS),
    stopReason: turn.stopReason,
    model: turn.model,
    costUsd: turn.costUsd,
    toolCalls: calls.map((call) => ({ id: call.id, evidence: call.evidence, name: call.name, summary: call.summary })),
  });
  await untilReachable(() => deps.events.append(conversationStream(input.conversationId), [event]), attempt.signal);
  const { tools } = deps.profiles[input.kind];
  return {
    step: turn.step,
    stopReason: turn.stopReason,
    costUsd: turn.costUsd,
    toolCalls: calls.map((call) => ({
      toolCallId: call.id,
      evidence: call.evidence,
      name: call.name,
      summary: call.summary,
      fingerprint: fingerprint(call.name, call.input),
      timeoutSeconds: tools.get(call.name)?.timeoutSeconds,
    })),
  };
}

/** Equal for calls that ask for the same; key order does not matter, since rows come back from jsonb in its own order. */
function fingerprint(name: string, input: unknown): string {
  return createHash('sha256').update(name).update(canonicalJson(input)).digest('base64url').slice(0, 16);
}

function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, nested: unknown) =>
    nested !== null && typeof nested === 'object' && !Array.isArray(nested)
      ? Object.fromEntries(Object.entries(nested).sort(([a], [b]) => (a < b ? -1 : 1)))
      : nested,
  );
}

/** PostgreSQL's jsonb has no NUL character. */
function storable(content: ContentBlock[]): ContentBlock[] {
  const restored: ContentBlock[] = JSON.parse(JSON.stringify(content).replaceAll('\\u0000', '\\ufffd'));
  return restored;
}
