import { z } from 'zod';
import { satelliteMessage, type SatelliteMessage } from '../wire/index.ts';

/**
 * A message of a satellite, checked. In everything but answers, what PostgreSQL cannot store (NUL, half of a surrogate
 * pair) is left out.
 * @returns the message, or what is wrong with it, as a sentence for the satellite's operator
 */
export function parseMessage(bytes: Buffer): SatelliteMessage | { problem: string } {
  const text = bytes.toString('utf8');
  let value: unknown;
  try {
    value = text.includes('"answer.') ? JSON.parse(text) : JSON.parse(text, storable);
  } catch {
    return { problem: 'A message is not JSON.' };
  }
  const parsed = satelliteMessage.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const type = z.object({ type: z.string().max(40) }).safeParse(value).data?.type ?? 'message';
  return { problem: `A message (${type}) is not valid: ${issue?.path.join('.')}: ${issue?.message}` };
}

function storable(_key: string, value: unknown): unknown {
  if (typeof value === 'string') return clean(value);
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  const entries = Object.entries(value);
  return entries.every(([key]) => key === clean(key))
    ? value
    : Object.fromEntries(entries.map(([key, member]) => [clean(key), member]));
}

const clean = (text: string): string => text.toWellFormed().replaceAll('\0', '');
