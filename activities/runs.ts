import { ApplicationFailure } from '@temporalio/activity';
import { ModelError } from '../src/platform/anthropic/index.ts';
import {
  makeToolCall,
  takeModelTurn,
  type ModelTurnInput,
  type ModelTurnResult,
  type RunDeps,
  type ToolCallInput,
  type ToolCallResult,
} from '../src/features/runs/index.ts';
import { withHeartbeat } from './attempt.ts';

export interface RunActivities {
  modelTurn(input: ModelTurnInput): Promise<ModelTurnResult>;
  callTool(input: ToolCallInput): Promise<ToolCallResult>;
}

/** The activities of the agent loop. */
export function createRunActivities(deps: RunDeps): RunActivities {
  return {
    modelTurn: (input) =>
      withHeartbeat((attempt) =>
        takeModelTurn(deps, input, attempt).catch((error: unknown) => {
          throw attempt.signal.aborted ? error : toFailure(error);
        }),
      ),
    callTool: (input) => withHeartbeat((attempt) => makeToolCall(deps, input, attempt)),
  };
}

/** Temporal owns the retries: what the API said about trying again becomes the failure's retry policy. */
function toFailure(error: unknown): unknown {
  if (!(error instanceof ModelError)) return error;
  return ApplicationFailure.create({
    message: error.message,
    type: `Model.${error.kind}`,
    nonRetryable: !error.retryable,
    nextRetryDelay: error.retryAfterMs,
    // Not its cause: the message says it for people, and the SDK's own error repeats it as JSON in each failed attempt.
  });
}
