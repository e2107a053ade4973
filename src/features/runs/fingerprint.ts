import { createHash } from 'node:crypto';

/** Equal for equal calls; key order does not matter, since jsonb returns its own. */
export function fingerprint(name: string, input: unknown): string {
  return createHash('sha256').update(name).update(canonicalJson(input)).digest('base64url').slice(0, 16);
}

/** Hexadecimal SHA-256 of a call, as canonical JSON of `[name, input]`: what a person approves. */
export const callDigest = (name: string, input: unknown): string =>
  createHash('sha256')
    .update(canonicalJson([name, input]))
    .digest('hex');

function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, nested: unknown) =>
    nested !== null && typeof nested === 'object' && !Array.isArray(nested)
      ? Object.fromEntries(Object.entries(nested).sort(([a], [b]) => (a < b ? -1 : 1)))
      : nested,
  );
}
