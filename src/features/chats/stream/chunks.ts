/**
 * The chunks of the AI SDK's UI message stream that Casebook sends (ai-sdk.dev, "Stream Protocols", data stream
 * protocol; `x-vercel-ai-ui-message-stream: v1`).
 */

export type TextKind = 'text' | 'reasoning';

export type UiChunk =
  | { type: 'start'; messageId: string; chatId: string; messageMetadata: Record<string, unknown> }
  | { type: 'text-start' | 'reasoning-start'; id: string }
  | { type: 'text-delta' | 'reasoning-delta'; id: string; delta: string }
  | { type: 'text-end' | 'reasoning-end'; id: string }
  | { type: 'start-step' }
  | { type: 'finish-step' }
  /** Takes back everything since the last `start-step` or, without steps in the stream, since `start`. */
  | { type: 'reset-step' }
  | { type: 'tool-input-available'; toolCallId: string; toolName: string; input: unknown; title: string }
  | { type: 'tool-output-available'; toolCallId: string; output: ToolOutputSummary }
  | { type: 'tool-output-error'; toolCallId: string; errorText: string }
  | { type: `data-${string}`; id: string; data: unknown }
  | { type: 'error'; errorText: string }
  | { type: 'abort'; reason?: string }
  | { type: 'finish'; finishReason: 'stop' | 'error' | 'other'; messageMetadata: Record<string, unknown> };

/** A tool's result as streamed; `resultUrl` has all of it. */
interface ToolOutputSummary {
  evidence: number;
  digest: string;
  bytes: number | null;
  resultUrl: string;
}

/** The headers by which the AI SDK recognises the protocol. */
export const UI_STREAM_HEADERS = { 'x-vercel-ai-ui-message-stream': 'v1' } as const;

/** The last event of every stream. */
export const DONE = '[DONE]';
