import assert from 'node:assert/strict';
import {
  coverageOf,
  type CoveredCall,
  type CoveredSource,
} from '../../../../src/features/investigations/coverage/compute.ts';
import { renderCoverage } from '../../../../src/features/investigations/coverage/render.ts';

const prometheus: CoveredSource = { id: 'prometheus', capabilities: ['services', 'metrics', 'promql', 'alerts'] };
const loki: CoveredSource = { id: 'satellite:shop/loki', capabilities: ['services', 'logs'] };
const recorded: CoveredSource = { id: 'incident:checkout-errors', capabilities: ['metrics', 'changes'] };
const query = (answer: CoveredCall['answer'], more: Partial<CoveredCall> = {}): CoveredCall => ({
  answer,
  capability: 'metrics',
  source: 'prometheus',
  digest: answer === 'unavailable' ? 'Error: prometheus:9090 did not answer: ECONNREFUSED' : 'found',
  ...more,
});

describe('coverage of an investigation', () => {
  const statuses = (sources: CoveredSource[], calls: CoveredCall[]) =>
    Object.fromEntries(coverageOf(sources, calls).signals.map(({ signal, status }) => [signal, status]));

  it('says of each kind of evidence whether it answered, was empty, failed, was not asked or is not connected', () => {
    const logs = { capability: 'logs', source: loki.id } as const;
    assert.deepEqual(
      statuses(
        [prometheus, loki, recorded],
        [query('data', { capability: 'promql' }), query('unavailable'), query('nothing', logs), query('refused', logs)],
      ),
      {
        metrics: 'answered',
        logs: 'empty',
        traces: 'not_connected',
        changes: 'not_asked',
        dependencies: 'not_connected',
      },
    );
    assert.equal(statuses([loki], [query('unavailable', logs)])['logs'], 'failed');
  });

  it('says what each gap leaves open, and nothing where there is none', () => {
    const { signals } = coverageOf([prometheus, loki], [query('data'), query('unavailable')]);
    const open = Object.fromEntries(signals.map(({ signal, leavesOpen }) => [signal, leavesOpen]));
    assert.equal(open['metrics'], '1 of 2 queries failed; some data may be missing.');
    assert.equal(open['logs'], 'Not checked: logged errors are unknown.');
    assert.match(open['changes'] ?? '', /^Not connected: a deploy .* is not ruled out as the trigger\.$/);
    assert.equal(coverageOf([prometheus], [query('data')]).signals[0]?.leavesOpen, null);
  });

  it('names what a source said that did not answer, and marks a recording', () => {
    const { sources } = coverageOf(
      [prometheus, recorded],
      [query('unavailable'), query('data', { source: recorded.id })],
    );
    assert.deepEqual(sources, [
      {
        source: 'prometheus',
        recorded: false,
        asked: 1,
        answered: 0,
        failed: 1,
        error: 'prometheus:9090 did not answer: ECONNREFUSED',
      },
      { source: 'incident:checkout-errors', recorded: true, asked: 1, answered: 1, failed: 0, error: null },
    ]);
  });

  it('names a system whose tools did not answer, though others did', () => {
    const away: CoveredCall = {
      answer: 'unavailable',
      source: 'integration:orders-db',
      digest: 'Error: orders-db: connection refused',
    };
    const { outcome: end, sources } = coverageOf([prometheus], [query('data'), away]);
    assert.equal(end, 'answered');
    assert.deepEqual(sources[1], {
      source: 'integration:orders-db',
      recorded: false,
      asked: 1,
      answered: 0,
      failed: 1,
      error: 'orders-db: connection refused',
    });
    assert.match(
      renderCoverage(coverageOf([prometheus], [query('data'), away])),
      /- Source `integration:orders-db`: no response: orders-db: connection refused/,
    );
    assert.equal(coverageOf([], [{ ...away, answer: 'refused' }]).outcome, 'nothing_found');
    const madeUp = query('refused', { source: 'promehteus' });
    assert.deepEqual(coverageOf([prometheus], [madeUp]).sources.length, 1, 'what a model made up is no source');
  });

  const outcome = (sources: CoveredSource[], ...calls: CoveredCall[]) => coverageOf(sources, calls).outcome;

  it('has no sources if there are none, unless a system that is no source answered', () => {
    assert.equal(outcome([]), 'no_sources');
    assert.equal(outcome([], query('refused')), 'no_sources');
    assert.equal(outcome([], { answer: 'data', digest: 'shop kubernetes pods: 300 characters' }), 'answered');
    assert.equal(outcome([prometheus]), 'nothing_found');
  });

  it('has failed sources if none answered that was asked, however many questions were refused', () => {
    assert.equal(outcome([prometheus, loki], query('unavailable'), query('refused')), 'sources_failed');
    assert.equal(outcome([{ ...prometheus, error: 'the satellite is offline' }]), 'sources_failed');
    assert.equal(outcome([{ ...prometheus, error: 'the satellite is offline' }, loki]), 'nothing_found');
    assert.equal(outcome([prometheus], query('refused')), 'nothing_found');
    assert.equal(outcome([prometheus], query('unavailable'), query('nothing')), 'nothing_found');
    assert.equal(outcome([prometheus, loki], query('unavailable'), query('data')), 'answered');
  });

  it('is a section of Markdown in which nothing that a source says is markup', () => {
    const lost = query('unavailable', { digest: 'Error: # <b>gone</b>' });
    const text = renderCoverage(coverageOf([prometheus, recorded], [lost, query('data', { source: recorded.id })]));
    assert.match(text, /^## Coverage\n\n- \*\*Metrics:\*\* 1 of 2 queries returned data\. 1 of 2 queries failed/);
    assert.match(text, /\n\n## Gaps\n\n[^]*- \*\*Traces:\*\* Not connected: /);
    assert.match(text, /\n- Source `prometheus`: no response: \\# &lt;b>gone&lt;\/b>\n/);
    assert.match(text, /\n- Source `incident:checkout-errors` \(recorded, not live\): 1 of 1 /);
  });
});
