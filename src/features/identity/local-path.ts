const LONGEST = 2_000;
const BASE = 'http://casebook.invalid';

/**
 * A path of this app, as a browser would request it. Anything that may lead to another host is rejected: `//host`,
 * `/\host`, absolute URLs, control characters (which browsers drop).
 * @returns path, query and fragment in ASCII; undefined for anything else
 */
export function localPath(text: string): string | undefined {
  // oxlint-disable-next-line no-control-regex -- they are what it is about
  if (text.length > LONGEST || !/^\/(?![/\\])[^\\\x00-\x1f\x7f]*$/.test(text)) return undefined;
  if (!URL.canParse(text, BASE)) return undefined;
  const { origin, pathname, search, hash } = new URL(text, BASE);
  // `/.//host` has become `//host`.
  const path = pathname + search + hash;
  return origin === BASE && !path.startsWith('//') && path.length <= LONGEST ? path : undefined;
}
