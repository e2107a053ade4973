import assert from 'node:assert/strict';
import { alertmanager, type Connector } from '@casebook/connectors';
import { waitUntil } from '../../support/wait-until.ts';
import { startAlertmanager, type TestAlertmanager } from '../../support/alertmanager.ts';
import { ask, check, checkOthers, connect, failing, timeIsOver } from './connect.ts';

interface Alert {
  labels: Record<string, string>;
  status: { state: string };
}

describe('satellite: Alertmanager', () => {
  let server: TestAlertmanager;
  let connector: Connector;
  const time = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();

  before(async () => {
    server = await startAlertmanager();
    connector = connect(alertmanager, { url: server.url });
    await server.post('silences', {
      matchers: [{ name: 'service', value: 'web', isRegex: false, isEqual: true }],
      startsAt: time(0),
      endsAt: time(600),
      createdBy: 'someone',
      comment: 'being moved',
    });
    await server.post('alerts', [
      { labels: { alertname: 'Slow', service: 'cart' }, annotations: { summary: 'p95 over 2 s' }, startsAt: time(-60) },
      { labels: { alertname: 'Slow', service: 'web' }, startsAt: time(-30) },
    ]);
    await waitUntil(
      async () => {
        const alerts = (await ask(connector, 'alerts', {})) as Alert[];
        const states = alerts.map(({ status }) => status.state).sort();
        return states.join() === 'active,suppressed' ? true : undefined;
      },
      { what: 'an active and a silenced alert' },
    );
  });
  after(async () => {
    await connector?.close();
    await server?.stop();
  });

  const services = async (parameters: Record<string, unknown>) =>
    ((await ask(connector, 'alerts', parameters)) as Alert[]).map(({ labels }) => labels['service'] ?? '').sort();

  it('is healthy, and distinguished from other systems', async () => {
    await check(connector);
    await checkOthers(alertmanager, server.url);
  });

  it('gives alerts by their state and labels', async () => {
    assert.deepEqual(await services({}), ['cart', 'web']);
    assert.deepEqual(await services({ silenced: false, inhibited: false }), ['cart']);
    assert.deepEqual(await services({ active: false }), ['web']);
    assert.deepEqual(await services({ filter: ['alertname="Slow"', 'service=~"c.*"'] }), ['cart']);
  });

  it('gives groups and silences', async () => {
    const groups = (await ask(connector, 'alert_groups', { filter: ['service="cart"'] })) as {
      labels: object;
      receiver: object;
      alerts: Alert[];
    }[];
    assert.deepEqual(
      groups.map(({ labels, receiver, alerts }) => [labels, receiver, alerts.length]),
      [[{ alertname: 'Slow' }, { name: 'nobody' }, 1]],
    );
    const silences = (await ask(connector, 'silences', {})) as { comment: string }[];
    assert.deepEqual(
      silences.map(({ comment }) => comment),
      ['being moved'],
    );
    assert.deepEqual(await ask(connector, 'silences', { filter: ['service="cart"'] }), []);
  });

  it('gives its status without its configuration', async () => {
    const status = (await ask(connector, 'status', {})) as { versionInfo: { version: string } };
    assert.match(status.versionInfo.version, /^0\.\d+/);
    assert.deepEqual(Object.keys(status).sort(), ['cluster', 'uptime', 'versionInfo']);
  });

  it('passes on what Alertmanager says, and keeps limits', async () => {
    await assert.rejects(
      services({ filter: ['service'] }),
      failing('bad_request', /400: bad matcher format: service$/),
    );
    await assert.rejects(ask(connector, 'alerts', {}, { maxBytes: 100 }), failing('too_large', /100 bytes/));
    await assert.rejects(ask(connector, 'alerts', {}, { signal: timeIsOver() }), failing('timeout', /in time/));
    await assert.rejects(services({ receiver: 'x' }), /receiver/);
  });
});
