import assert from 'node:assert/strict';
import fc from 'fast-check';
import { toSlackMessage, type SlackMessage } from '../../../src/features/notifications/slack/blocks.ts';
import { toMrkdwn } from '../../../src/features/notifications/slack/mrkdwn.ts';
import { toSections } from '../../../src/features/notifications/slack/blocks.ts';
import { HOSTILE, message } from './delivery.ts';

const converted = (markdown: string): string =>
  toMrkdwn(markdown)
    .map(({ text, code }) => (code ? `[code]${text}` : text))
    .join('\n');

/** Every text of a message that Slack reads as mrkdwn. */
function mrkdwnOf({ text, blocks }: SlackMessage): string[] {
  const texts = [text];
  JSON.stringify(blocks, (_name, part: unknown) => {
    if (part && typeof part === 'object' && 'type' in part && part.type === 'mrkdwn') {
      assert.ok('text' in part && typeof part.text === 'string');
      assert.ok('verbatim' in part && part.verbatim === true);
      texts.push(part.text);
    }
    return part;
  });
  return texts;
}

/** What between angle brackets is a command to Slack: mentions, and links whose label hides where they lead. */
function commandsIn(texts: string[]): string[] {
  return texts
    .flatMap((text) => [...text.matchAll(/<([^>]*)>?/g)].map(([, inside = '']) => inside))
    .filter((inside) => !/^https?:\/\/[^|<>\s]+$/.test(inside))
    .filter((inside) => !/^!date\^\d+\^\{date_short_pretty\} \{time\}\|[\dT:.Z+-]+$/.test(inside));
}

describe('notifications: mrkdwn of Slack', () => {
  const cases: Record<string, [string, string]> = {
    'text is escaped': ['a < b & c > d', 'a &lt; b &amp; c &gt; d'],
    'character references are one character': ['1 &lt; 2 &amp; &#60;x&#x3e;', '1 &lt; 2 &amp; &lt;x&gt;'],
    emphasis: ['**b** and *i* and ~~s~~ and `c < d`', '*b* and _i_ and ~s~ and `c &lt; d`'],
    'a heading': ['## Root *cause*', '*Root cause*'],
    'escapes of Markdown': ['\\*not bold\\* \\<x\\>', '*not bold* &lt;x&gt;'],
    'marks that the text has itself': ['**a\\*b**', 'a*b'],
    'a link says where it leads': ['[report](https://a.example/x|y)', 'report (<https://a.example/x%7Cy>)'],
    'a link with its own address': ['<https://a.example/?a=1&b=2>', '<https://a.example/?a=1&amp;b=2>'],
    'a link that leads nowhere': ['[x](javascript:alert) [y](/relative)', 'x y'],
    'an image': ['![graph](https://a.example/g.png)', 'graph (<https://a.example/g.png>)'],
    'a list': ['- a\n- b\n  1. c\n  2. d', '• a\n• b\n    1. c\n    2. d'],
    'a numbered list': ['3. c\n4. d', '3. c\n4. d'],
    tasks: ['- [x] done\n- [ ] open', '• ☑ done\n• ☐ open'],
    'a quote': ['> a\n> b', '> a\n> b'],
    code: ['```js\na < b\n```', '[code]a &lt; b'],
    'a table': ['| a | bb |\n|---|---|\n| 1 | `2` |', '[code]a  bb\n1  2'],
    'HTML is text': ['<b>x</b>\n\n<div>y</div>', '&lt;b&gt;x&lt;/b&gt;\n&lt;div&gt;y&lt;/div&gt;'],
    'a mention': ['<!channel> <@U1> <#C1>', '&lt;!channel&gt; &lt;@U1&gt; &lt;#C1&gt;'],
  };
  for (const [name, [markdown, expected]] of Object.entries(cases)) {
    it(name, () => assert.equal(converted(markdown), expected));
  }

  it('takes text that no parser takes', () => {
    for (const deep of ['> '.repeat(12_000), `${'- '.repeat(8_000)}x`, '['.repeat(24_000)]) {
      assert.equal(typeof converted(deep), 'string');
    }
  });
});

describe('notifications: what of a long report fits', () => {
  it('cuts between blocks, lines and characters, in this order, and keeps code in its fences', () => {
    const blocks = [
      { text: 'first', code: false },
      { text: `${'a'.repeat(15)}\n${'b'.repeat(15)}`, code: false },
      { text: `${'c'.repeat(10)}\n${'d'.repeat(10)}`, code: true },
      { text: 'e'.repeat(45), code: false },
    ];
    assert.deepEqual(toSections(blocks, 20, 1_000), {
      sections: [
        'first',
        'a'.repeat(15),
        'b'.repeat(15),
        `\`\`\`\n${'c'.repeat(10)}\n\`\`\``,
        `\`\`\`\n${'d'.repeat(10)}\n\`\`\``,
        'e'.repeat(20),
        'e'.repeat(20),
        'e'.repeat(5),
      ],
      isCut: false,
    });
  });

  it('never cuts a link, a reference or a character', () => {
    const { sections } = toSections([{ text: '<https://a.example/>&amp;&lt;👍'.repeat(50), code: false }], 31, 10_000);
    for (const section of sections) {
      assert.equal(section.replaceAll(/<https:\/\/a\.example\/>|&amp;|&lt;|👍/gu, ''), '');
    }
  });

  it('cannot be led out of a code block', () => {
    const { sections } = toSections([{ text: 'a\n```\n*b*', code: true }], 100, 1_000);
    assert.deepEqual(sections, ["```\na\n'''\n*b*\n```"]);
  });

  it('keeps within its bounds whatever it gets, and says so when something is left out', () => {
    const block = fc.record({ text: fc.string({ maxLength: 200, unit: 'binary' }), code: fc.boolean() });
    fc.assert(
      fc.property(fc.array(block, { maxLength: 10 }), (blocks) => {
        const { sections, isCut } = toSections(blocks, 60, 600);
        const total = sections.reduce((sum, { length }) => sum + length, 0);
        assert.ok(sections.every(({ length }) => length <= 60) && total <= 600);
        const given = blocks.reduce((sum, { text }) => sum + text.length, 0);
        assert.ok(isCut || given < 600 * 10);
      }),
    );
  });
});

describe('notifications: a message in Block Kit', () => {
  it('leads to the whole report when it is cut', () => {
    const long = Array.from({ length: 400 }, (_, n) => `## Part ${n}\n\n${'word '.repeat(40)}`).join('\n\n');
    const { blocks } = toSlackMessage(message({ markdown: long }));
    assert.ok(blocks.length <= 50);
    assert.match(
      JSON.stringify(blocks),
      /The report is too long to fit here\. Full report: Finding \(<https:\/\/casebook\.example\.com\/findings\/1\?a=1&amp;b=2>\)/,
    );
  });

  it('repeats what it is about only where the title does not say it', () => {
    const about = (title: string) =>
      JSON.stringify(toSlackMessage(message({ title }), { about: 'Slow <checkout>' }).blocks);
    assert.match(about('It is over'), /About: Slow &lt;checkout&gt;/);
    assert.doesNotMatch(about('Slow <checkout>'), /About/);
  });

  it('offers no link that is none', () => {
    const links = [
      { label: 'x', url: 'javascript:alert(1)' },
      { label: 'y', url: 'https://user:password@a.example/' },
      { label: '', url: 'https://a.example/' },
    ];
    const { blocks } = toSlackMessage(message({ links }));
    assert.doesNotMatch(JSON.stringify(blocks), /javascript|password/);
    assert.match(JSON.stringify(blocks), /"text":"Open"/);
    assert.ok(!toSlackMessage(message({ links: [] })).blocks.some(({ type }) => type === 'actions'));
  });

  it('mentions nobody and hides no link, whatever telemetry says, in any field', () => {
    const hostile = toSlackMessage(
      message({
        title: HOSTILE,
        text: HOSTILE,
        markdown: HOSTILE,
        sender: { id: '1', title: HOSTILE },
        links: [{ label: HOSTILE, url: 'https://a.example/' }],
      }),
      { about: `another ${HOSTILE}` },
    );
    assert.deepEqual(commandsIn(mrkdwnOf(hostile)), []);
    const header = hostile.blocks[0];
    assert.ok(header?.type === 'header');
    assert.doesNotMatch(header.text.text, /<[@#!]|\n|[\u202e\u2028]/);
  });

  it('does so for random text', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 30 }),
      fc.constantFrom(
        '<!channel>',
        '<',
        '>',
        '&',
        '|',
        '[a](',
        'https://evil.example/',
        ')',
        '```',
        '\n',
        '> ',
        '- ',
        '&lt;!here&gt;',
        '<!--',
        '| a | b |\n|---|---|\n',
        '![',
        ']',
        '<@U1>',
        '\\',
        '*',
        '_',
        '&#60;',
      ),
    );
    const text = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(text, text, (first, second) => {
        const made = toSlackMessage(
          message({ title: first, text: second, markdown: `${second}${first}`, sender: { id: '1', title: first } }),
        );
        assert.deepEqual(commandsIn(mrkdwnOf(made)), []);
        assert.ok(JSON.stringify(made).isWellFormed());
      }),
      { numRuns: 500 },
    );
  });
});
