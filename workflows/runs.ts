/**
 * The agent loop, one for every kind of run. Each model turn and each tool call is one activity, and the calls of one
 * turn run in parallel. The loop holds no transcript, only ids, counters and one-line digests.
 */
import * as wf from '@temporalio/workflow';
import type { RunActivities } from '../activities/runs.ts';
import {
  approvalDecidedSignal,
  callWaitsSignal,
  cancelRunSignal,
  runProgressQuery,
  userMessageSignal,
  type CarriedRun,
  type ModelTurnResult,
  type RunBudget,
  type RunIdentity,
  type RunLimit,
  type RunOutcome,
  type ToolCallRef,
  type ToolCallResult,
  type TurnMode,
} from '../src/features/runs/contract.ts';
import { BOOKKEEPING } from './bookkeeping.ts';
import { RunState } from './runs.state.ts';
import { timing } from './timing.ts';

/**
 * Model calls cost money and may be refused for a while: few attempts, long waits; Retry-After overrides the interval.
 */
const model = wf.proxyActivities<Pick<RunActivities, 'modelTurn'>>({
  startToCloseTimeout: '15 minutes',
  heartbeatTimeout: timing.heartbeatTimeout,
  retry: { initialInterval: timing.firstRetry, maximumInterval: '60s', maximumAttempts: 10 },
  cancellationType: wf.ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
});

/** An uncompacted transcript is no reason to end a run: two attempts, then it continues as is. */
const { compact } = wf.proxyActivities<Pick<RunActivities, 'compact'>>({
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: timing.heartbeatTimeout,
  retry: { initialInterval: timing.firstRetry, maximumAttempts: 2 },
});

/**
 * A tool reports its own failures as results; only a lost worker or database fails the activity, and reading again is
 * free: retry until it succeeds or the run's time is over.
 */
const toolOptions = {
  heartbeatTimeout: timing.heartbeatTimeout,
  retry: { initialInterval: timing.firstRetry, maximumInterval: '15s' },
  cancellationType: wf.ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
} as const;
const { requestApproval } = wf.proxyActivities<Pick<RunActivities, 'requestApproval'>>(BOOKKEEPING);
/** Extra time of a tool's activity beyond the tool's own timeout, to store the result while the database recovers. */
const TOOL_STORE_SECONDS = 300;
/** What the concluding turn may use beyond the wall-time budget. */
const CONCLUDE_MS = 180_000;
const CONCLUDE_TURNS = 2;

const limitNote: Record<RunLimit, string> = {
  steps: 'The limit of steps for this run is reached.',
  cost: 'The cost budget of this run is used up.',
  wall_time: 'The time budget of this run is used up.',
  repeated_calls: 'You keep making the same tool call with the same input.',
  no_report: 'You ended your turn several times without handing in a result.',
  refusal: 'The model refused to go on.',
  model_failure: 'The model could not be reached.',
};
const ANSWER_NOTE = 'Answer now, with what you have found so far. Say what is uncertain and name this limit.';
const SILENCE_NOTE = 'You ended your turn without saying anything. Go on with the tools, or answer the person.';
const CONCLUDE_NOTE =
  'Hand in your result now, with what you have found so far. Say what is uncertain and name this limit.';
const NUDGE_NOTE =
  'You ended your turn without handing in a result. Go on with the tools, or hand in the result through the tool for it.';

export interface AgentRunInput {
  identity: RunIdentity;
  budget: RunBudget;
  /** Title of the run for the operator. */
  title: string;
  /** Its page in Casebook. */
  url?: string;
  carried?: CarriedRun;
  /** The last step of the conversation's earlier runs. */
  startAfter?: number;
  /** Tokens of the transcript before this run. */
  contextTokens?: number;
  /** The run ends when the model answers in words; otherwise when it has submitted its result through a tool. */
  answersInWords?: boolean;
  /** Continues as new with the given state; must not return. */
  continueAsNew: (carried: CarriedRun) => Promise<never>;
}

/** How to record the end of a run: if no model could be reached, it failed. */
export function endingOf({ limit, explanation, cancelled }: RunOutcome): {
  outcome: 'completed' | 'failed' | 'cancelled';
  limit?: RunLimit;
  explanation?: string;
} {
  if (cancelled) return { outcome: 'cancelled', explanation };
  return { outcome: limit === 'model_failure' ? 'failed' : 'completed', limit, explanation };
}

/** A run with registered handlers, ready to loop. */
export interface AgentRun {
  readonly state: RunState;
  /**
   * Runs the loop until the model has submitted its result, a limit is reached or the run is cancelled. Call it again
   * if something arrived after the end, such as an unread message.
   * @returns why it ended; never throws for a cancellation or a failing model
   */
  untilEnded(): Promise<RunOutcome>;
}

/** Registers the handlers of the `cancel`, `user_message` and `approval_decided` signals and the `progress` query. */
export function createAgentRun(input: AgentRunInput): AgentRun {
  const state = new RunState(input.budget, Date.now(), input.carried, input);
  const work = new wf.CancellationScope();
  const show = (): void => wf.setCurrentDetails(state.details(input.title, input.url));

  wf.setHandler(runProgressQuery, () => state.progress());
  wf.setHandler(userMessageSignal, () => state.messageArrived());
  wf.setHandler(approvalDecidedSignal, ({ approvalId }) => state.approvalDecided(approvalId));
  wf.setHandler(callWaitsSignal, ({ toolCallId, what }) => {
    state.callWaits(toolCallId, what);
    show();
  });
  wf.setHandler(cancelRunSignal, ({ reason }) => {
    state.cancel = { reason };
    work.cancel();
  });

  const ended = (explanation?: string): RunOutcome => ({ cancelled: false, limit: state.limit, explanation });
  // How an activity ended says nothing about this: one whose worker is lost times out even though it was cancelled.
  const wasCancelled = (): boolean => state.cancel !== undefined || work.consideredCancelled;
  const cancelled = (): RunOutcome => ({ ...ended(state.cancel?.reason), cancelled: true });

  return {
    state,
    async untilEnded() {
      if (wasCancelled()) return cancelled();
      try {
        if (await work.run(() => workUntilLimit(input, state, show))) return ended();
      } catch (error) {
        if (error instanceof wf.ContinueAsNew) throw error;
        if (wasCancelled()) return cancelled();
        state.limit = 'model_failure';
        return ended(rootMessage(error));
      }
      try {
        const concluding = (): Promise<void> =>
          wf.CancellationScope.withTimeout(CONCLUDE_MS, () => conclude(input, state, show));
        await work.run(concluding);
        return ended();
      } catch (error) {
        if (wasCancelled()) return cancelled();
        // Out of time or out of reach: the report is then composed from the evidence, so the run has not failed.
        return ended(rootMessage(error));
      }
    },
  };
}

/** @returns true if the result was submitted, false if a limit ended the work */
async function workUntilLimit(input: AgentRunInput, state: RunState, show: () => void): Promise<boolean> {
  let note: string | undefined;
  for (;;) {
    state.limit = state.reachedLimit(Date.now());
    if (state.limit) return state.handedIn;
    if (shouldContinueAsNew(state)) {
      await wf.condition(wf.allHandlersFinished);
      await input.continueAsNew(state.carry());
    }
    try {
      const turn = await withinWallTime(state, async () => {
        if (state.shouldCompact) await compactTranscript(input, state);
        return takeStep(input, state, 'work', note, show);
      });
      if (state.isDone(turn)) return true;
      if (turn.stopReason === 'refusal') {
        state.limit = 'refusal';
        return state.handedIn;
      }
      note = noteAfter(turn, input);
    } catch (error) {
      // The timeout cancels what is in flight, however it ends; the loop then sees the limit.
      if (wf.CancellationScope.current().consideredCancelled || state.remainingMs(Date.now()) > 0) throw error;
    }
  }
}

/** Cancels work that takes longer than the run has left; the time in which it waits for a person does not count. */
function withinWallTime<T>(state: RunState, work: () => Promise<T>): Promise<T> {
  const scope = new wf.CancellationScope();
  return scope.run(async () => {
    const timer = new wf.CancellationScope();
    const timeOut = async (): Promise<void> => {
      for (let left; (left = state.remainingMs(Date.now())) > 0;) {
        await wf.sleep(left, { summary: 'Time limit of the run' });
        await wf.condition(() => !state.isWaiting);
      }
      scope.cancel();
    };
    timer.run(timeOut).catch(() => undefined);
    try {
      return await work();
    } finally {
      timer.cancel();
    }
  });
}

async function conclude(input: AgentRunInput, state: RunState, show: () => void): Promise<void> {
  const limit = state.limit!;
  state.know(`limit reached: ${limitNote[limit]}`);
  if (limit === 'refusal') return;
  for (let turn = 0; turn < CONCLUDE_TURNS; turn += 1) {
    const wish = input.answersInWords ? ANSWER_NOTE : CONCLUDE_NOTE;
    const { stopReason } = await takeStep(input, state, 'conclude', `${limitNote[limit]} ${wish}`, show);
    if (state.handedIn || stopReason === 'refusal') return;
  }
}

async function compactTranscript({ identity }: AgentRunInput, state: RunState): Promise<void> {
  const steps = { beforeStep: state.step + 1, fromStep: state.firstStep };
  try {
    const { contextTokens, costUsd } = await compact.executeWithOptions({ summary: 'Summarize the transcript' }, [
      { ...identity, ...steps },
    ]);
    state.compacted(contextTokens, costUsd);
  } catch (error) {
    if (wf.CancellationScope.current().consideredCancelled) throw error;
    state.know(`the transcript could not be summarised: ${rootMessage(error)}`);
    state.compacted(state.contextTokens, 0);
  }
}

async function takeStep(
  input: AgentRunInput,
  state: RunState,
  mode: TurnMode,
  note: string | undefined,
  show: () => void,
) {
  const step = state.beginTurn(mode === 'work' ? 'thinking' : 'concluding');
  const shown = state.steps;
  show();
  const turn = await model.modelTurn.executeWithOptions(
    { summary: mode === 'work' ? `Model turn ${shown}` : `Concluding model turn ${shown}` },
    [{ ...input.identity, step, mode, note }],
  );
  state.turnEnded(turn);
  if (turn.toolCalls.length > 0 && mode === 'work') state.phase = 'using_tools';
  show();
  // Wait for all of them, even if one is cancelled: nothing may be in progress when the end is recorded.
  const calls = await Promise.allSettled(turn.toolCalls.map((call) => callTool(input, state, call, show)));
  const failed = calls.find((call) => call.status === 'rejected');
  if (failed) throw failed.reason;
  return turn;
}

async function callTool(input: AgentRunInput, state: RunState, call: ToolCallRef, show: () => void) {
  const repeats = state.noteCall(call.fingerprint, call.evidence);
  const timeoutSeconds = call.timeoutSeconds ?? input.budget.toolTimeoutSeconds;
  const tools = wf.proxyActivities<Pick<RunActivities, 'callTool'>>({
    ...toolOptions,
    startToCloseTimeout: (timeoutSeconds + TOOL_STORE_SECONDS) * 1000,
    summary: call.summary,
  });
  const make = async (): Promise<ToolCallResult> => {
    if (call.needsApproval && repeats === undefined) await untilDecided(input, state, call, show);
    return tools.callTool({ ...input.identity, toolCallId: call.toolCallId, timeoutSeconds, repeats });
  };
  const result = await make().catch((error: unknown): ToolCallResult => {
    if (wf.CancellationScope.current().consideredCancelled) throw error;
    // A call that cannot be made at all is no reason to end the run: the model reads that it was not made.
    return { digest: `not made: ${rootMessage(error)}`.slice(0, 200), isError: true, finished: false };
  });
  state.callWaits(call.toolCallId);
  state.callEnded(call.summary, result);
  show();
}

/** Asks a person, and waits until the row has the decision or has expired; the call itself goes by the row. */
async function untilDecided(
  { identity, budget }: AgentRunInput,
  state: RunState,
  { toolCallId, summary }: ToolCallRef,
  show: () => void,
): Promise<void> {
  const request = { ...identity, toolCallId, expiresInSeconds: budget.approvalSeconds };
  const { approvalId, waitMs } = await requestApproval.executeWithOptions({ summary: `Ask for approval: ${summary}` }, [
    request,
  ]);
  if (approvalId === undefined || waitMs === 0) return;
  state.waitBegan(Date.now());
  show();
  try {
    await wf.condition(() => state.isDecided(approvalId), waitMs, { summary: `Wait for approval: ${summary}` });
  } finally {
    state.waitEnded(Date.now());
    show();
  }
}

function noteAfter(turn: ModelTurnResult, { answersInWords }: AgentRunInput): string | undefined {
  if (turn.stopReason === 'max_tokens') return 'Your answer was cut off because it was too long. Be briefer and go on.';
  if (turn.toolCalls.length > 0) return undefined;
  return answersInWords ? SILENCE_NOTE : NUDGE_NOTE;
}

function shouldContinueAsNew(state: RunState): boolean {
  const most = state.budget.stepsPerHistory;
  if (state.stepsInHistory === 0) return false;
  return wf.workflowInfo().continueAsNewSuggested || (most !== undefined && state.stepsInHistory >= most);
}

/** The innermost message of a chain of Temporal failures: what actually went wrong. */
export function rootMessage(error: unknown): string {
  let current = error;
  while (current instanceof Error && current.cause instanceof Error) current = current.cause;
  return current instanceof Error ? current.message : String(current);
}
