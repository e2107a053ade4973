/** What a page of the web app may do: run this origin's scripts and talk to it, nothing else. */

const NOWHERE = ["default-src 'none'", "base-uri 'none'", "form-action 'self'", "frame-ancestors 'none'"];

const TRUSTED_TYPES = ["require-trusted-types-for 'script'", 'trusted-types casebook'];

/** @param nonce of this response; style elements added at run time must carry it */
export function pageHeaders(nonce: string): Record<string, string> {
  return {
    'Content-Security-Policy': [
      ...NOWHERE,
      "script-src 'self'",
      `style-src 'self' 'nonce-${nonce}'`,
      "img-src 'self' data:",
      "connect-src 'self'",
      "font-src 'self'",
      "worker-src 'self'",
      "manifest-src 'self'",
      ...TRUSTED_TYPES,
    ].join('; '),
    'Referrer-Policy': 'no-referrer',
    'X-Robots-Tag': 'noindex',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Permissions-Policy':
      'camera=(), display-capture=(), geolocation=(), hid=(), microphone=(), payment=(), serial=(), usb=()',
    // A nonce is for one response, so a cached copy must be revalidated.
    'Cache-Control': 'private, no-cache',
  };
}

/** A script may be a worker's, which runs under its own response's policy, not the page's. */
export const SCRIPT_POLICY = [...NOWHERE, "script-src 'self'", "connect-src 'self'", ...TRUSTED_TYPES].join('; ');
