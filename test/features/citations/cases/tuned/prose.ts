import type { LabelledCase } from '../case.ts';

export const proseCases: LabelledCase[] = [
  {
    name: 'a post-mortem',
    toolResult:
      'On 3 March the certificate of the gateway expired. Renewal had failed silently since February because the ACME account was disabled. Customers saw TLS errors for 47 minutes. We now alert 14 days before expiry.',
    text: 'A similar outage lasted 47 minutes [1].',
    citationId: 1,
    must: ['Customers saw TLS errors for 47 minutes.'],
    never: ['We now alert', 'Renewal had failed'],
  },
  {
    name: 'the clause, not the rest of the sentence',
    toolResult: `cache hit ratio fell from 96% to 12%
database reads rose to 41000 per second
deployment web-981 finished`,
    text: 'Reads of the database rose to 41,000 per second [1] because the cache hit ratio fell to 12% [2].',
    citationId: 1,
    must: ['database reads rose to 41000 per second'],
    never: ['cache hit ratio', 'web-981'],
  },
  {
    name: 'several citations at once',
    toolResult: [
      { service: 'video', disk_used_percent: 93.8 },
      { service: 'audio', disk_used_percent: 41.0 },
    ],
    text: 'The disk of video is 94 % full and its queue is growing [1, 3-5].',
    citationId: 4,
    must: ['"service":"video","disk_used_percent":93.8'],
    never: ['audio'],
  },
  {
    name: 'a citation with a caret, twice',
    toolResult: `Maintenance window: Sunday 02:00 to 04:00 UTC.
Owner: team Atlas.
Rollback: run \`make rollback REV=previous\`.`,
    text: 'The owner is team Atlas[^2]. To roll back, run `make rollback REV=previous` [^2].',
    citationId: 2,
    must: ['Owner: team Atlas', 'make rollback REV=previous'],
    never: ['Maintenance window'],
  },
  {
    name: 'citation brackets in code do not count',
    toolResult: 'retries = 4\nbackoff = "2s"\njitter = true',
    text: 'The client does `delay = backoff[1] * 2`. It retries 4 times [1].',
    citationId: 1,
    must: ['retries = 4'],
    never: ['jitter'],
  },
  {
    name: 'the subject is in the sentence before',
    toolResult: `inventory: p99 4.10 s, errors 3.0 %
billing: p99 0.22 s, errors 3.0 %`,
    text: 'Inventory is in trouble. Its errors are at 3% [1].',
    citationId: 1,
    must: ['inventory: p99 4.10 s, errors 3.0 %'],
    never: ['billing'],
  },
  {
    name: 'a section below its heading',
    toolResult: `# Limits

## Free plan

- 100 requests a minute
- 1 GB of storage

## Team plan

- 600 requests a minute
- 50 GB of storage
`,
    text: 'The team plan allows 600 requests a minute [1].',
    citationId: 1,
    must: ['600 requests a minute'],
    may: ['## Team plan'],
    never: ['100 requests', 'GB of storage'],
  },
  {
    name: 'prose about something else',
    toolResult:
      'The office in Lyon is closed on Mondays. Parcels are kept at the reception. Visitors sign in on the tablet.',
    text: 'The primary database failed over twice on Monday [2].',
    citationId: 2,
    must: [],
  },
  {
    name: 'numbers only, and none of them the claimed one',
    toolResult: '[[1767225600,12],[1767225660,14],[1767225720,13]]',
    text: 'The queue grew to 5,200 messages [1].',
    citationId: 1,
    must: [],
  },
];
