import { z } from 'zod';
import { satelliteMessage, type SatelliteMessage } from '@casebook/wire';

/** Nothing that a satellite says is nested deeper: what is could overflow the stack of whoever writes it as JSON. */
const MAX_DEPTH = 100;
/** Most characters of a problem: it may quote what was sent. */
const MAX_PROBLEM = 300;

const ofAnswer = z.object({ type: z.string().startsWith('answer.') });

/**
 * A message of a satellite, checked. In everything but answers, what PostgreSQL cannot store (NUL, half of a surrogate
 * pair) is left out.
 * @returns the message, or what is wrong with it, as a sentence for the satellite's operator
 */
export function parseMessage(bytes: Buffer): SatelliteMessage | { problem: string } {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    return { problem: 'A message is not JSON.' };
  }
  // Of an answer only texts and numbers are taken; the texts are JSON themselves and stay as they are.
  if (!ofAnswer.safeParse(value).success) {
    if (isDeeperThan(value, MAX_DEPTH)) return { problem: `A message is nested deeper than ${MAX_DEPTH}.` };
    value = storable(value);
  }
  const parsed = satelliteMessage.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const type = z.object({ type: z.string().max(40) }).safeParse(value).data?.type ?? 'message';
  const problem = `A message (${type}) is not valid: ${issue?.path.join('.')}: ${issue?.message}`;
  return { problem: problem.slice(0, MAX_PROBLEM) };
}

function isDeeperThan(value: unknown, most: number): boolean {
  if (value === null || typeof value !== 'object') return false;
  return most === 0 || Object.values(value).some((member) => isDeeperThan(member, most - 1));
}

/** What was parsed, with texts and names that can be stored. */
function storable(value: unknown): unknown {
  if (typeof value === 'string') return clean(value);
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(storable);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [clean(key), storable(member)]));
}

const clean = (text: string): string => text.toWellFormed().replaceAll('\0', '');
