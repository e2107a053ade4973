import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import type { Context } from 'koa';
import { SCRIPT_POLICY } from './policy.ts';

/** A content coding in which a file may be stored beside the plain one, by the suffix that the build gives it. */
const CODINGS = { '.br': 'br', '.gz': 'gzip' } as const;
const isCoding = (extension: string): extension is keyof typeof CODINGS => Object.hasOwn(CODINGS, extension);

export type Coding = (typeof CODINGS)[keyof typeof CODINGS];

export interface WebFile {
  /** As in the file name: `.js`. */
  extension: string;
  /** Of the uncompressed bytes. */
  digest: string;
  body: Buffer;
  coded: Partial<Record<Coding, Buffer>>;
}

export interface WebAppFiles {
  /** The page, with `%CSP_NONCE%` as the placeholder for each response's nonce. */
  page: string;
  /** By request path. Anything else does not exist: request paths are never looked up on disk. */
  files: ReadonlyMap<string, WebFile>;
}

/**
 * Reads a built web app, a few megabytes, into memory. Skips source maps, and files and folders whose name begins with
 * a dot.
 * @param folder the output of `npm run build:web`
 * @returns undefined if the app was not built
 */
export function readWebApp(folder: string): WebAppFiles | undefined {
  if (!existsSync(join(folder, 'index.html'))) return undefined;
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `/${relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, '/')}`);
  const files = new Map<string, WebFile>();
  for (const path of paths) {
    const extension = extname(path);
    if (path === '/index.html' || path.includes('/.') || extension === '.map' || isCoding(extension)) continue;
    const body = readFileSync(join(folder, path));
    const digest = createHash('sha256').update(body).digest('base64url').slice(0, 22);
    files.set(path, { extension, digest, body, coded: {} });
  }
  for (const path of paths) {
    const extension = extname(path);
    if (!isCoding(extension)) continue;
    const plain = files.get(path.slice(0, -extension.length));
    if (plain) plain.coded[CODINGS[extension]] = readFileSync(join(folder, path));
  }
  return { page: readFileSync(join(folder, 'index.html'), 'utf8'), files };
}

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
