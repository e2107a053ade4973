/**
 * Makes text storable in PostgreSQL: NUL characters and unpaired surrogates, which it cannot hold, become U+FFFD.
 * Streamed text is converted too, so that it matches what will be stored.
 */
export function storableText(text: string): string {
  return text.replaceAll('\0', '\ufffd').toWellFormed();
}

/** JSON with all its texts made storable, member names included. */
export function storableJson<T>(value: T): T {
  const restored: T = JSON.parse(
    JSON.stringify(value, (_name, part: unknown) => {
      if (typeof part === 'string') return storableText(part);
      if (part === null || typeof part !== 'object' || Array.isArray(part)) return part;
      return Object.fromEntries(Object.entries(part).map(([name, inner]) => [storableText(name), inner]));
    }),
  );
  return restored;
}
