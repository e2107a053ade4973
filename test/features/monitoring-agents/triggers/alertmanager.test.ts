/** The real Alertmanager, pointed at the real API: what it sends again and again is one finding and one investigation. */
import assert from 'node:assert/strict';
import { anyTeam } from '../../../../src/db/team-filter.ts';
import { waitUntil } from '../../../support/wait-until.ts';
import { Investigation } from '../../../../src/features/investigations/index.ts';
import { startAlertmanager, type TestAlertmanager } from '../../../support/alertmanager.ts';
import { startHarness, type Harness } from '../../../support/harness.ts';
import { shortInvestigation } from '../../../support/scripts.ts';
import { sampleIncident } from '../../../support/telemetry-source.ts';

interface Finding {
  id: string;
  status: string;
  origin: string;
  title: string;
  severity: string;
  service: string;
  occurrences: number;
  investigation: { id: string } | null;
}

describe('a real Alertmanager that is pointed at POST /api/monitor', () => {
  let harness: Harness;
  let alertmanager: TestAlertmanager;
  before(async () => {
    harness = await startHarness({ script: shortInvestigation, sources: [sampleIncident()] });
    alertmanager = await startAlertmanager({ url: `${harness.url}/api/monitor`, credentials: harness.apiKey });
  });
  after(async () => {
    await alertmanager?.stop();
    await harness?.stop();
  });

  const findings = async (): Promise<Finding[]> =>
    ((await harness.request('GET', '/api/findings')).body as { findings: Finding[] }).findings;
  const untilFinding = (what: string, is: (finding: Finding) => boolean): Promise<Finding> =>
    waitUntil(async () => (await findings()).find(is), { what });
  const investigations = (): Promise<number> => harness.database.orm.em.fork().count(Investigation, {}, anyTeam);
  const alert = {
    labels: { alertname: 'HighErrorRate', service: 'checkout', severity: 'critical' },
    annotations: { summary: 'checkout answers with errors', description: '7 % of the requests to checkout fail' },
    startsAt: new Date(Date.now() - 60_000).toISOString(),
    generatorURL: 'http://prometheus.example.org/graph',
  };

  it('an alert opens a finding and its investigation, which ends with a report', async () => {
    await alertmanager.post('alerts', [alert]);
    const finding = await untilFinding('the finding of the alert', ({ investigation }) => investigation !== null);
    assert.deepEqual(
      [finding.origin, finding.status, finding.title, finding.severity, finding.service],
      ['alert', 'open', 'HighErrorRate: checkout', 'critical', 'checkout'],
    );
    const { status, alert_summary: title } = await harness.untilEnded(finding.investigation!.id);
    assert.equal(status, 'completed');
    assert.equal(title, 'payment: connection pool exhausted');
    const { body } = await harness.request('GET', `/api/investigations/${finding.investigation!.id}`);
    assert.match((body as { query: string }).query, /7 % of the requests to checkout fail/);
  });

  it('its repetitions open no second one', async () => {
    const [{ id, occurrences }] = (await findings()) as [Finding];
    await untilFinding('two more notifications', (finding) => finding.occurrences >= occurrences + 2);
    const now = await findings();
    assert.deepEqual(
      now.map((finding) => finding.id),
      [id],
    );
    assert.equal(await investigations(), 1);
  });

  it('its resolution resolves the finding', async () => {
    await alertmanager.post('alerts', [{ ...alert, endsAt: new Date().toISOString() }]);
    const over = await untilFinding('the end of the finding', ({ status }) => status === 'resolved');
    assert.equal(over.title, 'HighErrorRate: checkout');
    assert.equal(await investigations(), 1);
  });
});
