import assert from 'node:assert/strict';
import { toValidationIssues } from '../../../../src/http/validation/issues.ts';
import {
  MAX_ALERTS,
  MAX_LABELS,
  type OutsideAlert,
  type Trigger,
} from '../../../../src/features/monitoring-agents/triggers/port.ts';
import { recognise } from '../../../../src/features/monitoring-agents/triggers/recognise.ts';
import { alertmanager, datadog, datadogDefault, grafana, pagerduty } from './payloads.ts';

function triggerOf(body: unknown) {
  const read = recognise(body);
  assert.ok('trigger' in read, 'issues' in read ? JSON.stringify(toValidationIssues(read.issues, 'body', body)) : '');
  return read.trigger;
}

function alertsOf(body: unknown): OutsideAlert[] {
  const trigger = triggerOf(body);
  assert.equal(trigger.kind, 'alerts');
  return trigger.kind === 'alerts' ? trigger.alerts : [];
}

function alertOf(body: unknown): OutsideAlert {
  const [alert, ...rest] = alertsOf(body);
  assert.ok(alert && rest.length === 0);
  return alert;
}

function placesOf(body: unknown): string[] {
  const read = recognise(body);
  assert.ok('issues' in read, 'it was accepted');
  return toValidationIssues(read.issues, 'body', body).map(({ loc, type }) => `${loc.join('.')} ${type}`);
}

describe('triggers: what is recognised', () => {
  it('Alertmanager: each alert with its service, severity, fingerprint, links and time', () => {
    assert.deepEqual(alertsOf(alertmanager()), [
      {
        fingerprint: 'alertmanager:c6eadffa33fcdf37',
        source: 'alertmanager',
        title: 'HighErrorRate: checkout',
        summary: 'checkout answers with errors\n7.4 % of the requests to checkout fail (usual are 0.1 %).',
        severity: 'critical',
        service: 'checkout',
        status: 'firing',
        startsAt: Date.UTC(2026, 2, 4, 5, 6, 7, 89),
        labels: {
          alertname: 'HighErrorRate',
          env: 'prod',
          instance: '10.2.3.4:9090',
          job: 'shop/checkout',
          service: 'checkout',
          severity: 'critical',
        },
        links: [
          { label: 'Rule', url: 'http://prometheus.example.org:9090/graph?g0.expr=up&g0.tab=1' },
          { label: 'Runbook', url: 'https://runbooks.example.org/checkout' },
          { label: 'Alertmanager', url: 'http://alertmanager.example.org:9093' },
        ],
      },
      {
        fingerprint: 'alertmanager:00aa11bb22cc33dd',
        source: 'alertmanager',
        title: 'PodRestarts: cart-6c5d-x2x',
        summary: '',
        severity: 'warning',
        service: undefined,
        status: 'resolved',
        startsAt: Date.UTC(2026, 2, 4, 4),
        labels: { alertname: 'PodRestarts', env: 'prod', namespace: 'shop', severity: 'warning', pod: 'cart-6c5d-x2x' },
        links: [{ label: 'Alertmanager', url: 'http://alertmanager.example.org:9093' }],
      },
    ]);
  });

  it('Grafana: values and pages of its own; it is not taken for Alertmanager', () => {
    const alert = alertOf(grafana());
    assert.equal(alert.fingerprint, 'grafana:bc97ff14869b13e3');
    assert.equal(alert.title, 'Queue is growing: orders');
    assert.match(alert.summary, /^The queue of orders grows for ten minutes\n\[ var='A'/);
    assert.deepEqual([alert.severity, alert.service, alert.status], ['warning', 'orders', 'firing']);
    assert.deepEqual(
      alert.links.map(({ label }) => label),
      ['Rule', 'Panel', 'Dashboard', 'Silence', 'Grafana'],
    );
    const [first] = grafana().alerts;
    const plain = alertOf(grafana({ alerts: [{ ...first, valueString: undefined }] }));
    assert.match(plain.summary, /A = 1532, B = 1$/);
  });

  it('PagerDuty: incidents begin and end; other events are ignored, with the reason', () => {
    const begun = alertOf(pagerduty());
    assert.deepEqual(begun, {
      fingerprint: 'pagerduty:PGR0VU2',
      source: 'pagerduty',
      title: 'Payments are declined',
      summary: 'Incident #2 of PagerDuty, service payment, urgency high, priority P1',
      severity: 'critical',
      service: 'payment',
      status: 'firing',
      startsAt: Date.UTC(2026, 2, 4, 5, 9, 15),
      labels: { incident: 'PGR0VU2', number: '2', service: 'payment', urgency: 'high', priority: 'P1' },
      links: [
        { label: 'Incident', url: 'https://example.pagerduty.com/incidents/PGR0VU2' },
        { label: 'Service', url: 'https://example.pagerduty.com/services/PF9KMXH' },
      ],
    });
    const ended = alertOf(pagerduty('incident.resolved', { priority: null, urgency: 'low', service: null }));
    assert.deepEqual([ended.status, ended.severity, ended.fingerprint], ['resolved', 'warning', begun.fingerprint]);
    for (const type of ['incident.acknowledged', 'incident.annotated', 'service.updated', 'pagey.ping']) {
      const trigger = triggerOf({ event: { id: 'x', event_type: type, data: { message: 'hello' } } });
      assert.equal(trigger.kind, 'ignored');
      assert.match(trigger.kind === 'ignored' ? trigger.reason : '', new RegExp(type.replace('.', '\\.')));
    }
  });

  it('Datadog: transitions, tags and texts of a template', () => {
    const alert = alertOf(datadog());
    assert.equal(alert.fingerprint, 'datadog:9bd4ac313a4d1e8fae2482df7b776289');
    assert.equal(alert.title, 'p95 latency of {{service.name}} is high');
    assert.match(alert.summary, /^avg\(last_5m\).*\n\nLatency of checkout is 1\.9 s\./);
    assert.deepEqual(alert.labels, {
      env: 'prod',
      service: 'checkout',
      monitor: '135792468',
      team: 'shop',
    });
    assert.deepEqual([alert.severity, alert.service, alert.status], ['critical', 'checkout', 'firing']);
    assert.equal(alert.startsAt, 1_772_600_767_000);
    assert.deepEqual(alert.links, [{ label: 'Datadog', url: datadog().link }], 'a snapshot that is null is none');
    const states: [string, string, string][] = [
      ['Re-Triggered', 'firing', 'critical'],
      ['Warn', 'firing', 'warning'],
      ['Re-Warn', 'firing', 'warning'],
      ['No Data', 'firing', 'warning'],
      ['Renotify', 'firing', 'critical'],
      ['Recovered', 'resolved', 'critical'],
    ];
    for (const [transition, status, severity] of states) {
      const one = alertOf(datadog({ alert_transition: transition }));
      assert.deepEqual([one.status, one.severity, one.fingerprint], [status, severity, alert.fingerprint], transition);
    }
  });

  it("Datadog's own payload: the state is in the title, and trigger and recovery are one alert", () => {
    const begun = alertOf(datadogDefault('[Triggered on {host:web-1}] Disk is full'));
    const ended = alertOf(datadogDefault('[Recovered on {host:web-1}] Disk is full'));
    assert.deepEqual([begun.status, begun.title, begun.labels], ['firing', 'Disk is full', { host: 'web-1' }]);
    assert.deepEqual([ended.status, ended.fingerprint], ['resolved', begun.fingerprint]);
    assert.notEqual(alertOf(datadogDefault('[Triggered on {host:web-2}] Disk is full')).fingerprint, begun.fingerprint);
  });

  it('our own alerts, deploys and requests', () => {
    const alert = {
      type: 'alert',
      title: 'Backups are late',
      service: 'backup',
      severity: 'info',
      links: [{ url: 'https://example.org/b' }],
    };
    const read = alertOf(alert);
    assert.deepEqual(
      [read.source, read.severity, read.service, read.links],
      ['casebook', 'info', 'backup', [{ label: 'example.org: Link', url: 'https://example.org/b' }]],
    );
    assert.equal(alertOf({ ...alert, status: 'resolved', summary: 'over' }).fingerprint, read.fingerprint);
    assert.notEqual(alertOf({ ...alert, service: 'other' }).fingerprint, read.fingerprint);
    assert.equal(alertOf({ ...alert, fingerprint: ' b-1 ' }).fingerprint, 'casebook:b-1');

    const deploy = triggerOf({ type: 'deploy', service: 'checkout', version: '1.2.3', environment: 'prod' });
    assert.equal(deploy.kind, 'deploy');
    const again = triggerOf({
      type: 'deploy',
      service: 'checkout',
      version: '1.2.3',
      environment: 'prod',
      author: 'ann',
    });
    const other = triggerOf({ type: 'deploy', service: 'checkout', version: '1.2.4', environment: 'prod' });
    const keyOf = (trigger: Trigger): string => (trigger.kind === 'deploy' ? trigger.deploy.fingerprint : '');
    assert.equal(keyOf(again), keyOf(deploy));
    assert.notEqual(keyOf(other), keyOf(deploy));

    assert.deepEqual(triggerOf({ type: 'check_now', checks: ['b', 'a', 'b'] }), {
      kind: 'check_now',
      source: 'casebook',
      checkIds: ['a', 'b'],
    });
    assert.deepEqual(triggerOf({ type: 'check_now' }), { kind: 'check_now', source: 'casebook' });
  });

  it('anything else with a title or a text is an alert', () => {
    const zabbix = {
      title: 'PROBLEM: disk of db-1',
      severity: 'High',
      status: 'PROBLEM',
      tags: ['service:db', 'x'],
      url: 'https://z.example.org/1',
    };
    const begun = alertOf(zabbix);
    assert.deepEqual(
      [begun.severity, begun.service, begun.status, begun.labels],
      ['critical', 'db', 'firing', { service: 'db', x: 'true' }],
    );
    assert.equal(alertOf({ ...zabbix, status: 'OK' }).fingerprint, begun.fingerprint);
    assert.equal(alertOf({ ...zabbix, status: 'OK' }).status, 'resolved');
    const old = { title: '[Alerting] CPU', state: 'alerting', message: 'CPU is busy', ruleId: 1 };
    assert.equal(alertOf({ ...old, title: '[OK] CPU', state: 'ok' }).fingerprint, alertOf(old).fingerprint);
    assert.equal(alertOf(old).summary, 'CPU is busy');
    for (const name of ['title', 'message', 'summary', 'name', 'description', 'text'])
      assert.equal(alertOf({ id: 7, [name]: ' something\n happened ' }).title, 'something happened');
    assert.equal(alertOf({ type: 'incident', name: 'x' }).source, 'generic');
  });

  it('fingerprints of different tools never meet, and labels in another order are the same alert', () => {
    const [first] = alertmanager().alerts;
    assert.ok(first);
    const { fingerprint: _, labels, ...rest } = first;
    const reversed = Object.fromEntries(Object.entries(labels).toReversed());
    const of = (own: object, kind: (changes: object) => unknown = (changes) => alertmanager({ ...changes })) =>
      alertOf(kind({ alerts: [own] })).fingerprint;
    const made = of({ ...rest, labels });
    assert.match(made, /^alertmanager:[0-9a-f]{64}$/);
    assert.equal(of({ ...rest, labels: reversed, annotations: { summary: 'other words' } }), made);
    assert.notEqual(of({ ...rest, labels: { ...labels, service: 'cart' } }), made);
    assert.notEqual(of({ ...rest, labels }, (changes) => grafana({ ...changes })).split(':')[1], made.split(':')[1]);
  });
});

describe('triggers: what is refused', () => {
  it('names every reason, of the form that was meant', () => {
    const group = { version: '4', alerts: [{ status: 'burning', labels: { a: [1] } }, 'x', {}] };
    assert.deepEqual(placesOf(group).sort(), [
      'body.alerts.0.labels.a union_error',
      'body.alerts.0.status literal_error',
      'body.alerts.1 model_attributes_type',
      'body.alerts.2.labels missing',
      'body.alerts.2.status missing',
      'body.receiver missing',
      'body.status missing',
    ]);
    assert.deepEqual(placesOf({ ...alertmanager(), version: '5' }), ['body.version literal_error']);
    assert.deepEqual(placesOf({ ...alertmanager(), alerts: 'x' }), ['body.alerts list_type']);
    assert.deepEqual(placesOf({ ...alertmanager(), alerts: [] }), ['body.alerts too_short']);
    assert.deepEqual(placesOf({ event: { event_type: 'incident.triggered', data: { service: 'x' } } }), [
      'body.event.data.id missing',
      'body.event.data.title missing',
      'body.event.data.service model_attributes_type',
    ]);
    assert.deepEqual(placesOf({ alert_transition: 'Triggered', tags: 7 }).sort(), [
      'body.tags union_error',
      'body.title missing',
    ]);
    assert.deepEqual(placesOf({ type: 'alert', severity: 'bad', links: [{ url: 'javascript:alert(1)' }] }), [
      'body.title missing',
      'body.severity literal_error',
      'body.links.0.url url_parsing',
    ]);
    assert.deepEqual(placesOf({ type: 'deploy', url: 'ftp://x/y' }), ['body.service missing', 'body.url url_parsing']);
    assert.deepEqual(placesOf({ type: 'check_now', checks: ['ok', 'Not ok'] }), [
      'body.checks.1 string_pattern_mismatch',
    ]);
  });

  it('says what would be understood where nothing is', () => {
    const body = { hello: 'world', title: ' ', text: 5 };
    const read = recognise(body);
    assert.ok('issues' in read);
    const [issue, ...rest] = toValidationIssues(read.issues, 'body', body);
    assert.equal(rest.length, 0);
    assert.deepEqual(issue?.loc, ['body']);
    for (const tool of ['Alertmanager', 'Grafana', 'PagerDuty', 'Datadog', 'check_now'])
      assert.ok(issue?.msg.includes(tool), tool);
    for (const other of [[], [{ title: 'x' }], 'title', 7, null])
      assert.deepEqual(placesOf(other), ['body union_error']);
  });
});

describe('triggers: what is hostile', () => {
  const strange: unknown[] = [
    null,
    '',
    0,
    -1,
    1e308,
    true,
    [],
    {},
    'x',
    '\u0000',
    '\ud800',
    'a'.repeat(100_000),
    { toString: 1 },
    [[[]]],
  ];

  it('ten thousand labels and a megabyte of annotations are clipped', () => {
    const labels = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`label_${n}`, 'v'.repeat(600)]));
    const [first] = alertmanager().alerts;
    const huge = {
      ...first,
      labels: { ...labels, service: 'checkout' },
      annotations: { summary: '😀'.repeat(500_000) },
    };
    const alert = alertOf(alertmanager({ alerts: [huge] }));
    assert.equal(Object.keys(alert.labels).length, MAX_LABELS);
    assert.equal(alert.labels['service'], 'checkout', 'what matters is kept');
    assert.ok(alert.title.length <= 200 && alert.summary.length <= 2_000);
    assert.ok(alert.summary.isWellFormed() && alert.summary.endsWith('😀…'), 'no pair of surrogates is parted');
  });

  it('more alerts than are taken: firing ones first, the rest is counted', () => {
    const alerts = Array.from({ length: 500 }, (_, n) => ({
      status: n < 250 ? 'resolved' : 'firing',
      labels: { alertname: 'a', n: String(n) },
      fingerprint: String(n),
    }));
    const trigger = triggerOf(alertmanager({ alerts, truncatedAlerts: 7 }));
    assert.ok(trigger.kind === 'alerts');
    assert.equal(trigger.alerts.length, MAX_ALERTS);
    assert.ok(trigger.alerts.every(({ status }) => status === 'firing'));
    assert.equal(trigger.truncated, 307);
    const twice = triggerOf(alertmanager({ alerts: [alerts[499], { ...alerts[499], status: 'resolved' }] }));
    assert.ok(twice.kind === 'alerts');
    assert.deepEqual(
      twice.alerts.map(({ status }) => status),
      ['resolved'],
      'the last word counts',
    );
  });

  it('absurd dates are no dates, and links lead to pages only', () => {
    const [first] = alertmanager().alerts;
    for (const startsAt of [
      '0001-01-01T00:00:00Z',
      '+275760-09-13T00:00:00.001Z',
      'yesterday',
      1e300,
      -5,
      '-1',
      null,
      'NaN',
      '',
    ])
      assert.equal(alertOf(alertmanager({ alerts: [{ ...first, startsAt }] })).startsAt, undefined, String(startsAt));
    assert.equal(alertOf(alertmanager({ alerts: [{ ...first, startsAt: '1772600767' }] })).startsAt, 1_772_600_767_000);
    for (const generatorURL of [
      'javascript:alert(1)',
      'file:///etc/passwd',
      'http://',
      'http://a b/',
      `https://x/${'a'.repeat(3_000)}`,
      7,
    ]) {
      const { links } = alertOf(alertmanager({ alerts: [{ ...first, generatorURL }], externalURL: '' }));
      assert.deepEqual(
        links.map(({ label }) => label),
        ['Runbook'],
        String(generatorURL).slice(0, 40),
      );
    }
  });

  it('whatever is put in whatever place is either read or refused, and what is read is storable', () => {
    const bodies: Record<string, unknown>[] = [
      alertmanager(),
      grafana(),
      pagerduty(),
      pagerduty('incident.resolved'),
      datadog(),
      datadogDefault('[Triggered on {host:a}] x'),
      { type: 'alert', title: 'x', labels: { a: 'b' }, links: [{ url: 'https://example.org' }] },
      { type: 'deploy', service: 'x' },
      { type: 'check_now', checks: ['a'] },
      { title: 'x', labels: {}, tags: [], status: 'x' },
    ];
    let read = 0;
    let refused = 0;
    for (const body of bodies) {
      for (const path of pathsOf(body)) {
        for (const value of strange) {
          const result = recognise(replaced(body, path, value));
          if ('issues' in result) {
            assert.ok(result.issues.length > 0);
            refused += 1;
            continue;
          }
          read += 1;
          assertStorable(result.trigger);
        }
      }
    }
    assert.ok(read > 500 && refused > 500, `${read} read, ${refused} refused`);
  });

  it('what is common to very many alerts is not read for each of them', () => {
    const alerts = Array.from({ length: 5_000 }, (_, index) => ({
      status: index < 4_900 ? 'resolved' : 'firing',
      labels: { alertname: `A${index}` },
    }));
    const commonLabels = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`k${index}`, 'v']));
    const before = process.cpuUsage();
    const trigger = triggerOf({ version: '4', status: 'firing', receiver: 'r', alerts, commonLabels });
    const used = process.cpuUsage(before);
    const tookMs = (used.user + used.system) / 1_000;
    assert.ok(tookMs < 5_000, `${tookMs} ms of the processor`);
    assert.equal(trigger.kind, 'alerts');
    if (trigger.kind !== 'alerts') return;
    assert.equal(trigger.alerts.filter(({ status }) => status === 'firing').length, 100);
    assert.equal(trigger.alerts.length + trigger.truncated, 5_000);
  });
});

function assertStorable(value: unknown): void {
  const text = JSON.stringify(value);
  assert.ok(text.length < 100_000);
  assert.ok(!/\\u0000|\\ud[89a-f]/i.test(text), text.slice(0, 200));
}

function pathsOf(value: unknown): (string | number)[][] {
  if (typeof value !== 'object' || value === null) return [[]];
  return [[], ...Object.entries(value).flatMap(([name, inner]) => pathsOf(inner).map((path) => [name, ...path]))];
}

function replaced(value: unknown, [name, ...rest]: (string | number)[], by: unknown): unknown {
  if (name === undefined) return by;
  if (Array.isArray(value))
    return value.map((inner, index) => (String(index) === name ? replaced(inner, rest, by) : inner));
  return { ...(value as object), [name]: replaced((value as Record<string, unknown>)[name], rest, by) };
}
