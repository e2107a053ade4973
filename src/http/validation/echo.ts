/** Names under which people send credentials. */
const SENSITIVE = /key|secret|token|password|passwd|credential|authorization|cookie|private|connection_?string|dsn/i;

const MAX_TEXT = 200;
const MAX_MEMBERS = 20;
const MAX_DEPTH = 3;

/** Whether the value at this path may be a credential, which is never echoed. */
export const isSensitive = (loc: readonly PropertyKey[]): boolean =>
  loc.some((part) => typeof part === 'string' && SENSITIVE.test(part));

/** A truncated copy of what was received, without potential credentials, for the `input` of a validation issue. */
export function echo(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT).toWellFormed()}…` : value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value !== 'object' || value === null) return typeof value === 'boolean' ? value : null;
  if (depth >= MAX_DEPTH) return '…';
  if (Array.isArray(value)) return value.slice(0, MAX_MEMBERS).map((item) => echo(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, MAX_MEMBERS)
      .map(([key, item]) => [String(echo(key)), SENSITIVE.test(key) ? '[redacted]' : echo(item, depth + 1)]),
  );
}
