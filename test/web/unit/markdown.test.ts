import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import ReactMarkdown from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { remarkBareUrls } from '../../../web/src/components/markdown/bare-urls.ts';
import { splitBlocks } from '../../../web/src/components/markdown/blocks.ts';
import { remarkCitations } from '../../../web/src/components/markdown/citations.ts';
import { isTooMuch } from '../../../web/src/components/markdown/limits.ts';
import { chartPicture, linkTarget } from '../../../web/src/components/markdown/links.ts';
import { remarkRawHtml } from '../../../web/src/components/markdown/raw-html.ts';

const html = (text: string, known: number[] = []): string =>
  renderToStaticMarkup(
    createElement(
      ReactMarkdown,
      { remarkPlugins: [remarkGfm, remarkBareUrls, remarkRawHtml, [remarkCitations, { known: new Set(known) }]] },
      text,
    ),
  );
/** Without the line ends between elements, which no one sees. */
const seen = (markup: string): string => markup.replaceAll(/\n+(?=<)|(?<=>)\n+/g, '');
const ORIGIN = 'https://casebook.example';

describe('web: addresses in Markdown', () => {
  it('are links where they were written as links, and text where they merely occur', () => {
    for (const bare of [
      'https://evil.example/?q=secret',
      'www.evil.example',
      'ann@evil.example',
      'http://evil.example.',
    ])
      assert.equal(html(`see ${bare} and **${bare}**`), `<p>see ${bare} and <strong>${bare}</strong></p>`);
    assert.equal(html('[a](https://ok.example) <https://ok.example>').match(/<a href="https:/g)?.length, 2);
    assert.match(html('[a]\n\n[a]: https://ok.example'), /<a href="https:\/\/ok.example">a<\/a>/);
    assert.doesNotMatch(html('| a |\n|---|\n| https://evil.example |'), /<a /);
  });
});

describe('web: Markdown in pieces', () => {
  const LINES = [
    'words of a paragraph',
    '- item',
    '  more of an item',
    '1. first',
    '    indented',
    '```',
    '~~~ js',
    '  ```',
    '````',
    '# heading',
    '> quoted',
    '| a | b |',
    '|---|---|',
    '| 1 | 2 |',
    '<div>',
    '<!-- comment',
    '-->',
    '<script>',
    '</script>',
    '***',
    '---',
    '[name]: https://example.com',
    'see [name]',
    '',
    '',
    '',
    '\t tab',
    '* * *',
  ];

  it('pieces put together are the text', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...LINES)), (lines) => {
        const text = lines.join('\n');
        assert.equal(splitBlocks(text).blocks.join(''), text);
      }),
    );
  });

  it('pieces show what the whole text shows', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...LINES), { maxLength: 14 }), (lines) => {
        const text = lines.join('\n');
        const { blocks, definitions } = splitBlocks(text);
        const pieces = blocks.map((block) => html(definitions === '' ? block : `${definitions}\n\n${block}`));
        assert.equal(seen(pieces.join('')), seen(html(text)), JSON.stringify(text));
      }),
      { numRuns: 300 },
    );
  });

  it('what looks like a fence within HTML is none', () => {
    for (const text of [
      '<div>\n  ```\n\n````\n\nwords',
      '- <div>\n  ```\n\n~~~\n\nwords',
      '> <b>\n> ```\n\n```\n\nwords',
    ]) {
      const { blocks, definitions } = splitBlocks(text);
      assert.equal(definitions, '');
      assert.equal(seen(blocks.map((block) => html(block)).join('')), seen(html(text)), text);
    }
  });

  it('a text that grows changes its last piece only', () => {
    const text = 'one\n\ntwo **bold**\n\n```\ncode\n\nmore\n```\n\nlast';
    const before = splitBlocks(text).blocks;
    const after = splitBlocks(`${text} words`).blocks;
    assert.deepEqual(after.slice(0, -1), before.slice(0, -1));
    assert.deepEqual(before, ['one\n\n', 'two **bold**\n\n', '```\ncode\n\nmore\n```\n\n', 'last']);
  });
});

describe('web: citations in Markdown', () => {
  const cited = (text: string, known: number[]): string[] =>
    [...html(text, known).matchAll(/data-citation="(\d+)"/g)].map(([, number]) => number ?? '');

  it('finds single ones, pairs and groups', () => {
    assert.deepEqual(cited('a [3], b [1][2], c [1, 2] and **[4; 5]**', [1, 2, 3, 4, 5]), [
      '3',
      '1',
      '2',
      '1',
      '2',
      '4',
      '5',
    ]);
  });

  it('leaves unknown numbers, code and links as they are', () => {
    assert.deepEqual(cited('[9] `[1]` [see [1]](https://example.com)\n\n    [1]\n\n```\n[1]\n```\n', [1]), []);
    assert.match(html('[1, 9]', [1]), /data-citation="1".*\[9\]/);
    assert.match(html('[9]', [1]), /\[9\]/);
  });

  it('are not turned into links by definitions of the text', () => {
    const markup = html(
      'so it is [1], [1][2] and [x][1]\n\n[1]: https://evil.example\n[2]: https://evil.example',
      [1, 2],
    );
    assert.doesNotMatch(markup, /evil/);
    assert.deepEqual(
      [...markup.matchAll(/data-citation="(\d+)"/g)].map((match) => match[1]),
      ['1', '1', '2', '1'],
    );
  });
});

describe('web: Markdown that would stop the page', () => {
  it('is not parsed', () => {
    for (const text of [
      '['.repeat(20_000),
      '>'.repeat(2_000),
      '*a '.repeat(20_000),
      '*a\n'.repeat(20_000),
      '[a]('.repeat(10_000),
      '[a'.repeat(300),
      `${'['.repeat(300)}a${'](x)'.repeat(300)}`,
      `|${' a |'.repeat(5_000)}`,
      Array.from({ length: 500 }, (_, depth) => `${' '.repeat(2 * depth)}- a`).join('\n'),
      'a'.repeat(1_000_000),
    ]) {
      assert.ok(isTooMuch(text), text.slice(0, 40));
    }
  });

  it('long lists, tables and code are', () => {
    assert.ok(!isTooMuch('- **a** did `b` [1]\n'.repeat(600)));
    assert.ok(!isTooMuch('| a | b | c | d |\n'.repeat(500)));
    assert.ok(!isTooMuch(`\`\`\`\n${'*[a]* '.repeat(10_000)}\n\`\`\``));
    assert.ok(!isTooMuch('word '.repeat(10_000)));
    assert.ok(!isTooMuch(`${'['.repeat(59)}a\n`.repeat(10)));
  });
});

describe('web: links in Markdown', () => {
  it('lead to http, https, mailto and paths of this app', () => {
    assert.deepEqual(linkTarget('https://example.com/x?y#z', ORIGIN), {
      href: 'https://example.com/x?y#z',
      isExternal: true,
    });
    assert.deepEqual(linkTarget('mailto:a@example.com', ORIGIN), { href: 'mailto:a@example.com', isExternal: true });
    assert.deepEqual(linkTarget('/findings?page=2', ORIGIN), { href: '/findings?page=2', isExternal: false });
    assert.deepEqual(linkTarget(`${ORIGIN}/chats`, ORIGIN), { href: '/chats', isExternal: false });
    assert.deepEqual(linkTarget('//evil.example/x', ORIGIN), { href: 'https://evil.example/x', isExternal: true });
    assert.deepEqual(linkTarget('/\\evil.example', ORIGIN), { href: 'https://evil.example/', isExternal: true });
  });

  it('lead nowhere else, however the scheme is spelled', () => {
    for (const url of [
      'javascript:alert(1)',
      'JaVaScRiPt:alert(1)',
      ' javascript:alert(1)',
      'java\nscript:alert(1)',
      'java\tscript:alert(1)',
      '\u0001javascript:alert(1)',
      'data:text/html,<script>alert(1)</script>',
      'vbscript:msgbox(1)',
      'blob:https://casebook.example/x',
      'file:///etc/passwd',
      'filesystem:https://casebook.example/x',
      'view-source:https://example.com',
      'about:blank',
      'intent://x#Intent;end',
      'relative/path',
      '',
      `${ORIGIN}//evil.example`,
      '/.//evil.example',
    ]) {
      assert.equal(linkTarget(url, ORIGIN), undefined, JSON.stringify(url));
    }
  });

  it('what counts as of this app stays in this app when a browser reads it', () => {
    const part = fc.constantFrom(
      '/',
      '\\',
      '//',
      '.',
      '..',
      'javascript:',
      'https:',
      'evil.example',
      '@',
      ORIGIN,
      '\n',
      '#',
      '?',
      'x',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 7 }), (parts) => {
        const target = linkTarget(parts.join(''), ORIGIN);
        if (target === undefined) return;
        const { origin, protocol } = new URL(target.href, ORIGIN);
        assert.match(protocol, /^(?:https?|mailto):$/);
        if (!target.isExternal) assert.equal(origin, ORIGIN);
      }),
      { numRuns: 5_000 },
    );
  });

  it('of images only charts of this app are drawn', () => {
    const chart = '/api/charts/123e4567-e89b-42d3-a456-426614174000';
    assert.equal(chartPicture(chart, ORIGIN, 'light'), `${chart}?format=svg&ground=light`);
    assert.equal(chartPicture(ORIGIN + chart, ORIGIN, 'dark'), `${chart}?format=svg&ground=dark`);
    for (const url of [
      `https://evil.example${chart}`,
      `//evil.example${chart}`,
      `${chart}?x=1`,
      '/api/team',
      `${chart}/../../team`,
      '/api/charts/x',
    ]) {
      assert.equal(chartPicture(url, ORIGIN, 'light'), undefined, url);
    }
  });
});
