import assert from 'node:assert/strict';
import { backOffMs } from '../../../web/src/components/live/back-off.ts';
import { dollars } from '../../../web/src/pages/investigation/numbers.ts';
import { neighbour } from '../../../web/src/pages/investigation/evidence/citation-order.ts';
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
