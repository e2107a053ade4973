import assert from 'node:assert/strict';
import { NotificationChannel } from '../../../src/features/notifications/channel.ts';
import { countByAgent } from '../../../web/src/pages/findings/counts.ts';
import { detailRows, linksIn, safeUrl } from '../../../web/src/pages/findings/detail-rows.ts';
import { severityOf, statusOf } from '../../../web/src/pages/findings/filter-values.ts';
import { valuesOf } from '../../../web/src/pages/findings/values.ts';
import { dollars } from '../../../web/src/components/ui/numbers.ts';
import { measured } from '../../../web/src/pages/monitoring/sessions/words.ts';
import {
  CHANNEL_FORMS,
  CHANNEL_TYPES,
  channelIssue,
  channelOf,
  outcomeWords,
} from '../../../web/src/pages/monitoring/settings/channels.ts';

describe('channels as forms', () => {
  it('have the kinds and the members that the API takes', () => {
    const wanted = NotificationChannel.options.map(({ shape }) => [shape.type.value, Object.keys(shape).slice(1)]);
    const had = CHANNEL_TYPES.map((type) => [type, CHANNEL_FORMS[type].fields.map(({ name }) => name)]);
    assert.deepEqual(had, wanted);
  });

  it('make what the API takes of what was written', () => {
    for (const [type, written] of [
      ['slack', { bot_token: ' xoxb-1234567890 ', channel: '#ops' }],
      ['slack_webhook', { url: 'https://hooks.slack.com/services/x' }],
      ['webhook', { url: 'https://example.com/hook', secret: '' }],
      ['email', { to: 'a@example.com\nb@example.com, c@example.com' }],
    ] as const) {
      const made = channelOf(type, written);
      assert.deepEqual(NotificationChannel.parse(made), made);
    }
    assert.deepEqual(channelOf('webhook', { url: 'https://example.com', secret: ' ' }), {
      type: 'webhook',
      url: 'https://example.com',
    });
    assert.deepEqual(channelOf('email', {}), { type: 'email', to: [] });
  });

  it('show what is wrong at its field, and the rest at the channel', () => {
    const issues = [
      { path: 'notification_channel.to.1', message: 'No address' },
      { path: 'notification_channel.type', message: 'No mail here' },
    ];
    assert.equal(channelIssue(issues, 'to'), 'No address');
    assert.equal(channelIssue(issues), 'No mail here');
    assert.equal(channelIssue(issues, 'url'), undefined);
  });

  it('describe the result of a test', () => {
    assert.match(outcomeWords({ delivered: false, receipt: null, error: 'HTTP 500' }), /Not delivered: HTTP 500/);
    assert.equal(outcomeWords({ delivered: true, receipt: 'ok', error: null }), 'Delivered. Response: ok');
    assert.equal(outcomeWords({ delivered: true, receipt: null, error: null }), 'Delivered.');
  });
});

describe('findings as shown', () => {
  it('is counted by agent and severity, without those of no agent', () => {
    const counts = countByAgent([
      { chat_id: 'a', severity: 'warning' },
      { chat_id: 'a', severity: 'warning' },
      { chat_id: 'a', severity: 'critical' },
      { chat_id: 'b', severity: 'info' },
      { chat_id: null, severity: 'critical' },
    ]);
    assert.deepEqual(
      [...counts],
      [
        ['a', { warning: 2, critical: 1 }],
        ['b', { info: 1 }],
      ],
    );
  });

  it('is what an alert says, a row for each value, and never more than fit', () => {
    const details = {
      source: 'grafana',
      labels: { severity: 'page', empty: '' },
      links: [{ label: 'Runbook', url: 'https://a' }, { url: 'javascript:b' }, { label: 'none' }, 7],
      values: { A: [1, true] },
    };
    assert.deepEqual(detailRows(details), [
      { name: 'severity', value: 'page' },
      { name: 'source', value: 'grafana' },
      { name: 'values.A.1', value: '1' },
      { name: 'values.A.2', value: 'true' },
    ]);
    assert.deepEqual(linksIn(details), [
      { label: 'Runbook', url: 'https://a' },
      { label: 'javascript:b', url: 'javascript:b' },
    ]);
    assert.deepEqual(linksIn({ links: 'no list' }), []);
    assert.equal(detailRows({ list: Array.from({ length: 1_000 }, () => 'x') }).length, 200);
  });

  it('leads to addresses of the web only', () => {
    for (const text of [
      'javascript:alert(1)',
      ' https://a',
      'data:text/html,x',
      'ftp://a',
      'https://',
      '//a',
      'file:///a',
    ]) {
      assert.equal(safeUrl(text), undefined, text);
    }
    assert.equal(safeUrl('HTTPS://Example.com/a'), 'https://example.com/a');
  });

  it('is filtered by what there is; an address may say anything', () => {
    assert.deepEqual([statusOf('open'), statusOf('toString'), statusOf(undefined)], ['open', undefined, undefined]);
    assert.deepEqual([severityOf('critical'), severityOf('worst')], ['critical', undefined]);
  });

  it('is the values of one subject', () => {
    const session = (id: string, value: number | null, subject = 'p95') => ({
      ...({} as Parameters<typeof valuesOf>[0][number]),
      id,
      started_at: id,
      observations: [{ subject, is_finding: true, text: '', service: null, value, expected: null, unit: 's' }],
    });
    const values = valuesOf([session('1', 5), session('2', null), session('3', 4, 'other')], 'p95');
    assert.deepEqual(values, [{ sessionId: '1', at: '1', value: 5, expected: null, unit: 's', isFinding: true }]);
  });

  it('has figures with units, and costs short enough to be read', () => {
    assert.equal(measured(57_790_000, 'bytes'), '57.79 MB');
    assert.equal(measured(0.0123, 's'), '12.3 ms');
    assert.equal(measured(0.5, 'ratio'), '50%');
    assert.deepEqual([measured(1, 'lines'), measured(1_200, 'lines')], ['1 line', '1,200 lines']);
    assert.equal(measured(57_790_000, null), '57.79M');
    assert.deepEqual([0, 0.001, 1.239].map(dollars), ['$0', '$0.0010', '$1.24']);
  });
});
