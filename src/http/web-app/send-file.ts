import type { Context } from 'koa';
import type { Coding, WebFile } from './files.ts';
import { SCRIPT_POLICY } from './policy.ts';

/** Names with a content hash: the same name always has the same content. */
const HASHED = '/assets/';
const YEAR_SECONDS = 31_536_000;

/** Answers GET and HEAD with a file, compressed if the build provides that and the client accepts it. */
export function sendFile(ctx: Context, path: string, file: WebFile): void {
  const coding = preferredCoding(ctx, file);
  ctx.status = 200;
  ctx.type = file.extension;
  ctx.etag = coding === undefined ? file.digest : `${file.digest}-${coding}`;
  ctx.set('Cache-Control', path.startsWith(HASHED) ? `public, max-age=${YEAR_SECONDS}, immutable` : 'no-cache');
  if (file.extension === '.js') ctx.set('Content-Security-Policy', SCRIPT_POLICY);
  if (Object.keys(file.coded).length > 0) ctx.vary('Accept-Encoding');
  if (ctx.fresh) {
    ctx.status = 304;
    return;
  }
  if (coding !== undefined) ctx.set('Content-Encoding', coding);
  ctx.body = coding === undefined ? file.body : file.coded[coding];
}

/** The smallest coding the client accepts: browsers list gzip first without preferring it. */
const preferredCoding = (ctx: Context, { coded }: WebFile): Coding | undefined =>
  (['br', 'gzip'] as const).find((coding) => coded[coding] !== undefined && ctx.acceptsEncodings(coding) === coding);
