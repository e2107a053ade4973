import assert from 'node:assert/strict';
import { rankRootCauses, type RankingInput } from '../../../src/features/diagnosis/index.ts';
import { edges, END, FAULT_AT, INTERVAL, slowDatabase, START, syntheticSeries } from './incident.ts';

function order(input: RankingInput): string[] {
  return rankRootCauses(input).causes.map(({ service }) => service);
}

describe('rankRootCauses', () => {
  it('finds a slow dependency two hops down and says why', () => {
    const ranking = rankRootCauses(slowDatabase());
    const [first] = ranking.causes;
    assert.equal(first?.service, 'orders-db');
    assert.equal(first.signals[0]?.metric, 'latency');
    assert.match(first.reason, /^Latency \(`latency`\) rose from 10 to 5\d(\.\d)? at /);
    assert.ok(Math.abs((first.signals[0].onset ?? 0) - FAULT_AT) <= 60);
    const orders = ranking.causes.find(({ service }) => service === 'orders');
    assert.equal(orders?.bestCallee?.service, 'orders-db');
    assert.deepEqual(ranking.considered, { services: 4, series: 4 });
  });

  it('gives the evidence for a cause in sentences with figures, and how often such a cause is right', () => {
    const { causes, confidence } = rankRootCauses(slowDatabase());
    const [evidence] = causes[0]!.evidence;
    assert.equal(evidence?.kind, 'metric');
    assert.match(evidence.statement, /^Latency .*rose from 10 to 5\d/);
    assert.ok(evidence.strength > 3 && evidence.before < 11 && evidence.after > 49);
    assert.ok(confidence > 0.5 && confidence < 1);
    assert.equal(rankRootCauses(slowDatabase(0)).confidence < 0.5, true);
  });

  it('is not misled by a loud victim: the cause may have the smaller score', () => {
    const input = slowDatabase();
    const loud = syntheticSeries([{ service: 'front-end', metric: 'latency', level: 100, change: 100 }]);
    input.series = [...loud, ...input.series.slice(1)];
    const ranking = rankRootCauses(input);
    assert.equal(ranking.causes[0]?.service, 'orders-db');
  });

  it('keeps a healthy reference where data begins only a minute before the alert', () => {
    const begins = 1_700_000_000;
    const fault = begins + 60;
    const timestamps = Array.from({ length: 80 }, (_, i) => begins + i);
    const noisy = (level: number, change: number) =>
      timestamps.map((at, i) => level + (i % 3) + (at >= fault ? change : 0));
    const ranking = rankRootCauses({
      series: [
        { service: 'shop', metric: 'latency', timestamps, values: noisy(40, 200) },
        { service: 'pay', metric: 'latency', timestamps, values: noisy(10, 200) },
        { service: 'cart', metric: 'latency', timestamps, values: noisy(20, 3) },
      ],
      edges: edges(['shop', 'pay'], ['shop', 'cart']),
      alert: { service: 'shop', metric: 'latency', at: fault + 8 },
    });
    assert.equal(ranking.causes[0]?.service, 'pay');
    assert.equal(ranking.onset, fault);
    assert.equal(ranking.baseline.from, begins);
    assert.ok(ranking.baseline.to <= fault && ranking.baseline.to >= begins + 30, String(ranking.baseline.to - begins));
    assert.deepEqual(ranking.notes, []);
  });

  it('ignores changes in the harmless direction', () => {
    const input = slowDatabase();
    input.series.push(...syntheticSeries([{ service: 'cart', metric: 'cpu', level: 100, change: -95 }]));
    assert.equal(order(input)[0], 'orders-db');
  });

  it('finds a saturated pool behind failing requests', () => {
    const input: RankingInput = {
      series: syntheticSeries([
        { service: 'shop', metric: 'availability', unit: '%', level: 100, noise: 0, change: -4 },
        { service: 'pay', metric: 'error_rate', level: 0.01, change: 0.04 },
        { service: 'pay', metric: 'pool_active_connections', level: 10, noise: 2, change: 90 },
        { service: 'mail', metric: 'latency', level: 10, change: 30 },
      ]),
      edges: edges(['shop', 'pay'], ['shop', 'mail']),
      alert: { service: 'shop', metric: 'availability', at: FAULT_AT },
    };
    const [first] = rankRootCauses(input).causes;
    assert.equal(first?.service, 'pay');
    assert.equal(first.signals[0]?.metric, 'pool_active_connections');
  });

  it('does not take a pool that was never waited for as more than beyond doubt', () => {
    const input: RankingInput = {
      series: syntheticSeries([
        { service: 'catalog', metric: 'latency', level: 50, change: 400 },
        { service: 'catalog', metric: 'db_pool_wait', level: 0.001, change: 400 },
        { service: 'catalog-db', metric: 'latency', level: 5, change: 400 },
      ]),
      edges: edges(['catalog', 'catalog-db']),
      alert: { service: 'catalog', metric: 'latency', at: FAULT_AT },
    };
    assert.equal(order(input)[0], 'catalog-db');
  });

  it('looks through a load balancer and never puts it first', () => {
    const input: RankingInput = {
      series: syntheticSeries([
        { service: 'web', metric: 'latency', level: 100, change: 40 },
        { service: 'internal-api.eu.elb.amazonaws.com_remote', metric: 'latency', level: 12, change: 300 },
        { service: 'api', metric: 'latency', level: 10, change: 40 },
      ]),
      edges: edges(
        ['web', 'internal-api.eu.elb.amazonaws.com_remote'],
        ['internal-api.eu.elb.amazonaws.com_remote', 'api'],
      ),
      alert: { service: 'web', metric: 'latency', at: FAULT_AT },
    };
    const ranking = rankRootCauses(input);
    assert.deepEqual(
      ranking.causes.map(({ service }) => service),
      ['api', 'web', 'internal-api.eu.elb.amazonaws.com_remote'],
    );
    assert.equal(ranking.causes[1]?.bestCallee?.service, 'api');
  });

  it('lets a callee speak through a service that reports nothing', () => {
    const input = slowDatabase();
    input.series = input.series.filter(({ service }) => service !== 'orders');
    const ranking = rankRootCauses(input);
    assert.equal(ranking.causes[0]?.service, 'orders-db');
    assert.equal(ranking.causes.find(({ service }) => service === 'front-end')?.bestCallee?.service, 'orders-db');
  });

  it('puts services that the alerting one does not depend on after those it does', () => {
    const input = slowDatabase();
    input.series.push(...syntheticSeries([{ service: 'batch', metric: 'latency', level: 10, change: 9000 }]));
    input.edges.push({ caller: 'batch', callee: 'orders-db' });
    assert.equal(order(input)[0], 'orders-db');
    assert.equal(order(input).at(-1), 'batch');
  });

  it('looks outside the graph when nothing reachable is wrong', () => {
    const input: RankingInput = {
      series: syntheticSeries([
        { service: 'web', metric: 'latency', level: 100 },
        { service: 'api', metric: 'latency', level: 10 },
        { service: 'queue', metric: 'backlog', level: 10, change: 500 },
      ]),
      edges: edges(['web', 'api']),
      alert: { service: 'web', metric: 'latency', at: FAULT_AT },
    };
    const ranking = rankRootCauses(input);
    assert.equal(ranking.causes[0]?.service, 'queue');
    assert.match(ranking.notes.join(), /outside its dependencies/);
  });

  it('does not blame a level that was already held before the onset', () => {
    const input = slowDatabase();
    input.series.push(
      ...syntheticSeries([{ service: 'cart', metric: 'latency', statistic: 'p99', level: 10, drift: 900 }]),
    );
    input.baseline = { from: START, to: FAULT_AT - 600 };
    input.incident = { from: FAULT_AT - 600, to: END };
    assert.equal(order(input)[0], 'orders-db');
  });

  it('exonerates a dependency too fast and too rarely called to explain a slow mean', () => {
    const specs = [
      { service: 'web', calls: 1000, level: 100, change: 50 },
      { service: 'search', calls: 900, level: 20, change: 50 },
      { service: 'flags', calls: 5, level: 2, change: 20 },
    ];
    const input: RankingInput = {
      series: syntheticSeries(
        specs.flatMap(({ service, calls, level, change }) => [
          { service, metric: 'latency', statistic: 'Average', level, change },
          { service, metric: 'requests', statistic: 'Sum', level: calls },
        ]),
      ),
      edges: edges(['web', 'search'], ['web', 'flags']),
      alert: { service: 'web', metric: 'latency', at: FAULT_AT },
    };
    assert.equal(order(input)[0], 'search');
    const withoutTraffic = input.series.filter(({ metric }) => metric !== 'requests');
    assert.equal(order({ ...input, series: withoutTraffic })[0], 'flags');
  });

  it('takes from a caller what its callee accounts for, not half of whatever the callee shows', () => {
    const chain = (callee: number, caller: number): RankingInput => ({
      series: syntheticSeries(
        [
          { service: 'web', calls: 1000, level: 100, noise: 10, change: caller },
          { service: 'store', calls: 1000, level: 10, noise: 2, change: callee },
        ].flatMap(({ calls, ...rest }) => [
          { ...rest, metric: 'latency', statistic: 'Average' },
          { service: rest.service, metric: 'requests', statistic: 'Sum', level: calls },
        ]),
      ),
      edges: edges(['web', 'store']),
      alert: { service: 'web', metric: 'latency', at: FAULT_AT },
    });
    // The store is 15 slower: all of what the site is slower by, and too little of it.
    assert.equal(order(chain(15, 15))[0], 'store');
    assert.equal(order(chain(15, 130))[0], 'web');
    const all = rankRootCauses(chain(15, 15)).causes.find(({ service }) => service === 'web');
    assert.ok(Math.abs(all!.ownScore - all!.bestCallee!.score - all!.score) < 0.2 * all!.bestCallee!.score);
    const little = rankRootCauses(chain(15, 130)).causes.find(({ service }) => service === 'web');
    assert.ok(little!.ownScore - little!.score < 0.2 * little!.bestCallee!.score);
  });

  it('does not take more or fewer calls for harm unless the alert is about them', () => {
    const input = slowDatabase();
    input.series.push(...syntheticSeries([{ service: 'cart', metric: 'requests', level: 100, change: 9000 }]));
    const own = (asked: RankingInput): number =>
      rankRootCauses(asked).causes.find(({ service }) => service === 'cart')!.ownScore;
    assert.ok(own(input) < 1);
    assert.ok(own({ ...input, alert: { service: 'front-end', metric: 'requests', at: FAULT_AT } }) > 3);
  });

  it('does not let a load balancer exonerate the service behind it', () => {
    const input: RankingInput = {
      series: syntheticSeries([
        { service: 'web', metric: 'latency', level: 100, change: 90 },
        { service: 'web-1.eu.elb.amazonaws.com_remote', metric: 'latency', level: 12, change: 300 },
        { service: 'api', metric: 'latency', level: 10, change: 0.5 },
      ]),
      edges: edges(['web', 'web-1.eu.elb.amazonaws.com_remote'], ['web', 'api']),
      alert: { service: 'web', metric: 'latency', at: FAULT_AT },
    };
    const ranking = rankRootCauses(input);
    assert.equal(ranking.causes[0]?.service, 'web');
    assert.equal(ranking.causes[0].bestCallee?.service, 'api');
  });

  for (const error of [-600, -120, -60, 60, 120, 300]) {
    it(`gives the same first place with the alert time off by ${error} s`, () => {
      const input = slowDatabase();
      input.alert!.at = FAULT_AT + error;
      assert.equal(order(input)[0], 'orders-db');
    });
  }

  it('ranks without a graph and without an alert', () => {
    const ranking = rankRootCauses({
      series: syntheticSeries([
        { service: 'carts', metric: 'cpu', level: 0.2, change: 0.7 },
        { service: 'carts', metric: 'latency-90', level: 20, change: 20 },
        { service: 'front-end', metric: 'latency-90', level: 50, change: 20 },
        { service: 'user', metric: 'mem', level: 1e8 },
      ]),
      edges: [],
      baseline: { from: START, to: FAULT_AT },
      incident: { from: FAULT_AT, to: END },
    });
    assert.equal(ranking.causes[0]?.service, 'carts');
    assert.match(ranking.notes.join(), /No dependency graph/);
  });

  it('ranks an incident of one sample', () => {
    const input = slowDatabase();
    input.incident = { from: FAULT_AT, to: FAULT_AT + INTERVAL };
    assert.equal(order(input)[0], 'orders-db');
  });

  it('ranks when the alerting metric, or the whole alerting service, is missing', () => {
    const other = slowDatabase();
    other.alert!.metric = 'availability';
    assert.equal(order(other)[0], 'orders-db');
    const gone = slowDatabase();
    gone.series = gone.series.filter(({ service }) => service !== 'front-end');
    const ranking = rankRootCauses(gone);
    assert.equal(ranking.causes[0]?.service, 'orders-db');
    assert.match(ranking.notes.join(), /No metric of the alerting service/);
  });

  it('answers an empty question with an empty ranking', () => {
    const ranking = rankRootCauses({ series: [], edges: [] });
    assert.deepEqual(ranking.causes, []);
  });
});
