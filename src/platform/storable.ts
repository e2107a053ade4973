/**
 * A text as PostgreSQL takes it: a NUL character and half a surrogate pair, which it cannot hold, become U+FFFD. What is
 * streamed is made storable as well, so that it is what will be stored.
 */
export function storableText(text: string): string {
  return text.replaceAll('\0', '\ufffd').toWellFormed();
}

/** JSON with every text in it made storable, the names of members included. */
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
