/** Where a link or an image in untrusted Markdown may lead. */

const CHART = /^\/api\/charts\/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

export interface LinkTarget {
  href: string;
  /** Of another host: opened beside the app, which tells it nothing. */
  isExternal: boolean;
}

/**
 * Judges an address as the browser will read it, whatever tricks its spelling plays (case, white space, control
 * characters, backslashes): by its own parser.
 * @param url as the text has it, entities decoded
 * @param origin of this app, such as `https://casebook.example`
 * @returns undefined for what is not a link: any scheme but http, https and mailto, and relative paths other than
 *   those from the root or to a place in the page
 */
export function linkTarget(url: string, origin: string): LinkTarget | undefined {
  const given = url.trim();
  if (/^#[\w-]+$/.test(given)) return { href: given, isExternal: false };
  if (!URL.canParse(given, origin)) return undefined;
  const parsed = new URL(given, origin);
  if (parsed.protocol === 'mailto:') return { href: parsed.href, isExternal: true };
  if (parsed.protocol !== 'https:' && parsed.protocol !== 'http:') return undefined;
  if (parsed.origin !== origin) return { href: parsed.href, isExternal: true };
  // A path that begins with two slashes would name a host when it is read again.
  if (!/^(?:\/|https?:\/\/)/i.test(given) || parsed.pathname.startsWith('//')) return undefined;
  return { href: parsed.pathname + parsed.search + parsed.hash, isExternal: false };
}

/**
 * The picture of a chart that this app drew; undefined for any other image, which is never fetched.
 * @param ground what the picture lies on
 */
export function chartPicture(url: string, origin: string, ground: 'light' | 'dark'): string | undefined {
  const target = linkTarget(url, origin);
  return target !== undefined && !target.isExternal && CHART.test(target.href)
    ? `${target.href}?format=svg&ground=${ground}`
    : undefined;
}
