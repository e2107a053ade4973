import assert from 'node:assert/strict';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DiagnosisCase } from '../../bench/diagnosis/case.ts';
import { petshopToRecordedIncident } from '../../bench/diagnosis/recorded.ts';
import { rankRootCauses } from '../../src/features/diagnosis/index.ts';
import { createSourceCatalog } from '../../src/features/sources/index.ts';

const call = () => ({ signal: new AbortController().signal });

/** Two services with a healthy recording long after the incident, as PetShop has it. */
function smallCase(): DiagnosisCase {
  const incident = { from: 1_680_000_000, to: 1_680_001_501 };
  const baseline = { from: 1_694_000_000, to: 1_694_030_001 };
  const times = [
    ...Array.from({ length: 6 }, (_, i) => incident.from + i * 300),
    ...Array.from({ length: 101 }, (_, i) => baseline.from + i * 300),
  ];
  const series = (service: string, statistic: string, healthy: number, faulty: number) => ({
    service,
    metric: 'latency',
    statistic,
    timestamps: times,
    values: times.map((at, i) => (i === 3 ? Number.NaN : (at < incident.to ? faulty : healthy) * (1 + 0.01 * (i % 7)))),
  });
  return {
    dataset: 'petshop',
    system: 'low_traffic',
    name: 'low_traffic/train/issue_0',
    truth: 'Pets, Inc_AWS::DynamoDB',
    input: {
      series: [series('PetSite', 'Average', 0.1, 0.9), series('Pets, Inc_AWS::DynamoDB', 'Average', 0.01, 0.8)],
      edges: [{ caller: 'PetSite', callee: 'Pets, Inc_AWS::DynamoDB' }],
      alert: { service: 'PetSite', metric: 'latency', at: incident.to },
      baseline,
      incident,
    },
  };
}

describe('a PetShop case as a recorded incident', () => {
  let directory: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'casebook-petshop-'));
  });
  after(() => rm(directory, { recursive: true, force: true }));

  it('gives a source what the ranking is given, to the last digit', async () => {
    const one = smallCase();
    const name = await petshopToRecordedIncident(one, directory);
    assert.equal(name, 'petshop-low_traffic-train-issue_0');
    const source = createSourceCatalog({ incidentsDir: directory }).get(`incident:${name}`);
    const description = await source.describe(call());
    assert.deepEqual(description.window, one.input.incident);
    assert.deepEqual(description.baseline, one.input.baseline);
    assert.deepEqual(await source.dependencies!(one.input.incident!, call()), one.input.edges);
    const all = await source.surveyMetrics!({ from: 0, to: 2_000_000_000, maxPoints: 10_000 }, call());
    assert.deepEqual(
      all.map(({ service, metric, statistic, timestamps, values }) => ({
        service,
        metric,
        statistic,
        timestamps,
        values,
      })),
      one.input.series,
    );
    const ranked = (series: typeof all) =>
      rankRootCauses({ ...one.input, series }).causes.map(({ service }) => service);
    assert.deepEqual(ranked(all), ranked(one.input.series));
  });

  it('does not write the truth', async () => {
    const one = { ...smallCase(), truth: 'the-culprit-nobody-may-read' };
    const folder = join(directory, await petshopToRecordedIncident(one, directory));
    for (const name of await readdir(folder)) {
      assert.ok(!(await readFile(join(folder, name), 'utf8')).includes('culprit'), name);
    }
  });
});
