import type { LabelledCase } from '../case.ts';

const points = (from: number, values: number[]): [number, number][] =>
  values.map((value, index) => [from + index * 60, value]);

export const jsonCases: LabelledCase[] = [
  {
    name: 'seconds of a number of milliseconds',
    toolResult: JSON.stringify({
      metrics: [
        { service: 'checkout', metric: 'latency_p99_ms', value: 2312.4 },
        { service: 'cart', metric: 'latency_p99_ms', value: 231.9 },
        { service: 'checkout', metric: 'latency_p50_ms', value: 23.1 },
      ],
    }),
    text: 'Checkout has a p99 latency of 2.3 s [1].',
    citationId: 1,
    must: ['"latency_p99_ms","value":2312.4'],
    never: ['231.9', '"value":23.1'],
  },
  {
    name: 'two points of a series, before and after',
    toolResult: {
      series: [
        { labels: { service: 'payment' }, unit: 'ms', points: points(1767225600, [181, 178, 180, 2304, 2290, 2410]) },
        { labels: { service: 'mail' }, unit: 'ms', points: points(1767225600, [35, 36, 31, 33, 35, 34]) },
      ],
    },
    text: 'At 00:03 UTC the latency of payment jumped from 180 ms to 2.3 s [2].',
    citationId: 2,
    must: ['[1767225780,2304]', '[1767225720,180]'],
    may: ['"service":"payment"', '[1767225840,2290]'],
    never: ['"mail"', '[1767225780,33]'],
  },
  {
    name: 'epoch milliseconds',
    toolResult: [
      { time: 1767261720000, level: 'ERROR', message: 'lock wait timeout exceeded' },
      { time: 1767261960000, level: 'ERROR', message: 'connection refused by ledger' },
      { time: 1767265320000, level: 'ERROR', message: 'connection refused by ledger' },
    ],
    text: 'The ledger refused connections at 10:06 UTC [3].',
    citationId: 3,
    must: ['"time":1767261960000'],
    never: ['lock wait', '1767265320000'],
  },
  {
    name: 'an object among like objects by its identifier',
    toolResult: {
      queues: [
        { name: 'orders.created', depth: 120, consumers: 3 },
        { name: 'orders.cancelled', depth: 120431, consumers: 0 },
        { name: 'orders.paid', depth: 98, consumers: 3 },
      ],
    },
    text: 'No one consumes orders.cancelled, whose depth is about 120k [1].',
    citationId: 1,
    must: ['"orders.cancelled"'],
    never: ['orders.created', 'orders.paid'],
  },
  {
    name: 'a claim about a service that the result does not hold',
    toolResult: [
      { service: 'cart', error_rate: 0.002, p99_ms: 120 },
      { service: 'users', error_rate: 0.001, p99_ms: 88 },
    ],
    text: 'Inventory has an error rate of 31% [1].',
    citationId: 1,
    must: [],
  },
  {
    name: 'a number of the same kind with another value',
    toolResult: { service: 'orders', db_pool: { size: 20, active: 4, idle: 16, waiting: 0 } },
    text: 'The pool of orders was exhausted: 37 requests were waiting for a connection [1].',
    citationId: 1,
    must: [],
  },
  {
    name: 'a log line inside a JSON string',
    toolResult: JSON.stringify({
      pod: 'auth-0',
      logs: 'starting\nloaded 3 keys\nFATAL cannot open /etc/keys/jwt.pem: permission denied\nexit status 1\n',
    }),
    text: 'The pod auth-0 could not open `/etc/keys/jwt.pem` [1].',
    citationId: 1,
    must: ['cannot open /etc/keys/jwt.pem: permission denied'],
    may: ['auth-0'],
    never: ['loaded 3 keys'],
  },
  {
    name: 'members of a large flat object',
    toolResult: Object.fromEntries([
      ...Array.from({ length: 60 }, (_, index) => [`gauge_${index}`, (index * 37) % 101]),
      ['jvm_threads_blocked', 212],
      ['jvm_threads_runnable', 14],
      ...Array.from({ length: 60 }, (_, index) => [`counter_${index}`, index * 1013]),
    ]),
    text: 'There are 212 blocked JVM threads [6].',
    citationId: 6,
    must: ['"jvm_threads_blocked":212'],
    never: ['"gauge_3":', '"counter_9":'],
  },
  {
    name: 'pretty-printed JSON',
    toolResult: JSON.stringify(
      {
        alerts: [
          { name: 'KafkaLag', labels: { topic: 'payments', group: 'ledger' }, value: 184223, severity: 'page' },
          { name: 'KafkaLag', labels: { topic: 'emails', group: 'mailer' }, value: 1842, severity: 'ticket' },
        ],
      },
      null,
      2,
    ),
    text: 'The group ledger is about 184,000 messages behind on the topic payments [2].',
    citationId: 2,
    must: ['184223'],
    may: ['"topic": "payments"'],
    never: ['1842,', 'emails'],
  },
  {
    name: 'escapes and letters beyond ASCII',
    toolResult: JSON.stringify([
      { text: 'Die Warteschlange „Bestellungen“ ist überlastet:\n48213 Nachrichten' },
      { text: 'Die Warteschlange „Rechnungen“ ist leer' },
    ]),
    text: 'Überlastet ist die Warteschlange „Bestellungen“ mit 48.213 Nachrichten, genau 48213 [1].',
    citationId: 1,
    must: ['„Bestellungen“ ist überlastet'],
    may: ['48213 Nachrichten'],
    never: ['Rechnungen'],
  },
];
