/** What a browser loads before it can show a page of the web app, from Vite's manifest: pure. */

/** The parts of a Vite manifest entry that are used. */
export interface Chunk {
  file: string;
  isEntry?: boolean;
  /** Statically imported chunks, by manifest key. */
  imports?: string[];
  /** Dynamically imported chunks. */
  dynamicImports?: string[];
}

export type Manifest = Readonly<Record<string, Chunk>>;

export interface Bytes {
  gzip: number;
  brotli: number;
}

export interface FirstView {
  /** The page's module, relative to the folder of all pages: `chats/list.tsx`. */
  page: string;
  /** Scripts of the first view, heaviest first. */
  scripts: (Bytes & { file: string })[];
  total: Bytes;
}

const PAGES = 'src/pages/';

/**
 * The first view of every page: the entry, the page's own chunk, and what these two import statically.
 * @param sizeOf compressed size of a built file, in bytes
 * @throws {Error} if the manifest has no entry, or names a missing chunk
 */
export function firstViews(manifest: Manifest, sizeOf: (file: string) => Bytes): FirstView[] {
  const entry = Object.keys(manifest).find((key) => manifest[key]?.isEntry === true);
  if (entry === undefined) throw new Error('The manifest has no entry.');
  const shell = withImports(manifest, [entry]);
  const pages = [...shell].flatMap((key) => manifest[key]?.dynamicImports ?? []).filter((key) => key.startsWith(PAGES));
  return [...new Set(pages)].sort().map((page) => {
    const files = new Set([...withImports(manifest, [entry, page])].map((key) => manifest[key]!.file));
    const scripts = [...files]
      .filter((file) => file.endsWith('.js'))
      .map((file) => ({ file, ...sizeOf(file) }))
      .sort((a, b) => b.gzip - a.gzip);
    const sum = (coding: keyof Bytes) => scripts.reduce((total, script) => total + script[coding], 0);
    return { page: page.slice(PAGES.length), scripts, total: { gzip: sum('gzip'), brotli: sum('brotli') } };
  });
}

/** Keys of these chunks and of everything they import statically. */
function withImports(manifest: Manifest, keys: readonly string[]): Set<string> {
  const seen = new Set<string>();
  const visit = (key: string): void => {
    if (seen.has(key)) return;
    const chunk = manifest[key];
    if (!chunk) throw new Error(`The manifest does not have ${key}.`);
    seen.add(key);
    for (const imported of chunk.imports ?? []) visit(imported);
  };
  for (const key of keys) visit(key);
  return seen;
}

/** Compressed bytes for people: `12.3 kB`. */
export const kilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(1)} kB`;

/** One line per page, then the heaviest scripts of each page over budget. */
export function budgetReport(views: readonly FirstView[], budgetBytes: number): { text: string; over: boolean } {
  const width = Math.max(...views.map(({ page }) => page.length), 'page'.length);
  const row = (page: string, gzip: string, brotli: string) =>
    `${page.padEnd(width)}  ${gzip.padStart(9)}  ${brotli.padStart(9)}`;
  const table = [
    row('page', 'gzip', 'brotli'),
    ...views.map(({ page, total }) => row(page, kilobytes(total.gzip), kilobytes(total.brotli))),
  ];
  const over = views.filter(({ total }) => total.gzip >= budgetBytes);
  const complaints = over.map(({ page, total, scripts }) => {
    const heaviest = scripts.slice(0, 5).map(({ file, gzip }) => `${file} (${kilobytes(gzip)})`);
    return `${page}: the first view has ${kilobytes(total.gzip)} of scripts and must have less than ${kilobytes(budgetBytes)}. The heaviest: ${heaviest.join(', ')}.`;
  });
  return { text: [...table, ...complaints].join('\n'), over: over.length > 0 };
}
