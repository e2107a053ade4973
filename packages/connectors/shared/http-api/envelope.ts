import { z } from 'zod';
import { QueryError } from '../../connector.ts';

const envelope = z.object({ data: z.unknown().optional() });

/**
 * The `data` member of an answer, unchanged; null when the system omitted it, as some do for "nothing".
 * @param place the system, for people
 * @throws {QueryError} when the answer is not an object, which means some other system sent it
 */
export function dataOf(answer: unknown, place: string): unknown {
  const parsed = envelope.safeParse(answer);
  if (parsed.success) return parsed.data.data ?? null;
  throw new QueryError('failed', `${place} answered in an unknown form; is its url right?`);
}
