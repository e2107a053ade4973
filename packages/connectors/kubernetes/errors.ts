import { z } from 'zod';
import { QueryError } from '../connector.ts';

const CODES: Record<number, QueryError['code']> = {
  400: 'bad_request',
  404: 'not_found',
  408: 'timeout',
  422: 'bad_request',
  429: 'busy',
  503: 'busy',
  504: 'timeout',
};

/** `Status` of the Kubernetes API, as the client returns it: parsed for the codes it knows, as text for others. */
const status = z.object({
  message: z.string().optional(),
  reason: z.string().optional(),
  metadata: z.object({ _continue: z.string().optional(), continue: z.string().optional() }).optional(),
});
const exception = z.object({ code: z.number(), body: z.unknown() });

function statusOf(error: unknown): { code: number; body: z.output<typeof status> } | undefined {
  const { data } = exception.safeParse(error);
  if (!data) return undefined;
  const body = typeof data.body === 'string' ? parsed(data.body) : data.body;
  return { code: data.code, body: status.safeParse(body).data ?? {} };
}

export function asQueryError(error: unknown, signal: AbortSignal): QueryError {
  if (error instanceof QueryError) return error;
  if (signal.aborted) return new QueryError('timeout', 'The query was stopped: it timed out, or its caller gave up.');
  const served = statusOf(error);
  if (served) {
    const { code, body } = served;
    const words = body.message ?? body.reason ?? (code === 401 ? 'Unauthorized' : 'no reason given');
    return new QueryError(CODES[code] ?? 'failed', `Kubernetes: ${words} (status ${code})`);
  }
  const words = error instanceof Error ? [error.message, causeOf(error)].filter(Boolean).join(': ') : String(error);
  return new QueryError('failed', `No answer from Kubernetes: ${words}`, { cause: error });
}

/** @returns the token to continue with when the one sent has expired (410) */
export function expiredContinue(error: unknown): string | undefined {
  const served = statusOf(error);
  if (served?.code !== 410) return undefined;
  return (served.body.metadata?._continue ?? served.body.metadata?.continue) || undefined;
}

export const tooLarge = (maxBytes: number): QueryError =>
  new QueryError('too_large', `The answer exceeds ${maxBytes} bytes. Ask for one namespace, or use a selector.`);

function causeOf(error: Error): string {
  return error.cause instanceof Error ? error.cause.message : '';
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return { message: text.slice(0, 500) };
  }
}
