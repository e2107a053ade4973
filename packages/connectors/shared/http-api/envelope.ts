import { z } from 'zod';
import { QueryError } from '../../connector.ts';

const envelope = z.object({ data: z.unknown().optional() });

/**
 * What an answer has in its `data` member, as it is; null where the system left it out, which some do for "nothing".
 * @param place the system, for people
 * @throws {QueryError} when the answer is no object: it is some other system's
 */
export function dataOf(answer: unknown, place: string): unknown {
  const parsed = envelope.safeParse(answer);
  if (parsed.success) return parsed.data.data ?? null;
  throw new QueryError('failed', `${place} answered in an unknown form; is its url right?`);
}
