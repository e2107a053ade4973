/** The run as shown: what is stored, plus what the live events add. */
import type { Investigation, Step, ToolCall } from '../queries.ts';
import type { LiveCall, LiveRun, LiveStep } from './live-run.ts';

export interface CallView {
  id: string;
  /** The number the report cites. */
  evidence: number;
  name: string;
  summary: string;
  /** `waiting`: requested by the model, not started. */
  state: 'waiting' | 'running' | 'done' | 'empty' | 'failed' | 'cancelled';
  startedAt: string | null;
  durationMs: number | null;
  digest: string | null;
  bytes: number | null;
  hasSeries: boolean;
}

export interface StepView {
  step: number;
  /** What the loop told the model before this step. */
  note: string | null;
  text: string;
  reasoning: string;
  calls: readonly CallView[];
  /** Tools whose calls the model is writing. */
  requested: readonly string[];
  /** The model is speaking. */
  isSpeaking: boolean;
  model: string | null;
  costUsd: number | null;
  /** From the request to the model to the end of the last tool call; null while one is running. */
  durationMs: number | null;
}

/** The steps in order: stored ones with later progress of their calls, others as streamed. */
export function stepViews(stored: readonly Step[], live: LiveRun): StepView[] {
  const views = new Map(stored.map((step) => [step.step, ofStored(step, live)]));
  for (const step of Object.values(live.steps)) {
    if (!views.has(step.step)) views.set(step.step, ofLive(step, live));
  }
  return [...views.values()].toSorted((a, b) => a.step - b.step);
}

function ofStored(step: Step, { calls }: LiveRun): StepView {
  const ends = step.tool_calls.flatMap(({ finished_at }) => (finished_at === null ? [] : [Date.parse(finished_at)]));
  const isOver = ends.length === step.tool_calls.length;
  const end = Math.max(Date.parse(step.finished_at), ...ends);
  return {
    step: step.step,
    note: step.note,
    text: step.text,
    reasoning: step.reasoning,
    calls: step.tool_calls.map((call) => callView(call, calls[call.id])),
    requested: [],
    isSpeaking: false,
    model: step.model,
    costUsd: step.cost_usd,
    durationMs: isOver ? end - Date.parse(step.started_at) : null,
  };
}

function ofLive(step: LiveStep, { calls }: LiveRun): StepView {
  const own = Object.values(calls).filter((call) => call.step === step.step);
  return {
    step: step.step,
    note: null,
    text: step.text,
    reasoning: step.reasoning,
    calls: own.toSorted((a, b) => a.evidence - b.evidence).map((call) => liveCallView(call)),
    requested: step.requested,
    isSpeaking: !step.isSpoken,
    model: step.model,
    costUsd: null,
    durationMs: null,
  };
}

/** Events may already know the end of a call that is stored as running. */
export function callView(call: ToolCall, heard?: LiveCall): CallView {
  if (call.status === 'pending' && heard !== undefined) return liveCallView(heard);
  return {
    id: call.id,
    evidence: call.evidence,
    name: call.name,
    summary: call.summary,
    state: stateOf(call, call.is_error, call.started_at),
    startedAt: call.started_at,
    durationMs: call.duration_ms,
    digest: call.digest,
    bytes: call.bytes,
    hasSeries: call.has_series,
  };
}

function liveCallView(call: LiveCall): CallView {
  const { startedAt, finishedAt } = call;
  return {
    ...call,
    state: stateOf(call, call.isError, startedAt),
    durationMs: startedAt && finishedAt ? Math.max(0, Date.parse(finishedAt) - Date.parse(startedAt)) : null,
    hasSeries: false,
  };
}

function stateOf(
  { status, answer }: Pick<ToolCall, 'status' | 'answer'>,
  isError: boolean,
  startedAt: string | null,
): CallView['state'] {
  if (status === 'cancelled') return 'cancelled';
  if (status === 'completed') return isError ? 'failed' : answer === 'nothing' ? 'empty' : 'done';
  return startedAt === null ? 'waiting' : 'running';
}

const PHASES: Record<string, string> = {
  starting: 'Starting',
  thinking: 'The model is thinking',
  using_tools: 'Tools are running',
  concluding: 'Writing the report',
  recording: 'Checking the evidence and saving the report',
  finished: 'Finishing',
};

/** The current activity, in words. Events know first; the workflow fills the gaps. */
export function phaseOf(
  { progress, cancel_requested_at }: Pick<Investigation, 'progress' | 'cancel_requested_at'>,
  steps: readonly StepView[],
): string {
  if (cancel_requested_at !== null) return 'Cancelling';
  if (progress?.waiting_for) return `Waiting for ${progress.waiting_for}`;
  const last = steps.at(-1);
  const running = last?.calls.filter(({ state }) => state === 'running' || state === 'waiting') ?? [];
  if (running.length === 1) return `Running ${running[0]?.name}`;
  if (running.length > 1) return `Running ${running.length} tools`;
  if (last?.isSpeaking === true) {
    const tool = last.requested.at(-1);
    return tool === undefined ? 'The model is thinking' : `The model is calling ${tool}`;
  }
  return PHASES[progress?.phase ?? 'starting'] ?? 'Running';
}
