/** Reads the repository's Markdown files as far as the tests of the documents need it. */
import { globSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '../..');

export interface Document {
  /** From the repository's root. */
  path: string;
  text: string;
  /** The text without fenced code blocks, white space collapsed. */
  prose: string;
  /** Contents of fenced code blocks. */
  blocks: string[];
  /** Contents of code spans in the prose. */
  spans: string[];
}

const FENCE = /^```.*\n([\s\S]*?)^```$/gm;

/** Every Markdown file that people write: those at the root, in docs and demo, and those of rooms and workspaces. */
export function documents(): Document[] {
  const paths = globSync(
    ['*.md', 'docs/**/*.md', 'demo/**/*.md', 'src/features/*/README.md', '{packages/*,web}/README.md'],
    { cwd: ROOT },
  ).sort();
  return paths.map((path) => parse(path, readFileSync(join(ROOT, path), 'utf8')));
}

function parse(path: string, text: string): Document {
  const prose = text.replace(FENCE, '').replaceAll(/\s+/g, ' ');
  return {
    path,
    text,
    prose,
    blocks: [...text.matchAll(FENCE)].map(([, block = '']) => block),
    spans: [...prose.matchAll(/(?<!`)`([^`]+)`(?!`)/g)].map(([, span = '']) => span),
  };
}

/** Anchors of a document's headings, as GitHub makes them. */
export function anchorsOf({ text }: Pick<Document, 'text'>): Set<string> {
  const headings = [...text.replace(FENCE, '').matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .trim()
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

export interface Link {
  /** From the repository's root; the document itself for a link that is only an anchor. */
  file: string;
  anchor?: string;
}

/** Links and pictures of a document that point into the repository. */
export function localLinks({ path, prose }: Document): Link[] {
  return [...prose.matchAll(/\]\(([^()\s]+)\)/g)].flatMap(([, target = '']) => {
    if (/^[a-z][a-z+.-]*:/i.test(target)) return [];
    const [file = '', anchor] = target.split('#');
    return [{ file: file === '' ? path : relative(ROOT, resolve(ROOT, path, '..', file)), anchor }];
  });
}
