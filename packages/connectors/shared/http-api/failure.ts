import { QueryError } from '../../connector.ts';

/** What the status of an error response says about the query. Gateways send 502 and 503 for a system that is down. */
export function codeOf(status: number): QueryError['code'] {
  if (status === 400 || status === 422) return 'bad_request';
  if (status === 404) return 'not_found';
  if (status === 408 || status === 504) return 'timeout';
  if (status === 413) return 'too_large';
  if (status === 429) return 'busy';
  return 'failed';
}

/**
 * The error to throw for a failed request: the signal's reason when the caller gave up, a {@link QueryError} with
 * advice when it timed out, and otherwise one with the network's error.
 * @param place the system, for people: its name and host
 */
export function failureOf(error: unknown, place: string, signal: AbortSignal): unknown {
  if (signal.aborted) return isTimeout(signal.reason) ? outOfTime(place, signal.reason) : signal.reason;
  if (error instanceof QueryError) return error;
  const reason = reasonOf(error);
  if (/TIMEOUT|ETIMEDOUT/u.test(reason)) return outOfTime(place, error);
  return new QueryError('failed', `${place} did not answer: ${reason}`, { cause: error });
}

function outOfTime(place: string, cause: unknown): QueryError {
  return new QueryError(
    'timeout',
    `${place} did not answer in time: ask for a shorter time range, or for fewer series`,
    {
      cause,
    },
  );
}

function isTimeout(reason: unknown): boolean {
  return reason instanceof Error && reason.name === 'TimeoutError';
}

/** fetch hides the actual error in its cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
}
