/**
 * What the agent loop needs from a language model: one streamed call that either returns a complete message or throws a
 * {@link ModelError} that says whether a retry makes sense. Nothing here retries; the caller owns retries.
 */
import type Anthropic from '@anthropic-ai/sdk';

export type MessageParam = Anthropic.MessageParam;
export type ContentBlock = Anthropic.ContentBlock;
export type ContentBlockParam = Anthropic.ContentBlockParam;
/** A tool as the Messages API takes it: name, description and JSON schema of the input. */
export type ModelTool = Anthropic.Tool;
export type StopReason = Anthropic.StopReason;

export type ToolChoice = { type: 'auto' | 'any' | 'none' } | { type: 'tool'; name: string };

export interface ModelRequest {
  /** Overrides the client's model. Without a provider the offline model answers, whatever this names. */
  model?: string;
  system: string;
  messages: MessageParam[];
  tools: ModelTool[];
  /**
   * Absent means `auto`. Models that always think reject `any` and `tool` and get `auto` instead, so the conversation
   * must also ask for the tool in words, and the caller must not rely on the answer calling it.
   */
  toolChoice?: ToolChoice;
  /** Maximum tokens of the answer, thinking included. */
  maxTokens: number;
}

/** The stop reason of a partial answer after a user stopped the run. */
export const CUT_OFF = 'cancelled';

export interface ModelUsage {
  /** Input tokens neither written to nor read from the prompt cache. */
  inputTokens: number;
  outputTokens: number;
  cacheCreationInputTokens: number;
  cacheReadInputTokens: number;
}

export interface ModelResponse {
  /** Blocks in order; thinking blocks carry their signature and must be sent back unchanged. May be empty. */
  content: ContentBlock[];
  /** Why the model stopped: `end_turn`, `tool_use`, `max_tokens`, `refusal`, `pause_turn`, `stop_sequence`, … */
  stopReason: StopReason | typeof CUT_OFF;
  usage: ModelUsage;
  /** Price of this call in US dollars, see `pricing.ts`. */
  costUsd: number;
  /** The model that answered, as the API names it. */
  model: string;
}

/** What readers see while the answer is being written. */
export type ModelDelta =
  | { kind: 'text'; text: string }
  | { kind: 'thinking'; text: string }
  /** The model began to write a call of this tool. */
  | { kind: 'tool_call'; name: string };

export interface CompleteOptions {
  /** Ends the call; `complete` then rejects with the signal's reason. */
  signal: AbortSignal;
  onDelta?: (delta: ModelDelta) => void;
}

export interface ModelClient {
  readonly provider: 'anthropic' | 'offline';
  /** The model that requests name. */
  readonly model: string;
  /**
   * Sends one request and waits for the whole answer.
   * @throws {ModelError} when there is no complete answer
   * @throws the signal's reason when it was aborted
   */
  complete(request: ModelRequest, options: CompleteOptions): Promise<ModelResponse>;
}

export type ModelErrorKind =
  | 'rate_limited'
  | 'overloaded'
  /** The connection or the stream ended before the message did. */
  | 'interrupted'
  | 'timeout'
  | 'authentication'
  | 'invalid_request'
  | 'unavailable';

/** A model call without a complete message. */
export class ModelError extends Error {
  override name = 'ModelError';
  readonly kind: ModelErrorKind;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  /** How long the server asked to wait, in milliseconds. */
  readonly retryAfterMs?: number;
  /** HTTP status, if there was one. */
  readonly status?: number;

  constructor(
    message: string,
    details: {
      kind: ModelErrorKind;
      retryable: boolean;
      retryAfterMs?: number;
      status?: number;
      cause?: unknown;
    },
  ) {
    super(message, { cause: details.cause });
    this.kind = details.kind;
    this.retryable = details.retryable;
    this.retryAfterMs = details.retryAfterMs;
    this.status = details.status;
  }
}

/**
 * The key under which {@link ModelClient.complete} keeps tool input that is not a JSON object, so that the block can be
 * stored and sent back: `{ "INVALID_JSON": "the text as received" }`, as Anthropic's documentation recommends.
 */
export const INVALID_JSON_KEY = 'INVALID_JSON';

/** The text of a tool input that was not a JSON object; undefined for valid input. */
export function invalidToolInput(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null) return undefined;
  const entries = Object.entries(input);
  const [first] = entries;
  return entries.length === 1 && first?.[0] === INVALID_JSON_KEY && typeof first[1] === 'string' ? first[1] : undefined;
}
