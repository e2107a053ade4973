/** Requests that end without an answer of the server's, because its connection, or what came over it, is no good. */
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js';
import type { QueryError } from '@casebook/connectors';

/** Most bytes of one message of a server: the largest answer that Casebook takes, and what JSON-RPC puts around it. */
export const ENVELOPE_BYTES = 64 * 1024;

/** Reserved by JSON-RPC for implementations. */
const NO_ANSWER = -32_000;

/**
 * What a transport hands to the SDK in place of the answer that will not come. The error's `data` is the very
 * {@link QueryError}, which nothing that was parsed from JSON can be: see `queryError`.
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
