import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { anchorsOf, documents, localLinks, ROOT } from './markdown.ts';

const PICTURE_BYTES = 300_000;
const FOLDERS = '(?:src|workflows|activities|temporal|demo|bench|test|docs|scripts|web/src|\\.ci)';
const PATH = new RegExp(`^${FOLDERS}(?:/[\\w.-]+)*/?$`);
const TREE_LINE = new RegExp(`^(${FOLDERS}/[\\w./-]*)(?= {2})`, 'gm');
/** Names that stand for others, as in `workflows/ROOM.ts`. */
const PLACEHOLDER = /ROOM|NAME|NOUN|NNNN|TIMESTAMP/;
const FILE_NAME = /^[\w.-]+\.(?:ts|mjs|md|json|yml)$/;
/** `test/file.test.ts`: "title of a test in it" */
const TEST_TITLE = /`(test\/[\w./-]+\.test\.ts)`: "([^"]+)"/g;

const all = documents();
const exists = (path: string): boolean => existsSync(join(ROOT, path));

describe('documents: what they point to', () => {
  it('are there', () => {
    const paths = all.map(({ path }) => path);
    for (const path of ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md']) {
      assert.ok(paths.includes(path), path);
    }
    assert.match(readFileSync(join(ROOT, 'LICENSE'), 'utf8'), /Apache License\s+Version 2\.0/);
  });

  it('links lead to files and headings that exist', () => {
    const links = all.flatMap((document) => localLinks(document).map((link) => ({ from: document.path, ...link })));
    assert.ok(links.length > 30);
    const broken = links.filter(({ file, anchor }) => {
      if (!exists(file)) return true;
      const target = all.find(({ path }) => path === file);
      return anchor !== undefined && target !== undefined && !anchorsOf(target).has(anchor);
    });
    assert.deepEqual(broken, []);
  });

  it('every path that is named exists', () => {
    const named = all.flatMap(({ path, spans, blocks }) => [
      ...spans.filter((span) => PATH.test(span)).map((span) => ({ from: path, span })),
      ...blocks.flatMap((block) => [...block.matchAll(TREE_LINE)].map(([, span = '']) => ({ from: path, span }))),
    ]);
    assert.ok(named.length > 60);
    const missing = named.filter(({ span }) => !PLACEHOLDER.test(span) && !exists(span));
    assert.deepEqual(missing, []);
  });

  it('every file name that is given without its folder is the name of a file', () => {
    const ours = globSync('**/*.{ts,mjs,md,json,yml}', {
      cwd: ROOT,
      exclude: (path) => /(?:^|\/)(?:node_modules|\.casebook|dist)(?:\/|$)/.test(path),
    });
    const names = new Set(ours.map((path) => basename(path)));
    const unknown = all.flatMap(({ path, spans }) =>
      spans
        .filter((span) => FILE_NAME.test(span) && !PLACEHOLDER.test(span) && !names.has(span))
        .map((span) => `${path}: ${span}`),
    );
    assert.deepEqual(unknown, []);
  });

  it('every test that is named by its title is in its file', () => {
    const named = all.flatMap(({ prose }) => [...prose.matchAll(TEST_TITLE)]);
    assert.ok(named.length >= 8);
    const missing = named
      .map(([, file = '', title = '']) => ({ file, title }))
      .filter(({ file, title }) => !exists(file) || !readFileSync(join(ROOT, file), 'utf8').includes(title));
    assert.deepEqual(missing, []);
  });

  it('every decision record is in the index, numbered without gaps, and says its status', () => {
    const records = all.filter(({ path }) => /^docs\/adr\/\d{4}-[\w-]+\.md$/.test(path));
    const index = all.find(({ path }) => path === 'docs/adr/README.md');
    const linked = new Set(index && localLinks(index).map(({ file }) => file));
    for (const [position, { path, text }] of records.entries()) {
      const number = String(position + 1).padStart(4, '0');
      assert.ok(path.startsWith(`docs/adr/${number}-`), `${path} should be number ${number}`);
      assert.ok(text.startsWith(`# ${number}: `), path);
      assert.match(text, /^Status: \w+/m);
      assert.ok(linked.has(path), `${path} is not in docs/adr/README.md`);
    }
  });

  it('the two first pages stay short', () => {
    assert.ok(statSync(join(ROOT, 'README.md')).size <= 9_500);
    assert.ok(statSync(join(ROOT, 'ARCHITECTURE.md')).size <= 14_500);
  });

  it('pictures stay small', () => {
    const pictures = all.flatMap(localLinks).filter(({ file }) => /\.(png|svg|jpe?g|gif)$/.test(file));
    assert.ok(pictures.length > 0);
    for (const { file } of pictures) assert.ok(statSync(join(ROOT, file)).size < PICTURE_BYTES, file);
  });
});
