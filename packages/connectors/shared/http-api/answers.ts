import { z } from 'zod';
import { QueryError } from '../../connector.ts';
import type { HttpApi } from './index.ts';

const envelope = z.object({ data: z.unknown().optional() });

/**
 * The `data` member of an answer, unchanged; null when the system omitted it, as some do for "nothing".
 * @param place the system, for people
 * @throws {QueryError} when the answer is not an object, which means some other system sent it
 */
export function dataOf(answer: unknown, place: string): unknown {
  return parseAnswer(envelope, answer, place).data ?? null;
}

/**
 * An answer in the form that is expected of it.
 * @param place the system, for people
 * @throws {QueryError} when it has another form
 */
export function parseAnswer<Schema extends z.ZodType>(
  schema: Schema,
  answer: unknown,
  place: string,
): z.output<Schema> {
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  const path = parsed.error.issues[0]!.path.join('.');
  throw new QueryError('failed', `${place} answered in an unknown form${path && `: ${path}`}; is its url right?`);
}

/** Maximum size of the answer to a check: the right kind of server answers briefly. */
const MAX_CHECK_BYTES = 4 * 1024 * 1024;

/**
 * Sends a request that only the right kind of server answers in the right form.
 * @param hint what to look at when some other server answers
 * @throws {QueryError} when nothing answers, or something else does
 */
export async function checkAnswer(
  http: HttpApi,
  request: Parameters<HttpApi['json']>[0] & { as?: 'json' | 'text' },
  schema: z.ZodType,
  options: { hint: string; signal: AbortSignal },
): Promise<void> {
  const context = { signal: options.signal, maxBytes: MAX_CHECK_BYTES };
  const path = `/${request.path.join('/')}`;
  let answer: unknown;
  try {
    answer = await (request.as === 'text' ? http.text(request, context) : http.json(request, context));
  } catch (error) {
    if (!(error instanceof QueryError) || error.code !== 'not_found') throw error;
    throw new QueryError('failed', `${error.message} (to ${path}). ${options.hint}`, { cause: error });
  }
  if (schema.safeParse(answer).success) return;
  throw new QueryError('failed', `${http.place} answered ${path} with something unexpected. ${options.hint}`);
}
