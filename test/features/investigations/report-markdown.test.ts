import assert from 'node:assert/strict';
import { Parser, type Node } from 'commonmark';
import * as fc from 'fast-check';
import {
  checkReport,
  renderReport,
  reportSchema,
  type Report,
} from '../../../src/features/investigations/report/index.ts';
import { codeSpan, fenced, safeBlock, safeInline } from '../../../src/features/investigations/report/safe-markdown.ts';
import { sampleReport } from '../../support/report.ts';
import { storedEvidence } from '../../support/tool-context.ts';

const metadata = { model: 'claude-x', provider: 'anthropic' } as const;
const EXCERPT = 'pool exhausted: 118 clients waiting';

function nodesOf(markdown: string): Node[] {
  const nodes: Node[] = [];
  const walker = new Parser().parse(markdown).walker();
  for (let event = walker.next(); event; event = walker.next()) if (event.entering) nodes.push(event.node);
  return nodes;
}
const textOf = (node: Node): string => {
  let text = '';
  const walker = node.walker();
  for (let event = walker.next(); event; event = walker.next()) if (event.entering) text += event.node.literal ?? '';
  return text;
};
const ofType = (markdown: string, ...types: string[]) => nodesOf(markdown).filter(({ type }) => types.includes(type));
const headings = (markdown: string) => ofType(markdown, 'heading').map((node) => `${node.level} ${textOf(node)}`);

function render(report: Report, content = EXCERPT, limit?: 'steps'): string {
  const stored = storedEvidence(1, 'search_logs', content);
  return renderReport(
    checkReport(report, (n) => (n === 1 ? stored : undefined)),
    { ...metadata, limit },
  );
}

/** Pieces of Markdown that open, close or break something, in any combination. */
const hostile = fc
  .array(
    fc.constantFrom(
      '```',
      '~~~',
      '````',
      '`',
      '``',
      '\n',
      '\n\n',
      '\r',
      '# ',
      '## Evidence',
      '> ',
      '- ',
      '1. ',
      '    ',
      '\t',
      '---',
      '===',
      '***',
      '<b>',
      '</div>',
      '<!--',
      '<script>',
      '<',
      '>',
      '![x](http://e/x.png)',
      '[y](javascript:z)',
      '[1]: http://e',
      '[1]',
      '[2]',
      '\\',
      '|',
      '&lt;',
      'word',
      '\u2028',
      '😀',
      '\u202e',
      '<![CDATA[',
      '<?php',
      '[a\nb]: http://e "t"',
      '[a][b]',
      '*',
      '_',
    ),
    { minLength: 1, maxLength: 14 },
  )
  .map((parts) => parts.join(''))
  .filter((text) => text.trim() !== '');

describe('report as Markdown', () => {
  it('has the parts of a postmortem in order, with citations and the model that ran', () => {
    const markdown = render(sampleReport());
    assert.deepEqual(headings(markdown), [
      '1 Pool of db exhausted, web slow',
      '2 Summary',
      '2 Impact',
      '2 Timeline',
      '2 Root cause',
      '2 Hypotheses',
      '2 What to do next',
      '2 Evidence',
    ]);
    assert.match(markdown, /\*\*Service at fault:\*\* `db` {2}\n\*\*Confidence:\*\* 80 %/u);
    assert.match(
      markdown,
      /\*\*\[1\]\*\* evidence 1, `search_logs`, sha256 `[0-9a-f]{12}`\n\nVerified at character 0:/u,
    );
    assert.deepEqual(
      ofType(markdown, 'code_block').map(({ literal }) => literal),
      [`${EXCERPT}\n`],
    );
    assert.match(markdown, /Written by `claude-x`\./u);
    assert.ok(!markdown.includes('unverified') && !markdown.includes('Ended early'));
  });

  it('marks what could not be verified, where it is cited and where it is listed', () => {
    const markdown = render(sampleReport(), 'something else');
    assert.match(markdown, /The pool of db was exhausted \[1 unverified\]\./u);
    assert.match(markdown, /\*\*Not verified: this text is not in the evidence\.\*\*/u);
    assert.ok(headings(markdown).includes('2 Claims without verified evidence'));
    assert.match(markdown, /- `root_cause.statement` no excerpt of \[1\] was found in the evidence: “The pool/u);
  });

  it('names the limit, the offline model and where to see the run', () => {
    const checked = checkReport(sampleReport(), () => undefined);
    const markdown = renderReport(checked, {
      model: 'playbook-1',
      provider: 'offline',
      limit: 'cost',
      investigationUrl: 'http://localhost:3000/investigation/7?a=b c>',
    });
    assert.match(markdown, /> \*\*Ended early\*\* because the run reached its cost budget\./u);
    assert.match(markdown, /built-in offline model \(`playbook-1`\)/u);
    assert.deepEqual(
      ofType(markdown, 'link').map(({ destination }) => destination),
      ['http://localhost:3000/investigation/7?a=b%20c%3E'],
    );
    assert.match(markdown, /\*\*\[1\]\*\* evidence 1: \*\*there is no such evidence\*\*/u);
  });

  it('lists similar past investigations, whose titles change nothing', () => {
    const checked = checkReport(sampleReport(), () => undefined);
    const similar = { createdAt: new Date('2026-03-01T12:00:00Z'), shares: ['alert', 'service'] };
    const url = 'http://localhost:3000/investigation/7';
    fc.assert(
      fc.property(hostile, (title) => {
        const past = { ...similar, title: `The pool ${title}`, url, judgement: 'right' as const };
        const markdown = renderReport(checked, { ...metadata, similar: [past] });
        assert.ok(headings(markdown).includes('2 Similar past investigations'));
        assert.match(markdown, /\): same alert, service; judged right\n/u);
        assert.deepEqual(
          ofType(markdown, 'html_block', 'html_inline', 'image', 'link').map(({ destination }) => destination),
          [url],
        );
      }),
    );
  });

  it('keeps lists, emphasis and code of the model', () => {
    const details = 'Do *this*:\n\n- set `a<b>`\n- then\n\n```sh\nkubectl <name>\n# not a heading\n```\n\nDone.';
    const markdown = render(sampleReport({ recommended_change: { summary: 'Fix.', details } }));
    assert.ok(ofType(markdown, 'code').some(({ literal }) => literal === 'a<b>'));
    assert.ok(
      ofType(markdown, 'code_block').some(
        ({ literal, info }) => info === 'sh' && literal === 'kubectl <name>\n# not a heading\n',
      ),
    );
    assert.ok(ofType(markdown, 'emph').some((node) => textOf(node) === 'this'));
    assert.equal(headings(markdown).length, 8);
  });

  it('keeps its structure whatever the model and the data say', () => {
    const expected = headings(render(sampleReport())).slice(1);
    const texts = fc.tuple(hostile, hostile, hostile, hostile, hostile, hostile, hostile);
    fc.assert(
      fc.property(texts, ([a, b, c, d, e, f, excerpt]) => {
        const report = sampleReport({
          title: a,
          root_cause: { service: b, statement: c },
          summary: d,
          hypotheses: [{ statement: e, verdict: 'open', reasoning: f }],
          timeline: [{ at: b, event: a }],
          impact: f,
          recommended_change: { summary: e, details: `${d}\n${c}` },
          citations: [{ n: 1, evidence: 1, excerpts: [excerpt] }],
        });
        const markdown = render(report, `before ${excerpt} after`, 'steps');
        const found = headings(markdown)
          .slice(1)
          .filter((heading) => heading !== '2 Claims without verified evidence');
        assert.deepEqual(found, expected, markdown);
        assert.deepEqual(
          ofType(markdown, 'html_block', 'html_inline', 'image', 'link').map((node) => node.literal),
          [],
          markdown,
        );
        // One quote: ours, that the run ended early. One rule: ours, above the footer.
        assert.equal(ofType(markdown, 'block_quote').length, 1, markdown);
        assert.equal(
          ofType(markdown, 'thematic_break').filter((node) => node.parent?.type === 'document').length,
          1,
          markdown,
        );
        assert.match(
          textOf(ofType(markdown, 'paragraph').at(-1) ?? new Parser().parse('')),
          /^Written by claude-x\.$/u,
        );
      }),
      { numRuns: 1_500 },
    );
  });

  it('puts any text into a code block or span that holds just it', () => {
    fc.assert(
      fc.property(fc.oneof(hostile, fc.string()), (text) => {
        const nodes = nodesOf(fenced(text, 'a"b`c'));
        assert.deepEqual(
          nodes.map(({ type }) => type),
          ['document', 'code_block'],
        );
        const span = nodesOf(`x ${codeSpan(text)} y`);
        assert.deepEqual(
          span.map(({ type }) => type),
          ['document', 'paragraph', 'text', 'code', 'text'],
        );
      }),
      { numRuns: 500 },
    );
  });

  it('begins no block in the middle of a line', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        for (const line of [`- ${safeInline(text)}`, `- **x:** ${safeInline(text)}`]) {
          const types = ofType(
            line,
            'heading',
            'block_quote',
            'code_block',
            'html_block',
            'html_inline',
            'thematic_break',
            'link',
            'image',
          );
          assert.deepEqual(
            types.map(({ type }) => type),
            [],
            line,
          );
          assert.equal(ofType(line, 'item').length, 1, line);
        }
      }),
      { numRuns: 1_000 },
    );
    assert.equal(safeBlock('a <b> `<c>` \\<d> `<e>'), 'a &lt;b> `<c>` &lt;d> \\`&lt;e>');
  });

  it('shows control characters instead of obeying them', () => {
    const markdown = render(sampleReport({ summary: 'a\u001b[31m b\u0007 \u202e c [1].' }));
    assert.match(markdown, /a␛\[31m b␇ \ufffd c \[1\]\./u);
  });

  it('renders what the schema lets through at its longest', () => {
    const long = sampleReport({ summary: '`'.repeat(8_000), impact: '['.repeat(4_000) });
    assert.ok(reportSchema.safeParse(long).success);
    assert.equal(headings(render(long)).length, 8);
  });
});
