import assert from 'node:assert/strict';
import { backOffMs } from '../../../web/src/components/live/back-off.ts';
import { dollars } from '../../../web/src/components/ui/numbers.ts';
import { neighbour } from '../../../web/src/components/evidence/evidence.ts';
import { besides, evidenceOf } from '../../../web/src/pages/investigation/evidence/evidence-of.ts';
import type { Investigation } from '../../../web/src/pages/investigation/queries.ts';
import { confidenceWords } from '../../../web/src/pages/investigation/report/confidence.ts';
import { markedText } from '../../../web/src/pages/investigation/report/marked-text.ts';
import { placeOf } from '../../../web/src/pages/investigation/report/place-of.ts';

describe('the texts of a report', () => {
  const verified = new Set([1, 2, 3]);

  it('take citations apart, so that each opens what it cites', () => {
    assert.equal(markedText('It failed [1-3].', verified), 'It failed [1] [2] [3].');
    assert.equal(markedText('It failed [1, 3] twice [2].', verified), 'It failed [1] [3] twice [2].');
    assert.equal(markedText('A range [900-100].', new Set([900, 100])), 'A range [900] [100].');
  });

  it('say where nothing was verified', () => {
    assert.equal(markedText('It failed [4].', verified), 'It failed [4] *(not verified)*.');
  });

  it('leave code and links as they are', () => {
    for (const text of ['see `log[7]`', '```\na[7]\n```', 'the [7](https://example.com)']) {
      assert.equal(markedText(text, verified), text);
    }
  });

  it('say how sure they are in words', () => {
    assert.deepEqual(
      [1, 0.9, 0.75, 0.5, 0.3, 0].map((confidence) => confidenceWords(confidence).words),
      ['Very likely', 'Very likely', 'Likely', 'More likely than not', 'Uncertain', 'A guess'],
    );
  });

  it('name the places of claims', () => {
    assert.equal(placeOf('root_cause.statement'), 'Root cause');
    assert.equal(placeOf('hypotheses[1].reasoning'), 'Hypothesis 2');
    assert.equal(placeOf('timeline[0].event'), 'Timeline 1');
    assert.equal(placeOf('elsewhere'), 'elsewhere');
  });
});

describe('figures of an investigation', () => {
  it('keep small costs apart from none', () => {
    assert.deepEqual([0, 0.00042, 0.5, 12.345].map(dollars), ['$0', '$0.00042', '$0.50', '$12.35']);
  });
});

describe('turning from one citation to the next', () => {
  it('ends at the ends, and knows nothing beside what is not there', () => {
    assert.equal(neighbour([1, 3, 7], 3, 1), 7);
    assert.equal(neighbour([1, 3, 7], 3, -1), 1);
    assert.equal(neighbour([1, 3, 7], 7, 1), undefined);
    assert.equal(neighbour([1, 3, 7], 1, -1), undefined);
    assert.equal(neighbour([1, 3, 7], 5, 1), undefined);
  });
});

describe('opening a stream again', () => {
  it('waits longer each time, up to half a minute, and never in step with others', () => {
    assert.deepEqual(
      [1, 2, 3, 7, 50].map((failures) => backOffMs(failures, 1)),
      [500, 1_000, 2_000, 30_000, 30_000],
    );
    assert.equal(backOffMs(3, 0), 1_000);
  });
});

describe('the evidence that is open beside a report', () => {
  const call = (id: string, evidence: number, status = 'completed') =>
    ({ id, evidence, status, summary: `Call ${evidence}` }) as Investigation['steps'][number]['tool_calls'][number];
  const excerpt = { text: 'x', verified: true, offset: 3 };
  const cites = (n: number, id: string | null, excerpts = [excerpt]) =>
    ({ n, evidence: n, tool_call_id: id, excerpts }) as Investigation['citations'][number];
  const run = {
    steps: [{ tool_calls: [call('a', 1), call('b', 2), call('c', 3, 'pending')] }],
    citations: [cites(7, 'b'), cites(2, 'b', [excerpt, { ...excerpt, text: 'y' }]), cites(9, null)],
  } as unknown as Pick<Investigation, 'steps' | 'citations'>;

  it('is the citation, or the call with everything that is cited of it, once', () => {
    assert.equal(evidenceOf(run, {}), undefined);
    const cited = evidenceOf(run, { citation: 7 });
    assert.deepEqual([cited?.title, cited?.description, cited?.call?.id], ['Citation [7]', 'Call 2', 'b']);
    const called = evidenceOf(run, { call: 'b' });
    assert.equal(called?.title, 'Evidence 2');
    assert.deepEqual(
      called?.excerpts.map(({ text }) => text),
      ['x', 'y'],
    );
  });

  it('says why there is nothing to see', () => {
    assert.match(evidenceOf(run, { citation: 9 })?.missing ?? '', /which this run does not have/);
    assert.equal(evidenceOf(run, { citation: 9 })?.excerpts.length, 1);
    assert.equal(evidenceOf(run, { citation: 1 })?.missing, 'This report has no citation [1].');
    assert.match(evidenceOf(run, { call: 'z' })?.missing ?? '', /no such tool call/);
  });

  it('turns through citations by their numbers, and through calls that have ended', () => {
    assert.deepEqual(besides(run, { citation: 2 }, 1), { citation: 7 });
    assert.equal(besides(run, { citation: 2 }, -1), undefined);
    assert.deepEqual(besides(run, { call: 'a' }, 1), { call: 'b' });
    assert.equal(besides(run, { call: 'b' }, 1), undefined);
    assert.equal(besides(run, {}, 1), undefined);
  });
});
