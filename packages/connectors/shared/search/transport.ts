import { z } from 'zod';
import { type OperationContext, QueryError } from '../../connector.ts';

/** The only requests ever made. None changes anything: a search may have a body and then is a POST. */
export interface SearchRequest {
  method: 'GET' | 'POST';
  /** Path segments; each is encoded. */
  path: readonly string[];
  query?: Record<string, string | number | boolean>;
  body?: Record<string, unknown>;
}

/** The used part of a vendor's client. */
export interface SearchTransport {
  /**
   * @returns the answer's JSON
   * @throws {QueryError} with the server's reason
   */
  ask(request: SearchRequest, context: OperationContext): Promise<unknown>;
  close(): Promise<void>;
}

export interface SearchServer {
  url: string;
  username?: string;
  password?: string;
  /** Elasticsearch only. */
  apiKey?: string;
  /** Certificate authority in PEM. */
  caFile?: string;
  timeoutMs: number;
}

export const pathOf = ({ path }: SearchRequest): string => `/${path.map(encodeURIComponent).join('/')}`;

const CODES: Record<number, QueryError['code']> = {
  400: 'bad_request',
  404: 'not_found',
  408: 'timeout',
  413: 'too_large',
  429: 'busy',
  503: 'busy',
  504: 'timeout',
};

const cause = z.object({ type: z.string().optional(), reason: z.string().nullish() });
const errorBody = z.object({
  error: z.union([
    z.string(),
    cause.extend({
      root_cause: z.array(cause).optional(),
      caused_by: cause.optional(),
      failed_shards: z.array(z.object({ reason: cause.optional() })).optional(),
    }),
  ]),
});

/** @returns the server's reasons for refusing a request, including the causes */
export function refusal(vendor: string, status: number, body: unknown): QueryError {
  const { data } = errorBody.safeParse(body);
  const reasons = !data
    ? [typeof body === 'string' ? body.slice(0, 500) : '']
    : typeof data.error === 'string'
      ? [data.error]
      : [data.error, ...(data.error.root_cause ?? []), data.error.caused_by, data.error.failed_shards?.[0]?.reason].map(
          (one) => one && [one.type, one.reason].filter(Boolean).join(': '),
        );
  const words = [...new Set(reasons)].filter(Boolean).join('; ');
  return new QueryError(CODES[status] ?? 'failed', `${vendor}: ${words || 'no reason given'} (status ${status})`);
}

export function noAnswer(vendor: string, error: unknown, signal: AbortSignal): QueryError {
  if (error instanceof QueryError) return error;
  if (signal.aborted) return new QueryError('timeout', 'The query was stopped: it timed out, or its caller gave up.');
  const words = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && error.name === 'TimeoutError' ? 'timeout' : 'failed';
  return new QueryError(code, `No answer from ${vendor}: ${words}`, { cause: error });
}

export const tooLarge = (maxBytes: number): QueryError =>
  new QueryError('too_large', `The answer exceeds ${maxBytes} bytes. Ask for fewer hits or a narrower index.`);
