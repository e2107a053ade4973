import { randomBytes } from 'node:crypto';
import type { Context, Middleware } from 'koa';
import { readWebApp, type WebAppFiles, sendFile } from './files.ts';
import { pageHeaders } from './policy.ts';

const MAX_PATH_CHARACTERS = 2_000;

/**
 * Serves the built web app where no endpoint matched: its files, and its single page for every path that could be one
 * of its pages. Everything else goes to the next middleware.
 *
 * The files are few and small, so they are read into memory on the first request. Static servers (sirv, @koa/send) open
 * a file per request and have no notion of a page with a nonce; Koa handles negotiation, freshness and media types.
 * @param folder the output of `npm run build:web`; may appear while the process runs
 * @param apiPaths endpoint paths: nothing below the first segment of any of them is a page, so neither is a path that
 *   an endpoint answers with other methods
 */
export function webApp(folder: string, apiPaths: readonly string[]): Middleware {
  const reserved = new Set(['assets', ...apiPaths.map(firstSegment)]);
  let read: WebAppFiles | undefined;
  return async (ctx, next) => {
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return next();
    read ??= readWebApp(folder);
    const file = read?.files.get(ctx.path);
    if (file) {
      ctx.state['route'] = ctx.path.startsWith('/assets/') ? '/assets/*' : ctx.path;
      return sendFile(ctx, ctx.path, file);
    }
    if (reserved.has(firstSegment(ctx.path)) || !mayBePage(ctx.path) || !wantsPage(ctx)) return next();
    ctx.state['route'] = '/*';
    return sendPage(ctx, read?.page);
  };
}

function sendPage(ctx: Context, page: string | undefined): void {
  const nonce = randomBytes(16).toString('base64');
  ctx.vary('Accept');
  ctx.type = 'html';
  ctx.set(pageHeaders(nonce));
  ctx.status = page === undefined ? 404 : 200;
  ctx.body = page?.replaceAll('%CSP_NONCE%', nonce) ?? NOT_BUILT;
}

const firstSegment = (path: string): string => path.split('/')[1] ?? '';

/** No dot files, `..`, NUL characters or backslashes, plain or encoded: whoever probes for them gets a plain 404. */
const mayBePage = (path: string): boolean =>
  path.length <= MAX_PATH_CHARACTERS && !/\/(?:\.|%2e)|\\|%5c|%00|\/\//i.test(path);

/** Programs that accept anything get the API's own 404. */
const wantsPage = (ctx: Context): boolean => [ctx.accepts()].flat().includes('text/html');

/** What the API shows in a browser if the web app was not built. */
export const NOT_BUILT = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Casebook</title>
</head>
<body>
<h1>Casebook</h1>
<p>The API runs here, but its web app was not built. Build it with <code>npm run build:web</code>, then reload this page.</p>
<p>The API is described at <a href="/docs">/docs</a>.</p>
</body>
</html>
`;
