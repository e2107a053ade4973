/** What a scripted model answers, step by step. */
import type Anthropic from '@anthropic-ai/sdk';
import type { AnswerUsage, MessagesRequest } from '@casebook/offline-model';

export interface ScriptedToolUse {
  name: string;
  input?: Record<string, unknown>;
  /** Default: made of the turn and the position, unique within a conversation. */
  id?: string;
  /** JSON text sent as it is instead of `input`; may be malformed. */
  rawInput?: string;
}

/** One answer. With nothing set it is an empty answer: no content blocks, `end_turn`. */
export interface ScriptedStep {
  thinking?: string | { text: string; signature: string };
  redactedThinking?: string;
  text?: string;
  toolUses?: ScriptedToolUse[];
  /** Default: `tool_use` when there are tool uses, else `end_turn`. */
  stopReason?: Anthropic.StopReason;
  usage?: Partial<AnswerUsage>;
  /** Most characters of one delta; default 80. */
  deltaCharacters?: number;
  /** Pause before each delta of a block, in milliseconds; default none. */
  delayMsBetweenDeltas?: number;
  /** Waits until the gate of this name is released, before the response starts or in the middle of the stream. */
  hold?: { gate: string; at: 'start' | 'middle' };
  /** An error answer instead of a message, in the API's error shape. */
  error?: { status: number; type?: string; message?: string; headers?: Record<string, string> };
  /** An error event in the middle of the stream. */
  streamError?: { type: string; message: string };
  /** Destroys the socket: before the response, or in the middle of the stream. `ending` ends it without message_stop. */
  cut?: 'start' | 'middle' | 'ending';
  /** Falls silent for good, before the response or in the middle of the stream. */
  hang?: { at: 'start' | 'middle' };
  /** Sends only pings for a while in the middle of the stream, then goes on. */
  pause?: { pings: number; everyMs: number };
}

export interface ScriptContext {
  /** Number of this request among all, from 0. */
  index: number;
  /** Number of assistant messages in the request: the turn that is asked for, from 0. */
  turn: number;
  /** How often this very turn of a conversation was asked for before: 0 unless a request was repeated. */
  attempt: number;
  request: MessagesRequest;
}

/**
 * A list is played in the order of requests; a function chooses by request. A request beyond the list is answered with
 * a 400, so that a client which asks too often fails at once.
 */
export type Script = ScriptedStep[] | ((context: ScriptContext) => ScriptedStep | Promise<ScriptedStep>);

/**
 * A script that depends on the conversation and not on the order of requests: the same turn gets the same answer
 * however often it is asked for and however many conversations run. A list in place of a step gives the answers to
 * the first, second, … attempt of that turn.
 */
export function byTurn(steps: (ScriptedStep | ScriptedStep[])[]): Script {
  return ({ turn, attempt }) => {
    const step = steps[turn];
    if (Array.isArray(step)) return step[Math.min(attempt, step.length - 1)] ?? OUT_OF_SCRIPT;
    return step ?? OUT_OF_SCRIPT;
  };
}

/** Answered when the script has no step for a request. */
export const OUT_OF_SCRIPT: ScriptedStep = {
  error: { status: 400, type: 'invalid_request_error', message: 'The script has no answer to this request.' },
};

/** Common error answers. */
export const rateLimited = (retryAfter: string): ScriptedStep => ({
  error: { status: 429, type: 'rate_limit_error', message: 'Rate limited', headers: { 'retry-after': retryAfter } },
});
export const overloaded: ScriptedStep = {
  error: { status: 529, type: 'overloaded_error', message: 'Overloaded' },
};
export const internalError: ScriptedStep = {
  error: { status: 500, type: 'api_error', message: 'Internal server error' },
};
