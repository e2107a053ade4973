import { ApplicationFailure, Context } from '@temporalio/activity';
import { ModelError } from '../src/platform/anthropic/index.ts';
import {
  compactTranscript,
  makeToolCall,
  requestApproval,
  RunClosed,
  takeModelTurn,
  type CompactInput,
  type CompactResult,
  type ModelTurnInput,
  type ModelTurnResult,
  type ApprovalRequest,
  type Attempt,
  type RequestedApproval,
  type RunDeps,
  type ToolCallInput,
  type ToolCallResult,
} from '../src/features/runs/index.ts';
import { callWaitsSignal } from '../src/features/runs/contract.ts';
import { withHeartbeat } from './attempt.ts';

export interface RunActivities {
  modelTurn(input: ModelTurnInput): Promise<ModelTurnResult>;
  requestApproval(input: ApprovalRequest): Promise<RequestedApproval>;
  callTool(input: ToolCallInput): Promise<ToolCallResult>;
  compact(input: CompactInput): Promise<CompactResult>;
}

/** The activities of the agent loop. */
export function createRunActivities(deps: RunDeps): RunActivities {
  return {
    modelTurn: (input) => askingModel((attempt) => takeModelTurn(deps, input, attempt)),
    requestApproval: (input) => {
      const { workflowId } = Context.current().info.workflowExecution!;
      return askingModel((attempt) => requestApproval(deps, { ...input, workflowId }, attempt));
    },
    callTool: (input) =>
      askingModel((attempt) => makeToolCall(deps, input, { ...attempt, waiting: tellsWorkflow(deps, input) })),
    compact: (input) => askingModel((attempt) => compactTranscript(deps, input, attempt)),
  };
}

/**
 * Tells the workflow what its call waits for, in order. Only for people to see: a signal that is lost changes nothing, and
 * the end of the call ends its wait.
 */
function tellsWorkflow({ log }: RunDeps, { toolCallId }: ToolCallInput): (what: string | undefined) => void {
  const { info, client } = Context.current();
  const { workflowId, runId } = info.workflowExecution!;
  const workflow = client.workflow.getHandle(workflowId, runId);
  let told = Promise.resolve();
  return (what) => {
    told = told
      .then(() => workflow.signal(callWaitsSignal, { toolCallId, what }))
      .catch((error: unknown) => log.debug({ err: error, toolCallId }, 'the run was not told what it waits for'));
  };
}

/** Like {@link withHeartbeat}, for work that asks a model. */
export function askingModel<T>(work: (attempt: Attempt) => Promise<T>): Promise<T> {
  return withHeartbeat((attempt) =>
    work(attempt).catch((error: unknown) => {
      throw attempt.signal.aborted ? error : toFailure(error);
    }),
  );
}

/** Temporal owns the retries: what the API said about retrying becomes the failure's retry policy. */
function toFailure(error: unknown): unknown {
  if (error instanceof RunClosed) return ApplicationFailure.nonRetryable(error.message, error.name);
  if (!(error instanceof ModelError)) return error;
  return ApplicationFailure.create({
    message: error.message,
    type: `Model.${error.kind}`,
    nonRetryable: !error.retryable,
    nextRetryDelay: error.retryAfterMs,
    // Not its cause: the message says it for people, and the SDK's own error would repeat it as JSON in each failed
    // attempt.
  });
}
