/** Ends requests that the server will not answer, because its connection or its message is broken. */
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js';
import type { QueryError } from '@casebook/connectors';

/** Maximum size of one message of a server: the largest answer Casebook accepts, and the JSON-RPC around it. */
export const ENVELOPE_BYTES = 64 * 1024;

/** Reserved by JSON-RPC for implementations. */
const NO_ANSWER = -32_000;

/**
 * What a transport hands to the SDK in place of the missing answer. The error's `data` is the {@link QueryError}
 * itself, which nothing parsed from JSON can be: see `queryError`.
 */
export function rejection(id: RequestId, error: QueryError): JSONRPCMessage {
  return { jsonrpc: '2.0', id, error: { code: NO_ANSWER, message: error.message, data: error } };
}

/** @returns the id of a result or an error response, as the number that the SDK gave the request */
export function answeredId(message: unknown): number | undefined {
  if (typeof message !== 'object' || message === null || 'method' in message || !('id' in message)) return undefined;
  const id = Number(message.id);
  return Number.isSafeInteger(id) ? id : undefined;
}
