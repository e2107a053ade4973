import assert from 'node:assert/strict';
import { detectOnset, metricFamily, metricMeaning, seriesAnomaly } from '../../../src/features/diagnosis/index.ts';
import { END, FAULT_AT, START, type SyntheticSeries, syntheticSeries } from './incident.ts';

const windows = { baseline: { from: START, to: FAULT_AT }, incident: { from: FAULT_AT, to: END } };

function anomalyOf(spec: Omit<SyntheticSeries, 'service'>): ReturnType<typeof seriesAnomaly> {
  return seriesAnomaly(syntheticSeries([{ service: 'a', ...spec }])[0]!, windows);
}

describe('seriesAnomaly', () => {
  it('states the change in spreads of the baseline', () => {
    const anomaly = anomalyOf({ metric: 'latency', level: 100, noise: 10, change: 50 });
    assert.ok(Math.abs(anomaly.baselineMedian - 100) < 1);
    assert.ok(anomaly.baselineSpread > 4 && anomaly.baselineSpread < 6); // IQR of uniform noise 10 wide
    assert.ok(anomaly.score > 9 && anomaly.score < 12);
    assert.equal(anomaly.baselineSamples, 240);
    assert.equal(anomaly.incidentSamples, 60);
  });

  it('gives a constant baseline a floor instead of an infinite score', () => {
    assert.equal(anomalyOf({ metric: 'latency', level: 100, noise: 0, change: 50 }).score, 50);
    assert.equal(anomalyOf({ metric: 'latency', level: 0, noise: 0, change: 1e-9 }).score, 10);
    assert.equal(anomalyOf({ metric: 'latency', level: 100, noise: 0 }).score, 0);
  });

  it('measures the first failures by their share, where the series is a share', () => {
    const half = anomalyOf({ metric: 'errors', unit: 'ratio', level: 0, noise: 0, change: 0.5 });
    const percent = anomalyOf({ metric: 'errors', unit: '%', level: 0, noise: 0, change: 50 });
    assert.deepEqual([half.score, percent.score], [100, 100]);
    assert.equal(anomalyOf({ metric: 'errors', unit: 'ratio', level: 0, noise: 0, change: 0.01 }).score, 10);
    assert.equal(anomalyOf({ metric: 'errors', unit: '1/s', level: 0, noise: 0, change: 0.5 }).score, 10);
  });

  it('reads availability as a ratio or a percentage alike', () => {
    const percent = anomalyOf({ metric: 'availability', level: 100, noise: 0, change: -2 });
    const ratio = anomalyOf({ metric: 'availability', level: 1, noise: 0, change: -0.02 });
    assert.equal(percent.direction, 'down');
    assert.ok(Math.abs(percent.score - 20) < 1e-9);
    assert.ok(Math.abs(ratio.score - 20) < 1e-9);
  });

  it('takes a fault in one of five samples, or in a small part of a long window, seriously', () => {
    const timestamps = Array.from({ length: 105 }, (_, i) => i * 300);
    const values = timestamps.map((_, i) => 10 + (i % 5) * 0.1);
    values[102] = 40;
    const series = { service: 'a', metric: 'latency', timestamps, values };
    for (const from of [30_000, 15_000]) {
      const compared = { baseline: { from: 0, to: from }, incident: { from, to: 31_500 } };
      assert.equal(seriesAnomaly(series, compared).incidentValue, 40);
      assert.ok(seriesAnomaly(series, compared).score > 20);
    }
  });

  it('subtracts what was there just before the onset', () => {
    const [series] = syntheticSeries([{ service: 'a', metric: 'latency', level: 10, noise: 1, drift: 30, change: 10 }]);
    const before = { from: FAULT_AT - 300, to: FAULT_AT };
    const drifted = seriesAnomaly(series!, { ...windows, baseline: { from: START, to: FAULT_AT - 600 } });
    const checked = seriesAnomaly(series!, { ...windows, baseline: { from: START, to: FAULT_AT - 600 }, before });
    assert.ok(drifted.score > 3 * checked.score);
    assert.ok(Math.abs((checked.levelBefore ?? 0) - 40) < 1);
  });

  it('says that there is nothing to compare instead of failing', () => {
    const empty = seriesAnomaly({ service: 'a', metric: 'latency', timestamps: [], values: [] }, windows);
    assert.equal(empty.score, 0);
    assert.ok(Number.isNaN(empty.baselineMedian) && Number.isNaN(empty.incidentValue));
  });
});

describe('detectOnset', () => {
  const search = { from: FAULT_AT - 900, to: END };
  const reference = { from: START, to: FAULT_AT - 900 };
  const [series] = syntheticSeries([{ service: 'a', metric: 'latency', level: 10, noise: 1, change: 30 }]);

  it('finds the first faulty sample although the alert came ten minutes late', () => {
    assert.equal(detectOnset(series!, { search, reference, near: FAULT_AT + 600 }), FAULT_AT);
  });

  it('bridges a missing sample', () => {
    const values = series!.values.map((value, i) => (series!.timestamps[i] === FAULT_AT + 60 ? Number.NaN : value));
    assert.equal(detectOnset({ ...series!, values }, { search, reference, near: FAULT_AT + 600 }), FAULT_AT);
  });

  it('finds none where there is no reference', () => {
    assert.equal(detectOnset(series!, { search, reference: { from: 0, to: 1 } }), undefined);
  });
});

describe('metricMeaning', () => {
  const names: Array<[string, string]> = [
    ['http_server_request_duration_seconds', 'latency'],
    ['http_server_request_duration_seconds_count', 'traffic'],
    ['lat-50', 'latency'],
    ['latency-99', 'latency'],
    ['TargetResponseTime', 'latency'],
    ['SuccessfulRequestLatency', 'latency'],
    ['http_requests_total', 'traffic'],
    ['istio_requests_total', 'traffic'],
    ['workload', 'traffic'],
    ['load', 'traffic'],
    ['node_load5', 'saturation'],
    ['traces_service_graph_request_failed_total', 'errors'],
    ['HTTPCode_Target_5XX_Count', 'errors'],
    ['5XXError', 'errors'],
    ['error', 'errors'],
    ['kube_deployment_status_replicas_unavailable', 'errors'],
    ['UnHealthyHostCount', 'errors'],
    ['HealthyHostCount', 'availability'],
    ['availability', 'availability'],
    ['up', 'availability'],
    ['success_rate', 'availability'],
    ['cpu', 'saturation'],
    ['mem', 'saturation'],
    ['CPUUtilization', 'saturation'],
    ['container_cpu_cfs_throttled_periods_total', 'saturation'],
    ['container_memory_usage_bytes', 'saturation'],
    ['db_client_connections_usage', 'saturation'],
    ['hikaricp_connections_pending', 'saturation'],
    ['diskio', 'saturation'],
    ['socket', 'saturation'],
    ['FreeableMemory', 'headroom'],
    ['node_memory_MemAvailable_bytes', 'headroom'],
    ['node_filesystem_avail_bytes', 'headroom'],
    ['weather', 'other'],
  ];
  for (const [name, meaning] of names) {
    it(`reads ${name} as ${meaning}`, () => assert.equal(metricMeaning(name), meaning));
  }

  it('treats the quantiles of one measurement as one family', () => {
    assert.equal(metricFamily('latency-50'), metricFamily('latency-99'));
    assert.notEqual(metricFamily('cpu'), metricFamily('mem'));
  });
});
