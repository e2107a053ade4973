/** Errors of MCP servers, in words for the caller. */
import { QueryError } from '@casebook/connectors';
import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ErrorCode, type JSONRPCMessage, McpError, type RequestId } from '@modelcontextprotocol/sdk/types.js';

const MAX_CHARACTERS = 2_000;
/** Numbers: servers use codes that the SDK does not know. */
const TIMED_OUT: number = ErrorCode.RequestTimeout;
const INVALID_PARAMS: number = ErrorCode.InvalidParams;

/** The server does not accept the credential, or wants one. */
export class McpUnauthorized extends QueryError {
  override name = 'McpUnauthorized';
  /** HTTP status: 401, or 403 when the credential does not suffice. */
  readonly status: number;
  /** The header `WWW-Authenticate`, which may say where to get a credential (RFC 9728); undefined if there was none. */
  readonly challenge: string | undefined;

  constructor(server: string, status: number, challenge: string | undefined) {
    super('failed', `The MCP server “${server}” does not accept the credential (HTTP status ${status}).`);
    this.status = status;
    this.challenge = challenge;
  }
}

function bounded(words: string): string {
  return words.length <= MAX_CHARACTERS ? words : `${words.slice(0, MAX_CHARACTERS)}…`;
}

/** @returns one sentence about any error, including its cause */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return bounded(String(error));
  if (error instanceof StreamableHTTPError && error.code !== undefined && error.code > 0) {
    return bounded(`it answered with HTTP status ${error.code}: ${error.message}`);
  }
  // A host with several addresses fails with one error for each.
  const cause: unknown = error.cause instanceof AggregateError ? error.cause.errors[0] : error.cause;
  return bounded(cause instanceof Error ? `${error.message}: ${cause.message}` : error.message);
}

function saidBy(error: McpError): string {
  // The SDK puts the code before the server's message.
  const words = error.message.replace(/^MCP error -?\d+: /u, '');
  return bounded(error.data === undefined ? words : `${words} (${JSON.stringify(error.data)})`);
}

/** Whether the SDK timed out; a server's own error has other data. */
export function isTimeout(error: unknown): boolean {
  if (!(error instanceof McpError) || error.code !== TIMED_OUT) return false;
  const { data } = error;
  return typeof data === 'object' && data !== null && ('timeout' in data || 'maxTotalTimeout' in data);
}

/** The SDK's error for every open request when the connection ends; a server may use the same code. */
const CONNECTION_CLOSED = McpError.fromError(ErrorCode.ConnectionClosed, 'Connection closed').message;

/** Whether the error says only that the connection ended. */
export function isClosed(error: unknown): boolean {
  return error instanceof McpError && error.message === CONNECTION_CLOSED;
}

/** Whether the server answered, if only with a refusal. */
export function isAnswer(error: unknown): error is McpError {
  return error instanceof McpError && !isClosed(error) && !(error.data instanceof QueryError) && !isTimeout(error);
}

/**
 * Whether the request was turned away before doing anything, for example because the server has forgotten the session.
 */
export function wasTurnedAway(error: unknown): boolean {
  const { cause } = error instanceof QueryError ? error : { cause: undefined };
  return cause instanceof StreamableHTTPError && (cause.code === 404 || cause.code === 400);
}

/**
 * @param error why a call has no result
 * @param lost why the connection is gone, if it is
 */
export function queryError(error: unknown, server: string, lost: string | undefined): QueryError {
  if (error instanceof QueryError) return error;
  if (error instanceof McpError && error.data instanceof QueryError) return error.data;
  if (isTimeout(error)) {
    return new QueryError('timeout', `The MCP server “${server}” did not answer in time; the call was cancelled.`);
  }
  if (lost !== undefined && !isAnswer(error)) {
    return new QueryError('failed', `The MCP server “${server}” disconnected before it answered: ${lost}.`, {
      cause: error,
    });
  }
  if (error instanceof McpError) {
    const code = error.code === INVALID_PARAMS ? 'bad_request' : 'failed';
    return new QueryError(code, `The MCP server “${server}” refused with error ${error.code}: ${saidBy(error)}`);
  }
  return new QueryError('failed', `The MCP server “${server}” could not be queried: ${describeError(error)}`, {
    cause: error,
  });
}

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
