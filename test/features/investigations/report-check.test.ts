import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { checkReport, checkReportAgainst, locateExcerpt } from '../../../src/features/investigations/report/index.ts';
import { frameToolResult, parseFramedToolResult, viewOf } from '../../../src/features/tools/index.ts';
import { neutralise } from '../../../src/features/tools/framing.ts';
import type { StoredEvidence } from '../../../src/features/tools/tool.ts';
import { sampleReport } from '../../support/report.ts';
import { storedEvidence, toolContext } from '../../support/tool-context.ts';

const logs = storedEvidence(
  1,
  'search_logs',
  '{"message":"pool exhausted: 118 clients waiting","quote":"say \\"no\\"\\n"}',
);
const among =
  (...evidence: StoredEvidence[]) =>
  (number: number) =>
    evidence.find((stored) => stored.evidence === number);
const cite = (excerpt: string, evidence = 1) => sampleReport({ citations: [{ n: 1, evidence, excerpts: [excerpt] }] });

describe('citation checker', () => {
  it('verifies an excerpt by its place, and gives tool, call and digest', () => {
    const checked = checkReport(sampleReport(), among(logs));
    assert.deepEqual(checked.citations, [
      {
        n: 1,
        evidence: 1,
        toolCallId: 'call-1',
        tool: 'search_logs',
        sha256: logs.sha256,
        excerpts: [{ text: 'pool exhausted: 118 clients waiting', verified: true, offset: 12 }],
      },
    ]);
    assert.deepEqual(checked.unverifiedClaims, []);
  });

  it('does not match approximately', () => {
    for (const other of [
      'pool exhausted: 119 clients waiting',
      'Pool exhausted: 118',
      'pool  exhausted: 118',
      'say "no"',
      '"message": "pool',
    ]) {
      const checked = checkReport(cite(other), among(logs));
      assert.deepEqual(checked.citations[0]?.excerpts, [{ text: other, verified: false, offset: null }], other);
      assert.ok(checked.unverifiedClaims.every(({ why }) => why === 'no excerpt of [1] was found in the evidence'));
      assert.deepEqual(
        checked.unverifiedClaims.map(({ where }) => where),
        ['root_cause.statement', 'summary', 'timeline[0].event', 'impact'],
      );
    }
    assert.equal(checkReport(cite('say \\"no\\"\\n'), among(logs)).citations[0]?.excerpts[0]?.verified, true);
  });

  it('does not take a character or two for proof', () => {
    assert.equal(locateExcerpt(logs.content, '118'), undefined);
    assert.equal(locateExcerpt(logs.content, '   "   '), undefined);
    assert.equal(locateExcerpt(logs.content, '118 c'), logs.content.indexOf('118 c'));
  });

  it('verifies what was copied from the framed view of any content', () => {
    const piece = fc.constantFrom(
      '<',
      '</tool_result>',
      '<\\/tool_result>',
      '<tool_result',
      '\\',
      ' text ',
      '"',
      '\n',
      '😀',
    );
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 30 }), fc.nat(), fc.nat(), (pieces, a, b) => {
        const content = pieces.join('');
        const framed = frameToolResult({ evidence: 1, tool: 'x', view: viewOf(content) });
        const shown = framed.slice(framed.indexOf('>\n') + 2, -'\n</tool_result>'.length);
        assert.equal(parseFramedToolResult(framed)?.body, content);
        assert.equal(shown, neutralise(content));
        // Whole pieces are copied, as a model copies whole words; half of an escape is not text of the evidence.
        const [from, to] = [a % pieces.length, b % pieces.length].sort((x, y) => x - y);
        const excerpt = neutralise(pieces.slice(from, (to ?? 0) + 1).join(''));
        const isWhole = shown.includes(excerpt) && excerpt.trim().length >= 4;
        if (isWhole) assert.notEqual(locateExcerpt(content, excerpt), undefined, excerpt);
      }),
      { numRuns: 500 },
    );
  });

  it('names evidence that does not exist, and citations that are not listed', () => {
    const checked = checkReport(
      { ...cite('pool exhausted', 9), summary: 'Nothing else [2]. And more [1].' },
      among(logs),
    );
    const [citation] = checked.citations;
    assert.deepEqual([citation?.tool, citation?.toolCallId, citation?.sha256], [null, null, null]);
    assert.deepEqual(
      checked.unverifiedClaims.filter(({ where }) => where === 'summary'),
      [
        { where: 'summary', claim: 'Nothing else [2].', why: 'cites [2], which the report does not list' },
        { where: 'summary', claim: 'And more [1].', why: 'no excerpt of [1] was found in the evidence' },
      ],
    );
  });

  it('marks claims that cite nothing, and leaves conjectures and proposals alone', () => {
    const report = sampleReport({
      summary: 'It was full [1]. Nobody noticed. These followed:\n- a timeout [1]\n- a retry',
      hypotheses: [
        { statement: 'Perhaps a leak.', verdict: 'open', reasoning: 'Not looked at.' },
        { statement: 'A deploy.', verdict: 'ruled_out', reasoning: 'There was none.' },
      ],
    });
    assert.deepEqual(
      checkReport(report, among(logs)).unverifiedClaims.map(({ where, claim }) => [where, claim]),
      [
        ['summary', 'Nobody noticed.'],
        ['summary', '- a retry'],
        ['hypotheses[1].reasoning', 'There was none.'],
      ],
    );
  });

  it('takes one verified citation of several, but no missing one', () => {
    const report = sampleReport({
      summary: 'Both [1, 2]. Missing too [1][7].',
      citations: [
        { n: 1, evidence: 1, excerpts: ['not there at all', 'pool exhausted'] },
        { n: 2, evidence: 1, excerpts: ['not there either'] },
      ],
    });
    const { unverifiedClaims } = checkReport(report, among(logs));
    assert.deepEqual(
      unverifiedClaims.map(({ claim }) => claim),
      ['Missing too [1][7].'],
    );
  });

  it("does not take the model's own words for evidence", () => {
    const own = storedEvidence(1, 'update_plan', 'pool exhausted: 118 clients waiting');
    assert.equal(checkReport(sampleReport(), among(own)).citations[0]?.excerpts[0]?.verified, false);
  });

  it('searches 10 MB', async () => {
    const content = `${'x'.repeat(10_000_000)}pool exhausted: 118 clients waiting`;
    const { evidence } = toolContext({ evidence: [storedEvidence(1, 'search_logs', content)] });
    const checked = await checkReportAgainst(sampleReport(), evidence);
    assert.equal(checked.citations[0]?.excerpts[0]?.offset, 10_000_000);
  });
});
