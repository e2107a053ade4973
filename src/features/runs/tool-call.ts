import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '../../db/orm.ts';
import { actorOf } from '../../http/authenticate.ts';
import { capabilityOf, frameToolResult, normalizeOutput, viewOf } from '../tools/index.ts';
import type { PlanItem, ToolOutput } from '../tools/tool.ts';
import { tickPlan } from './plan.ts';
import { invalidToolInput } from '../../platform/anthropic/index.ts';
import { contentDigest, Conversation, evidenceReader, sourceOfCall, ToolCall } from '../transcripts/index.ts';
import { isOpen, type ToolCallInput, type ToolCallResult } from './contract.ts';
import { type Attempt, type RunDeps, needsApproval } from './kind.ts';
import { Run } from './entities.ts';
import { RunClosed } from './service.ts';
import { claimApproval } from './approvals.ts';
import { runStream, stateEvent } from './events.ts';
import { reaching, untilReachable, type Reach } from '../../db/reach.ts';
import { pausableTimeout } from '../../platform/pausable-timeout.ts';
import { untilAborted } from '../../platform/concurrency.ts';
import { storableText } from '../../platform/storable.ts';
import { messageOf } from '../../platform/message-of.ts';

/** A database outage must not delay a cancellation longer than this. */
const CANCELLED_STORE_MS = 5_000;

/**
 * Makes one tool call and stores its whole result. Idempotent by the call's id: a stored result is returned without
 * calling the tool. A tool that fails, hangs or is cancelled yields a result that says so.
 * @throws {RunClosed} if the run has ended
 */
export async function makeToolCall(deps: RunDeps, input: ToolCallInput, attempt: Attempt): Promise<ToolCallResult> {
  const reach = reaching(deps, input, attempt);
  const call = await reach((em) => em.findOneOrFail(ToolCall, { id: input.toolCallId }));
  if (call.status !== 'pending') return announce(deps, input, call, reach, attempt.signal);
  const run = await reach((em) => openRun(em, input, call));
  const stream = runStream(input);
  const started = stateEvent('tool.started', `tool:${call.id}:started`, describe(call));
  await untilReachable(() => deps.events.append(stream, [started]), attempt.signal);

  const startedAt = deps.clock.now();
  const output =
    input.repeats === undefined ? await invoke(deps, input, { call, run }, reach, attempt) : repeated(input.repeats);
  const cancelled = attempt.signal.aborted && attempt.cancelRequested();
  // A cancelled call is recorded too, and that write must not be cancelled with it.
  const recording = cancelled ? AbortSignal.timeout(CANCELLED_STORE_MS) : attempt.signal;
  const result = resultOf(output);
  const stored = await reach(
    (em) => store(em, input, result, { startedAt, finishedAt: deps.clock.now(), cancelled }),
    recording,
  );
  return announce(deps, input, stored, reach, recording);
}

/** An attempt that was frozen while its run ended must no longer act. @throws {RunClosed} */
async function openRun(em: EntityManager, { conversationId, runId }: ToolCallInput, { step }: ToolCall): Promise<Run> {
  const conversation = await em.findOne(Conversation, { id: conversationId });
  const run = await em.findOne(Run, { id: runId ?? conversationId });
  if (!conversation || !run || !isOpen(run.status) || step <= conversation.closedThroughStep) throw new RunClosed();
  return run;
}

async function invoke(
  deps: RunDeps,
  input: ToolCallInput,
  { call, run }: { call: ToolCall; run: Run },
  reach: Reach,
  attempt: Attempt,
): Promise<ToolOutput> {
  const unreadable = invalidToolInput(call.input);
  if (unreadable !== undefined)
    return failure(`The input of this call is not a JSON object: ${unreadable.slice(0, 500)}`);
  using timeout = pausableTimeout(input.timeoutSeconds * 1000);
  const signal = AbortSignal.any([attempt.signal, timeout.signal]);
  const onWait = (what: string): Disposable => {
    const paused = timeout.pause();
    attempt.waiting?.(what);
    return {
      [Symbol.dispose]() {
        attempt.waiting?.(undefined);
        paused[Symbol.dispose]();
      },
    };
  };
  // A timeout is recorded as the call's result; if the worker was lost, another attempt still wants the answer.
  const isGivenUp = (): boolean => !attempt.signal.aborted || attempt.cancelRequested();
  // Equal for every attempt: "until now" then means the same, and is not queried again.
  const clock = { now: () => call.createdAt };
  const reader = { scopes: run.scopes, readScopes: deps.readScopes };
  const context = {
    conversationId: input.conversationId,
    teamId: input.teamId,
    runId: run.id,
    actor: actorOf(run),
    toolCallId: call.id,
    // An outage of our own database is not a failure of the tool.
    evidence: {
      read: (evidence: number) => reach((em) => evidenceReader(em, input.conversationId).read(evidence), signal),
      readById: (id: string) => reach((em) => evidenceReader(em, input.conversationId, reader).readById(id), signal),
    },
    clock,
    signal,
    isGivenUp,
    onWait,
  };
  try {
    const { tools } = await untilReachable(() => deps.profiles[input.kind](run), signal);
    const asking = { teamId: input.teamId, toolCallId: call.id, clock, isGivenUp, onWait };
    const sources = await untilReachable(() => deps.sources(asking), signal);
    if (needsApproval(tools.get(call.name), run, call.input)) {
      const refusal = await claimApproval(deps, input, call, reach, signal);
      if (refusal !== undefined) return failure(refusal);
    }
    // A tool that ignores its signal must not hold up the run.
    return await untilAborted(tools.invoke(call.name, call.input, { ...context, sources }), signal);
  } catch (error) {
    if (attempt.signal.aborted) {
      // The worker is stopping or was thought lost: record nothing; another attempt makes the call.
      if (!attempt.cancelRequested()) throw error;
      return failure('The call was cancelled before it finished.');
    }
    if (timeout.signal.aborted) {
      const message = `No answer within ${input.timeoutSeconds} s: the call was stopped. Narrow it down, or use another source.`;
      return { ...failure(message), ...(capabilityOf(call.name) && { answer: 'unavailable' }) };
    }
    deps.log.error({ err: error, tool: call.name, toolCallId: call.id }, 'a tool failed unexpectedly');
    return failure(`The tool failed: ${messageOf(error)}`);
  }
}

function failure(message: string): ToolOutput {
  return { content: JSON.stringify({ error: message }), digest: message.slice(0, 200), isError: true };
}

function repeated(evidence: number): ToolOutput {
  return failure(
    `You made this call before with the same input; its result is evidence ${evidence}. It was not made again. ` +
      'Use that result, change the input, or hand in what you have.',
  );
}

/** Before the transaction: a large result takes a while, during which nothing should be locked. */
function resultOf(output: ToolOutput) {
  const { content } = normalizeOutput(output);
  const bytes = Buffer.byteLength(content);
  return { output, content, view: viewOf(content), bytes, sha256: contentDigest(content) };
}

async function store(
  rows: EntityManager,
  input: ToolCallInput,
  { output, content, view, bytes, sha256 }: ReturnType<typeof resultOf>,
  { startedAt, finishedAt, cancelled }: { startedAt: Date; finishedAt: Date; cancelled: boolean },
): Promise<ToolCall> {
  return rows.transactional(async (em) => {
    // In the same lock order as the end of a run.
    const lockMode = LockMode.PESSIMISTIC_WRITE;
    const conversation = await em.findOneOrFail(Conversation, { id: input.conversationId }, { lockMode });
    const call = await em.findOneOrFail(ToolCall, { id: input.toolCallId }, { lockMode });
    if (call.status !== 'pending') return call;
    if (call.step <= conversation.closedThroughStep) throw new RunClosed();
    em.assign(call, {
      status: cancelled ? 'cancelled' : 'completed',
      isError: output.isError ?? false,
      answer: output.answer ?? null,
      source: output.source ?? sourceOfCall(call) ?? null,
      digest: storableText(output.digest.slice(0, 200)),
      view: frameToolResult({ evidence: call.evidence, tool: call.name, view }),
      content,
      bytes,
      sha256,
      startedAt,
      finishedAt,
    });
    if (output.effect?.kind === 'plan') conversation.plan = await ticked(em, conversation, call, output.effect.items);
    if (output.effect?.kind === 'finish') conversation.result = { toolCallId: call.id, value: output.effect.result };
    await em.flush();
    return call;
  });
}

/** A new plan, whose items are done only as far as the calls since the last one brought data. */
async function ticked(
  em: EntityManager,
  { id: conversationId, plan }: Conversation,
  call: ToolCall,
  items: PlanItem[],
): Promise<PlanItem[]> {
  const earlier = { conversationId, step: { $lt: call.step } };
  const [last] = await em.find(
    ToolCall,
    { ...earlier, name: call.name, isError: false },
    { orderBy: { step: 'desc' }, limit: 1 },
  );
  const since = await em.find(ToolCall, { conversationId, step: { $gte: last?.step ?? 0, $lt: call.step } });
  return tickPlan(
    items,
    plan,
    since.flatMap(({ answer }) => answer ?? []),
  );
}

async function announce(
  deps: RunDeps,
  input: ToolCallInput,
  call: ToolCall,
  reach: Reach,
  signal: AbortSignal,
): Promise<ToolCallResult> {
  const conversation = await reach((em) => em.findOneOrFail(Conversation, { id: input.conversationId }), signal);
  const events = [
    stateEvent('tool.completed', `tool:${call.id}:completed`, {
      ...describe(call),
      status: call.status,
      isError: call.isError,
      ...(call.answer && { answer: call.answer }),
      digest: call.digest,
      bytes: call.bytes,
    }),
  ];
  const isPlan = call.name === 'update_plan' && !call.isError;
  if (isPlan) events.push(stateEvent('plan.updated', `plan:${call.id}`, { items: conversation.plan }));
  await untilReachable(() => deps.events.append(runStream(input), events), signal);
  const done = conversation.plan.filter((item) => item.status === 'done' || item.status === 'skipped').length;
  return {
    digest: call.digest ?? '',
    isError: call.isError,
    finished: conversation.result?.toolCallId === call.id,
    plan: isPlan ? { done, total: conversation.plan.length } : undefined,
  };
}

function describe(call: ToolCall): Record<string, unknown> {
  return { id: call.id, evidence: call.evidence, step: call.step, name: call.name, summary: call.summary };
}
