/** Where a link or an image in untrusted Markdown may lead. */

const CHART = /^\/api\/charts\/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

export interface LinkTarget {
  href: string;
  /** On another host: opened in a new tab without a referrer. */
  isExternal: boolean;
}

/**
 * Judges an address as the browser will read it, using the browser's own parser, whatever tricks its spelling plays
 * (case, white space, control characters, backslashes).
 * @param url as written in the text, entities decoded
 * @param origin of this app, such as `https://casebook.example`
 * @returns undefined unless the scheme is http, https or mailto, or the path starts at the root or points into the page
 */
export function linkTarget(url: string, origin: string): LinkTarget | undefined {
  const given = url.trim();
  if (/^#[\w-]+$/.test(given)) return { href: given, isExternal: false };
  if (!URL.canParse(given, origin)) return undefined;
  const parsed = new URL(given, origin);
  if (parsed.protocol === 'mailto:') return { href: parsed.href, isExternal: true };
  if (parsed.protocol !== 'https:' && parsed.protocol !== 'http:') return undefined;
  if (parsed.origin !== origin) return { href: parsed.href, isExternal: true };
  // A path with two leading slashes would name a host when read again.
  if (!/^(?:\/|https?:\/\/)/i.test(given) || parsed.pathname.startsWith('//')) return undefined;
  return { href: parsed.pathname + parsed.search + parsed.hash, isExternal: false };
}

/**
 * The image of a chart this app drew; undefined for any other image, which is never fetched.
 * @param ground the background it is shown on
 */
export function chartPicture(url: string, origin: string, ground: 'light' | 'dark'): string | undefined {
  const target = linkTarget(url, origin);
  return target !== undefined && !target.isExternal && CHART.test(target.href)
    ? `${target.href}?format=svg&ground=${ground}`
    : undefined;
}
