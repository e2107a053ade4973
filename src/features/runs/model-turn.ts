/** One turn of the model: asked for, stored and announced; and what it said, equal for readers of stream and row. */
import { randomUUID, createHash } from 'node:crypto';
import { LockMode, UniqueConstraintViolationException } from '@mikro-orm/core';
import type { EntityManager } from '../../db/orm.ts';
import {
  type ContentBlock,
  type ModelDelta,
  type ModelRequest,
  type ModelResponse,
  type ToolChoice,
  CUT_OFF,
} from '../../platform/anthropic/port.ts';
import { reaching, untilReachable, type Reach } from '../../db/reach.ts';
import { storableJson, storableText } from '../../platform/storable.ts';
import {
  buildMessages,
  Conversation,
  deliverMessages,
  loadTranscript,
  ModelTurn,
  ToolCall,
} from '../transcripts/index.ts';
import { isOpen, type ModelTurnInput, type ModelTurnResult } from './contract.ts';
import { type Attempt, type RunDeps, needsApproval, type RunProfile } from './kind.ts';
import { Run } from './entities.ts';
import { RunClosed } from './service.ts';
import { DeltaPublisher, messageEvent, runStream, stateEvent } from './events.ts';
import { fingerprint } from './approvals.ts';

/** An event holds at most 256 kB, and a character takes up to six bytes of JSON. */
const EVENT_TEXT_CHARACTERS = 30_000;
/** Maximum JSON input of one call in an event, and of all its calls together. */
const EVENT_INPUT_CHARACTERS = 4_000;
const EVENT_INPUTS_CHARACTERS = 24_000;

/**
 * One answer of the model, stored before it is reported. Idempotent by (conversation, step): a stored turn is returned
 * without calling the model.
 * @throws {ModelError} if the model gave no complete answer
 * @throws {RunClosed} if the run has ended
 */
export async function takeModelTurn(deps: RunDeps, input: ModelTurnInput, attempt: Attempt): Promise<ModelTurnResult> {
  const reach = reaching(deps, input, attempt);
  const prepared = await reach((em) => prepare(deps, em, input));
  if ('stored' in prepared) return announce(deps, input, prepared.stored, prepared, attempt.signal);

  const { request, profile, run, heard } = prepared;
  const nonce = randomUUID();
  const base = { step: input.step, attempt: attempt.number, nonce };
  const opening = [
    ...heard.map(messageEvent),
    stateEvent('turn.started', `turn:${input.step}:${nonce}`, { ...base, model: request.model ?? deps.model.model }),
  ];
  const startedAt = deps.clock.now();
  const deltas = new DeltaPublisher(deps.events, runStream(input), base, opening, attempt.signal);
  const spoken = new SpokenSoFar();
  const onDelta = (delta: ModelDelta): void => {
    const shown = delta.kind === 'tool_call' ? delta : { ...delta, text: storableText(delta.text) };
    spoken.add(shown);
    deltas.push(shown);
  };
  const made = { startedAt, attempt: attempt.number };
  try {
    const answered = await deps.model.complete(request, { signal: attempt.signal, onDelta });
    const response = withClosing(answered, profile, onDelta);
    // Store what was paid for first: a log that is away, or refuses an event, must not cost the answer.
    const stored = await reach((em) => storeTurn(deps, em, input, { profile, response, made }));
    await deltas.end();
    return await announce(deps, input, stored, prepared, attempt.signal);
  } catch (error) {
    const cancelled = attempt.signal.aborted && attempt.cancelRequested();
    deltas.drop();
    const response = cancelled ? spoken.response(request.model ?? deps.model.model) : undefined;
    if (response) await keepCutOff(deps, input, { profile, run, response, made }, reach);
    throw error;
  }
}

/** An answer with the profile's last word: it is said and stored as the model's own. */
function withClosing(
  response: ModelResponse,
  { closing }: RunProfile,
  say: (delta: ModelDelta) => void,
): ModelResponse {
  const isAnswer = response.stopReason === 'end_turn' && !response.content.some(({ type }) => type === 'tool_use');
  const said = response.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');
  if (closing === undefined || !isAnswer || said.trim() === '' || said.includes(closing)) return response;
  const text = `\n\n${closing}`;
  say({ kind: 'text', text });
  return { ...response, content: [...response.content, { type: 'text', text, citations: null }] };
}

/** The run was cancelled while the model spoke: keep the text so far. Its cost is unknown. */
async function keepCutOff(
  deps: RunDeps,
  input: ModelTurnInput,
  answer: Answer & { run: Run },
  reach: Reach,
): Promise<void> {
  const signal = AbortSignal.timeout(CUT_OFF_STORE_MS);
  try {
    const stored = await reach((em) => storeTurn(deps, em, input, answer), signal);
    await announce(deps, input, stored, answer, signal);
  } catch (error) {
    deps.log.warn({ err: error, step: input.step }, 'the words of a cancelled model turn were not kept');
  }
}

/** How long a cancellation waits for the text it cut off to be stored. */
const CUT_OFF_STORE_MS = 5_000;

interface StoredTurn {
  turn: ModelTurn;
  calls: ToolCall[];
}

async function findTurn(em: EntityManager, { conversationId, step }: ModelTurnInput): Promise<StoredTurn | undefined> {
  const turn = await em.findOne(ModelTurn, { conversationId, step });
  if (!turn) return undefined;
  return { turn, calls: await em.find(ToolCall, { conversationId, step }, { orderBy: { evidence: 'asc' } }) };
}

type Prepared =
  | { stored: StoredTurn; profile: RunProfile; run: Run }
  /** `heard`: the messages this turn is the first to read. */
  | { request: ModelRequest; profile: RunProfile; run: Run; heard: { id: string; text: string }[] };

async function prepare(deps: RunDeps, em: EntityManager, input: ModelTurnInput): Promise<Prepared> {
  const { conversationId, runId = conversationId, step } = input;
  const [stored, run, conversation] = await Promise.all([
    findTurn(em, input),
    em.findOne(Run, { id: runId }),
    em.findOne(Conversation, { id: conversationId }),
  ]);
  if (!run) throw new RunClosed();
  const profile = await deps.profiles[input.kind](run);
  if (stored) return { stored, profile, run };
  if (!conversation || !isOpen(run.status) || step <= conversation.closedThroughStep) throw new RunClosed();
  // A dialogue's messages exist before its run starts.
  if (conversation.opening !== null) await deliverMessages(em, conversationId, step);
  const rows = await loadTranscript(em, conversation, step);
  const request: ModelRequest = {
    system: profile.system,
    messages: buildMessages(rows, { step, note: input.note }),
    // A transcript with tool calls needs the definitions of all its tools, even if only one may be called.
    tools: profile.tools.definitions(),
    toolChoice: input.mode === 'conclude' ? concludingChoice(profile) : { type: 'auto' },
    maxTokens: profile.maxTokens,
    model: profile.model,
  };
  return { request, profile, run, heard: rows.messages.filter(({ deliveredStep }) => deliveredStep === step) };
}

function concludingChoice({ finishTool }: RunProfile): ToolChoice {
  return finishTool === undefined ? { type: 'none' } : { type: 'tool', name: finishTool };
}

interface Answer {
  profile: RunProfile;
  response: ModelResponse;
  made: { startedAt: Date; attempt: number };
}

async function storeTurn(
  deps: RunDeps,
  rows: EntityManager,
  input: ModelTurnInput,
  { profile, response, made }: Answer,
): Promise<StoredTurn> {
  const { conversationId, teamId, step } = input;
  // Before the transaction: an answer may be long.
  const content = storableJson(response.content);
  try {
    return await rows.transactional(async (em) => {
      const turn = em.create(ModelTurn, {
        teamId,
        conversationId,
        step,
        note: input.note ?? null,
        content,
        stopReason: response.stopReason,
        provider: deps.model.provider,
        model: response.model,
        ...response.usage,
        costUsd: response.costUsd,
        attempt: made.attempt,
        startedAt: made.startedAt,
        finishedAt: deps.clock.now(),
      });
      // Number evidence under this lock: a frozen attempt of an earlier step may store its calls at the same time.
      const lockMode = LockMode.PESSIMISTIC_WRITE;
      const conversation = await em.findOneOrFail(Conversation, { id: conversationId }, { lockMode });
      if (step <= conversation.closedThroughStep) throw new RunClosed();
      // The usage of a cut-off turn is unknown, so keep the last known size.
      if (turn.stopReason !== CUT_OFF) conversation.contextTokens = contextTokens(turn);
      const calls = await createToolCalls(profile, em, input, turn.content);
      await em.flush();
      return { turn, calls };
    });
  } catch (error) {
    // Another attempt of the step was faster, or this one's commit succeeded without an acknowledgement.
    if (!(error instanceof UniqueConstraintViolationException)) throw error;
    const stored = await findTurn(rows.fork(), input);
    if (!stored) throw error;
    return stored;
  }
}

async function createToolCalls(
  { tools }: RunProfile,
  em: EntityManager,
  input: ModelTurnInput,
  content: ContentBlock[],
): Promise<ToolCall[]> {
  const { conversationId, teamId, step } = input;
  const [last] = await em.find(ToolCall, { conversationId }, { orderBy: { evidence: 'desc' }, limit: 1 });
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
  { profile: { tools }, run }: { profile: RunProfile; run: Run },
  signal: AbortSignal,
): Promise<ModelTurnResult> {
  const text = turn.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
  const event = stateEvent('turn.completed', `turn:${turn.step}:completed`, {
    step: turn.step,
    attempt: turn.attempt,
    // Events are bounded; the investigation has the whole text.
    text: text.slice(0, EVENT_TEXT_CHARACTERS),
    stopReason: turn.stopReason,
    model: turn.model,
    costUsd: turn.costUsd,
    /** Digest of the stored attempt's deltas. */
    spoken: spokenDigest(spokenParts(turn.content)),
    toolCalls: describeRequested(calls),
  });
  await untilReachable(() => deps.events.append(runStream(input), [event]), signal);
  return {
    step: turn.step,
    stopReason: turn.stopReason,
    costUsd: turn.costUsd,
    toolCalls: calls.map((call) => ({
      toolCallId: call.id,
      evidence: call.evidence,
      name: call.name,
      summary: call.summary,
      fingerprint: tools.get(call.name)?.repeatable ? call.id : fingerprint(call.name, call.input),
      timeoutSeconds: tools.get(call.name)?.timeoutSeconds,
      needsApproval: needsApproval(tools.get(call.name), run, call.input) || undefined,
    })),
    spoke: text.trim() !== '',
    contextTokens: contextTokens(turn),
  };
}

/** Only small inputs; the call has the whole. */
function describeRequested(calls: readonly ToolCall[]): Record<string, unknown>[] {
  let room = EVENT_INPUTS_CHARACTERS;
  return calls.map(({ id, evidence, name, summary, input }) => {
    const length = (JSON.stringify(input) ?? '').length;
    const fits = length <= Math.min(room, EVENT_INPUT_CHARACTERS);
    if (fits) room -= length;
    return { id, evidence, name, summary, ...(fits && { input }) };
  });
}

function contextTokens(turn: Pick<ModelTurn, keyof ModelResponse['usage']>): number {
  return turn.inputTokens + turn.cacheCreationInputTokens + turn.cacheReadInputTokens + turn.outputTokens;
}

/** A stretch of text or thinking without a tool call in it. */
export interface SpokenPart {
  kind: 'text' | 'thinking';
  text: string;
}

/** The parts of a stored turn: adjacent blocks of one kind form one part, as their deltas form one stretch. */
export function spokenParts(content: readonly ContentBlock[]): SpokenPart[] {
  const parts: SpokenPart[] = [];
  let broken = true;
  for (const block of content) {
    const said =
      block.type === 'text'
        ? { kind: 'text' as const, text: block.text }
        : block.type === 'thinking'
          ? { kind: 'thinking' as const, text: block.thinking }
          : undefined;
    if (!said) broken ||= block.type === 'tool_use';
    else if (said.text !== '') {
      const last = parts.at(-1);
      if (last && !broken && last.kind === said.kind) last.text += said.text;
      else parts.push(said);
      broken = false;
    }
  }
  return parts;
}

/** Equal for equal parts, so that a reader can tell whether the deltas it saw are what was stored. */
export function spokenDigest(parts: readonly SpokenPart[]): string {
  const digest = new SpokenDigest();
  for (const { kind, text } of parts) digest.add(kind, text, true);
  return digest.value();
}

/** The {@link spokenDigest} of parts that arrive piece by piece, without keeping them. */
export class SpokenDigest {
  private readonly hash = createHash('sha256');
  /** Terminates the last part with its kind and size, so that no other parts yield the same bytes. */
  private end = '';
  private bytes = 0;

  /** @param begins whether this is the first piece of a part */
  add(kind: SpokenPart['kind'], text: string, begins: boolean): void {
    if (begins) {
      this.hash.update(this.end);
      this.bytes = 0;
    }
    this.bytes += Buffer.byteLength(text);
    this.end = `:${kind}:${this.bytes};`;
    this.hash.update(text);
  }

  value(): string {
    return this.hash.copy().update(this.end).digest('base64url').slice(0, 22);
  }
}

/** The text of a call's deltas, in case it is cut off. */
export class SpokenSoFar {
  private readonly content: ContentBlock[] = [];
  private broken = true;

  add(delta: ModelDelta): void {
    if (delta.kind === 'tool_call') {
      this.broken = true;
      return;
    }
    const last = this.content.at(-1);
    if (!this.broken && delta.kind === 'text' && last?.type === 'text') last.text += delta.text;
    // Thinking without its signature cannot be sent back, so only the text of a cut-off turn is kept.
    else if (delta.kind === 'text') this.content.push({ type: 'text', text: delta.text, citations: null });
    this.broken = delta.kind !== 'text';
  }

  /** Undefined if nothing was said. */
  response(model: string): ModelResponse | undefined {
    if (this.content.length === 0) return undefined;
    const usage = { inputTokens: 0, outputTokens: 0, cacheCreationInputTokens: 0, cacheReadInputTokens: 0 };
    return { content: this.content, stopReason: CUT_OFF, usage, costUsd: 0, model };
  }
}
