/** Fails if the first view of any page of the built web app is over budget: `npm run check:bundle`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { budgetReport, firstViews, type Bytes } from './first-views.ts';

/** Compressed JavaScript before a page shows. */
const BUDGET_BYTES = 250_000;

const dist = join(import.meta.dirname, '../web/dist');
const sizes = new Map<string, Bytes>();

/** As the build compresses it, small files included. */
function sizeOf(file: string): Bytes {
  const known = sizes.get(file);
  if (known) return known;
  const text = readFileSync(join(dist, file));
  const bytes = { gzip: gzipSync(text, { level: 9 }).length, brotli: brotliCompressSync(text).length };
  sizes.set(file, bytes);
  return bytes;
}

const views = firstViews(JSON.parse(readFileSync(join(dist, '.vite/manifest.json'), 'utf8')), sizeOf);
if (views.length === 0) throw new Error('The build has no page that is loaded when it is wanted.');
const { text, over } = budgetReport(views, BUDGET_BYTES);
console.log(text);
if (over) process.exitCode = 1;
