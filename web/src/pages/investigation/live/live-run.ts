/**
 * Folds the events of a running investigation into its state. Pure: the same events give the same state, in whatever
 * batches they arrive.
 */
import type { StreamEvent } from '../../../components/live/follow-events.ts';
import { planItems, type PlanItem } from '../../../components/plan/plan.ts';
import type { ToolCall } from '../queries.ts';

export interface LiveCall {
  id: string;
  evidence: number;
  step: number;
  name: string;
  summary: string;
  /** ISO 8601; null if the model asked for the call and it has not started. */
  startedAt: string | null;
  finishedAt: string | null;
  status: 'pending' | 'completed' | 'cancelled';
  isError: boolean;
  /** What the source that was queried made of it; null if none was. */
  answer: ToolCall['answer'];
  digest: string | null;
  bytes: number | null;
}

export interface LiveStep {
  step: number;
  /** The current attempt; deltas of other attempts are ignored. */
  nonce: string;
  model: string | null;
  text: string;
  reasoning: string;
  /** Tools whose calls the model is writing. */
  requested: readonly string[];
  startedAt: string | null;
  /** The model has finished speaking in this step. */
  isSpoken: boolean;
}

export interface LiveRun {
  steps: Readonly<Record<number, LiveStep>>;
  calls: Readonly<Record<string, LiveCall>>;
  plan: readonly PlanItem[] | null;
  /** Ids of messages stored or read since. */
  messages: number;
  /** Increments whenever the stored investigation has something new to fetch. */
  stored: number;
  /** The run has ended. */
  ending: { status: string; title: string | null } | null;
}

export const EMPTY_RUN: LiveRun = { steps: {}, calls: {}, plan: null, messages: 0, stored: 0, ending: null };

const FINAL = ['run.completed', 'run.failed', 'run.cancelled'];

/** The event types of a run. */
export const RUN_EVENT_TYPES: readonly string[] = [
  'run.started',
  'message.added',
  'turn.started',
  'text.delta',
  'thinking.delta',
  'tool.requested',
  'turn.completed',
  'tool.started',
  'tool.completed',
  'plan.updated',
  ...FINAL,
];

export const isFinalRunEvent = ({ type }: StreamEvent): boolean => FINAL.includes(type);

/** The state after some more events. */
export const withEvents = (run: LiveRun, events: readonly StreamEvent[]): LiveRun => events.reduce(withEvent, run);

function withEvent(run: LiveRun, { type, data }: StreamEvent): LiveRun {
  if (FINAL.includes(type)) {
    const ending = { status: type.slice('run.'.length), title: textOf(data['alertSummary']) };
    return { ...run, ending, stored: run.stored + 1 };
  }
  switch (type) {
    case 'turn.started':
      return withStep(run, started(data));
    case 'text.delta':
      return withDelta(run, data, (step, text) => ({ ...step, text: step.text + text }));
    case 'thinking.delta':
      return withDelta(run, data, (step, text) => ({ ...step, reasoning: step.reasoning + text }));
    case 'tool.requested':
      return withDelta(run, data, (step) => ({ ...step, requested: [...step.requested, String(data['name'])] }));
    case 'turn.completed': {
      const step = run.steps[numberOf(data['step'])];
      return { ...(step ? withStep(run, { ...step, isSpoken: true, requested: [] }) : run), stored: run.stored + 1 };
    }
    case 'tool.started':
      return withCall(run, data, { startedAt: textOf(data['at']) });
    case 'tool.completed':
      return { ...withCall(run, data, completed(data)), stored: run.stored + 1 };
    case 'plan.updated':
      return { ...run, plan: planItems(data['items']) };
    case 'message.added':
      return { ...run, messages: run.messages + 1, stored: run.stored + 1 };
    default:
      return run;
  }
}

const started = (data: StreamEvent['data']): LiveStep => ({
  step: numberOf(data['step']),
  nonce: String(data['nonce']),
  model: textOf(data['model']),
  text: '',
  reasoning: '',
  requested: [],
  startedAt: textOf(data['at']),
  isSpoken: false,
});

const withStep = (run: LiveRun, step: LiveStep): LiveRun => ({ ...run, steps: { ...run.steps, [step.step]: step } });

/**
 * A delta counts only if it belongs to the attempt that started last; an earlier one was cut off but may still have
 * spoken.
 */
function withDelta(
  run: LiveRun,
  data: StreamEvent['data'],
  change: (step: LiveStep, text: string) => LiveStep,
): LiveRun {
  const step = run.steps[numberOf(data['step'])];
  if (step === undefined || step.nonce !== data['nonce']) return run;
  return withStep(run, change(step, textOf(data['text']) ?? ''));
}

function withCall(run: LiveRun, data: StreamEvent['data'], change: Partial<LiveCall>): LiveRun {
  const id = String(data['id']);
  const call: LiveCall = {
    id,
    evidence: numberOf(data['evidence']),
    step: numberOf(data['step']),
    name: String(data['name']),
    summary: String(data['summary']),
    startedAt: null,
    finishedAt: null,
    status: 'pending',
    isError: false,
    answer: null,
    digest: null,
    bytes: null,
    ...run.calls[id],
    ...change,
  };
  return { ...run, calls: { ...run.calls, [id]: call } };
}

const completed = (data: StreamEvent['data']): Partial<LiveCall> => ({
  finishedAt: textOf(data['at']),
  status: data['status'] === 'cancelled' ? 'cancelled' : 'completed',
  isError: data['isError'] === true,
  answer: data['answer'] === 'nothing' ? 'nothing' : null,
  digest: textOf(data['digest']),
  bytes: typeof data['bytes'] === 'number' ? data['bytes'] : null,
});

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0);
