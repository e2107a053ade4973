/** RFC 6901. */

/** What a JSON pointer refers to: `{ value }`, or `undefined` if the document has nothing there. Own members only. */
export function atPointer(document: unknown, pointer: string): { value: unknown } | undefined {
  let value = document;
  for (const escaped of pointer.split('/').slice(1)) {
    const name = escaped.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(value)) {
      // No leading zeros, and no "-", which names the element after the last one.
      if (!/^(0|[1-9]\d*)$/.test(name) || Number(name) >= value.length) return undefined;
      value = value[Number(name)];
    } else if (typeof value === 'object' && value !== null && Object.hasOwn(value, name)) {
      value = Object.getOwnPropertyDescriptor(value, name)?.value;
    } else return undefined;
  }
  return { value };
}
