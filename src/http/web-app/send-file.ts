import type { Context } from 'koa';
import type { Coding, WebFile } from './files.ts';
import { SCRIPT_POLICY } from './policy.ts';

/** Names with a hash of the content: the same name never has another content. */
const HASHED = '/assets/';
const YEAR_SECONDS = 31_536_000;

/** Answers GET and HEAD with a file, compressed where the build did that and the client takes it. */
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

/** The smaller one that the client takes at all: browsers name gzip first, and mean nothing by it. */
const preferredCoding = (ctx: Context, { coded }: WebFile): Coding | undefined =>
  (['br', 'gzip'] as const).find((coding) => coded[coding] !== undefined && ctx.acceptsEncodings(coding) === coding);
