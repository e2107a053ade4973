import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';

/** A coding that a file may be stored in beside the plain one, by the ending that the build gives it. */
const CODINGS = { '.br': 'br', '.gz': 'gzip' } as const;
const isCoding = (extension: string): extension is keyof typeof CODINGS => Object.hasOwn(CODINGS, extension);

export type Coding = (typeof CODINGS)[keyof typeof CODINGS];

export interface WebFile {
  /** As in a file name: `.js`. */
  extension: string;
  /** Of the plain bytes. */
  digest: string;
  body: Buffer;
  coded: Partial<Record<Coding, Buffer>>;
}

export interface WebAppFiles {
  /** The page, with `%CSP_NONCE%` where each response has a nonce of its own. */
  page: string;
  /** By request path. What is not in here does not exist: no path of a request is ever looked up on the disk. */
  files: ReadonlyMap<string, WebFile>;
}

/**
 * Reads a built web app, a few megabytes, into memory. Files whose name or folder begins with a dot, and source maps,
 * are left out.
 * @param folder what `npm run build:web` wrote
 * @returns undefined when the app was not built
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
