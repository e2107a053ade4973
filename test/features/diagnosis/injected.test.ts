import assert from 'node:assert/strict';
import { injectedPetShopCases, injectedSockShopCases } from '../../../bench/diagnosis/injected/index.ts';
import type { HealthyRecording } from '../../../bench/diagnosis/petshop.ts';
import type { MetricSeries } from '../../../src/features/diagnosis/index.ts';
import { edges, noise } from './incident.ts';

const chain = ['PetSite', 'PetList', 'PetSearch', 'Table'];

/** A hundred samples of four nodes, each called by the one before. */
function healthyShop(): HealthyRecording {
  const timestamps = Array.from({ length: 100 }, (_, i) => 1_690_000_000 + i * 300);
  const random = noise(5);
  const series: MetricSeries[] = [];
  for (const [service, level] of [
    ['PetSite', 0.1],
    ['PetList', 0.04],
    ['PetSearch', 0.02],
    ['Table', 0.005],
  ] as const) {
    const add = (metric: string, statistic: string, value: () => number): void => {
      series.push({ service, metric, statistic, timestamps, values: timestamps.map(value) });
    };
    for (const [statistic, factor] of Object.entries({ Average: 1.2, p50: 1, p90: 2, p95: 2.5, p99: 4 })) {
      add('latency', statistic, () => level * factor * (1 + 0.1 * random()));
    }
    add('requests', 'Sum', () => Math.round(300 * (1 + 0.1 * random())));
    add('availability', 'Average', () => 100);
  }
  return {
    system: 'shop',
    series,
    edges: edges(['PetSite', 'PetList'], ['PetList', 'PetSearch'], ['PetSearch', 'Table']),
  };
}

describe('injected faults', () => {
  it('are the same for the same seed, leave the recording alone, and differ between seeds', () => {
    const recording = healthyShop();
    const copy = structuredClone(recording);
    const cases = injectedPetShopCases([recording], 6, 40);
    assert.deepEqual(recording, copy);
    assert.deepEqual(injectedPetShopCases([recording], 1, 43)[0], cases[3]);
    assert.equal(new Set(cases.map(({ input }) => input.incident?.from)).size > 1, true);
    assert.deepEqual(injectedSockShopCases(1, 7), injectedSockShopCases(2, 6).slice(1));
  });

  it('show at an alerting service upstream of them', () => {
    const recording = healthyShop();
    for (const { input, truth, fault } of injectedPetShopCases([recording], 20)) {
      const { alert, incident, baseline } = input;
      assert.ok(alert && incident && baseline);
      assert.ok(alert.at >= incident.from && alert.at < incident.to);
      assert.ok(chain.indexOf(truth) >= chain.indexOf(alert.service));
      const during = input.series
        .filter(({ service, metric }) => service === alert.service && metric === alert.metric)
        .map(({ timestamps, values }) => {
          const inside = values.filter((_, i) => timestamps[i]! >= incident.from && timestamps[i]! < incident.to);
          assert.equal(inside.length, 5);
          return alert.metric === 'availability'
            ? 100 - Math.min(...inside)
            : Math.max(...inside) / Math.min(...inside);
        });
      assert.ok(Math.max(...during) > (alert.metric === 'availability' ? 0.2 : 1.1), fault);
    }
  });
});
