import { z } from 'zod';
import { satelliteMessage, type SatelliteMessage } from '@casebook/wire';

/** Maximum nesting of a satellite's message: a deeper one could overflow the stack when serialized again. */
const MAX_DEPTH = 100;
/** Maximum length of a problem's text: it may quote the message. */
const MAX_PROBLEM = 300;

const ofAnswer = z.object({ type: z.string().startsWith('answer.') });

/**
 * Validates a satellite's message. Everywhere but in answers, characters that PostgreSQL cannot store (NUL, lone
 * surrogates) are removed.
 * @returns the message, or its problem, as a sentence for the satellite's operator
 */
export function parseMessage(bytes: Buffer): SatelliteMessage | { problem: string } {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    return { problem: 'A message is not JSON.' };
  }
  // Answers carry only texts and numbers; the texts are themselves JSON and stay unchanged.
  if (!ofAnswer.safeParse(value).success) {
    if (isDeeperThan(value, MAX_DEPTH)) return { problem: `A message is nested deeper than ${MAX_DEPTH} levels.` };
    value = storable(value);
  }
  const parsed = satelliteMessage.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const type = z.object({ type: z.string().max(40) }).safeParse(value).data?.type ?? 'message';
  const problem = `A message (${type}) is not valid: ${issue?.path.join('.')}: ${issue?.message}`;
  return { problem: problem.slice(0, MAX_PROBLEM) };
}

function isDeeperThan(value: unknown, maxDepth: number): boolean {
  if (value === null || typeof value !== 'object') return false;
  return maxDepth === 0 || Object.values(value).some((member) => isDeeperThan(member, maxDepth - 1));
}

/** The parsed value, with storable texts and names. */
function storable(value: unknown): unknown {
  if (typeof value === 'string') return clean(value);
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(storable);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [clean(key), storable(member)]));
}

const clean = (text: string): string => text.toWellFormed().replaceAll('\0', '');
