/** Maps SDK and network errors to {@link ModelError}. */
import { APIConnectionError, APIConnectionTimeoutError, APIError } from '@anthropic-ai/sdk';
import { ModelError, type ModelErrorKind } from './port.ts';
import { messageOf } from '../message-of.ts';

/** Kind and retryability by the `type` of the API's error body, the only information within a stream. */
const BY_TYPE: Record<string, { kind: ModelErrorKind; retryable: boolean }> = {
  rate_limit_error: { kind: 'rate_limited', retryable: true },
  overloaded_error: { kind: 'overloaded', retryable: true },
  api_error: { kind: 'unavailable', retryable: true },
  timeout_error: { kind: 'timeout', retryable: true },
  authentication_error: { kind: 'authentication', retryable: false },
  permission_error: { kind: 'authentication', retryable: false },
  billing_error: { kind: 'authentication', retryable: false },
  not_found_error: { kind: 'invalid_request', retryable: false },
  request_too_large: { kind: 'invalid_request', retryable: false },
  invalid_request_error: { kind: 'invalid_request', retryable: false },
};

function byStatus(status: number): { kind: ModelErrorKind; retryable: boolean } {
  if (status === 429) return { kind: 'rate_limited', retryable: true };
  if (status === 529) return { kind: 'overloaded', retryable: true };
  if (status >= 500) return { kind: 'unavailable', retryable: true };
  if (status === 401 || status === 402 || status === 403) return { kind: 'authentication', retryable: false };
  return { kind: 'invalid_request', retryable: false };
}

/**
 * The {@link ModelError} for a failure.
 * @param answering whether the response had begun: a connection that fails then was interrupted; before that, the
 *   service is unavailable
 */
export function toModelError(error: unknown, answering: boolean): ModelError {
  if (error instanceof ModelError) return error;
  if (error instanceof APIConnectionTimeoutError) {
    return new ModelError('The model did not answer in time.', { kind: 'timeout', retryable: true, cause: error });
  }
  if (error instanceof APIError && !(error instanceof APIConnectionError)) {
    const kind =
      error.status === undefined
        ? (BY_TYPE[error.type ?? ''] ?? { kind: 'unavailable' as const, retryable: true })
        : byStatus(error.status);
    return new ModelError(`The model API answered with an error: ${error.apiMessage ?? error.message}`, {
      ...kind,
      status: error.status,
      retryAfterMs: kind.retryable && error.headers ? retryAfterMs(error.headers, Date.now()) : undefined,
      cause: error,
    });
  }
  const message = messageOf(error);
  return answering
    ? new ModelError(`The model's answer was interrupted: ${message}`, {
        kind: 'interrupted',
        retryable: true,
        cause: error,
      })
    : new ModelError(`The model API cannot be reached: ${message}`, {
        kind: 'unavailable',
        retryable: true,
        cause: error,
      });
}

/**
 * How long the server asks to wait, in milliseconds: `retry-after-ms`, else `Retry-After` in seconds or as a date.
 * @param now the current time in Unix milliseconds, to interpret a date
 */
function retryAfterMs(headers: Headers, now: number): number | undefined {
  const milliseconds = Number.parseFloat(headers.get('retry-after-ms') ?? '');
  if (Number.isFinite(milliseconds) && milliseconds >= 0) return milliseconds;
  const header = headers.get('retry-after')?.trim();
  if (!header) return undefined;
  if (/^\d+(\.\d+)?$/.test(header)) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
