import assert from 'node:assert/strict';
import { leadIn } from '../../../src/features/diagnosis/confidence.ts';
import { rankRootCauses } from '../../../src/features/diagnosis/index.ts';

const metric = (strength: number, surprise: number) => ({ strength, surprise });

describe('how much evidence leads and surprises', () => {
  it('leads by what it exceeds the second, or nothing, by', () => {
    assert.equal(
      leadIn(
        [
          { score: 3, evidence: [] },
          { score: 1, evidence: [] },
        ],
        0,
      ).lead,
      2,
    );
    assert.equal(
      leadIn(
        [
          { score: 3, evidence: [] },
          { score: -20, evidence: [] },
        ],
        0,
      ).lead,
      3,
    );
    assert.deepEqual(leadIn([], 0), { lead: 0, surprise: 0 });
  });

  it('surprises less among many series', () => {
    const causes = [{ score: 3, evidence: [metric(3, 10)] }];
    assert.equal(leadIn(causes, 1).surprise, 10);
    assert.equal(leadIn(causes, 1000).surprise, 10 - Math.log(1000));
    assert.equal(leadIn(causes, 1e9).surprise, 0);
  });

  it('surprises by the evidence that carries the cause', () => {
    assert.equal(leadIn([{ score: 3, evidence: [metric(3, 1), metric(1, 50)] }], 1).surprise, 1);
    assert.equal(leadIn([{ score: 3, evidence: [metric(3, 1), metric(2, 50)] }], 1).surprise, 50);
    const logs = leadIn([{ score: 3, evidence: [{ strength: Math.log1p(20) }] }], 1);
    assert.ok(Math.abs(logs.surprise - 20) < 1e-9, 'the strength of traces and logs is bounded by it');
  });

  it('is surer of a rise that lasts than of one sample, however high', () => {
    const rising = (samples: number, height: number) => {
      const timestamps = Array.from({ length: 60 }, (_, minute) => 60 * minute);
      const values = timestamps.map((_, minute) => 10 + (minute % 3) + (minute >= 60 - samples ? height : 0));
      const other = timestamps.map((_, minute) => 10 + (minute % 4));
      return rankRootCauses({
        series: [
          { service: 'db', metric: 'cpu', timestamps, values },
          ...['web', 'cart', 'cache'].map((service) => ({ service, metric: 'cpu', timestamps, values: other })),
        ],
        edges: [],
        alert: { service: 'web', at: 3300 },
        baseline: { from: 0, to: 3000 },
        incident: { from: 3300, to: 3600 },
      });
    };
    const [lone, lasting] = [rising(1, 40), rising(5, 40)];
    assert.equal(lone.causes[0]?.service, 'db');
    assert.equal(lone.causes[0]?.score, lasting.causes[0]?.score);
    assert.ok(lone.confidence < lasting.confidence, `${lone.confidence} and ${lasting.confidence}`);
  });
});
