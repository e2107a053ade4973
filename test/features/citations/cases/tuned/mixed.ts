import type { LabelledCase } from '../case.ts';

/** Written when the matcher was there, to see what it does not know yet. */
export const mixedCases: LabelledCase[] = [
  {
    name: 'a cloud monitor',
    toolResult: {
      timeseries: [
        {
          metadatavalues: [{ name: { value: 'instance' }, value: 'app-01' }],
          data: [
            { timeStamp: '2026-04-01T09:00:00Z', average: 41.2 },
            { timeStamp: '2026-04-01T09:05:00Z', average: 88.9 },
          ],
        },
        {
          metadatavalues: [{ name: { value: 'instance' }, value: 'app-02' }],
          data: [{ timeStamp: '2026-04-01T09:05:00Z', average: 40.3 }],
        },
      ],
    },
    text: 'app-01 averaged 89% CPU at 09:05 [1].',
    citationId: 1,
    must: ['"average":88.9'],
    never: ['41.2', '40.3'],
  },
  {
    name: 'blocks of keys and values',
    toolResult:
      'Host: db-3\nUptime: 12 days\nConnections: 498 / 500\nReplication: streaming\n\nHost: db-4\nUptime: 12 days\nConnections: 73 / 500\nReplication: streaming\n',
    text: 'db-3 has 498 of 500 connections in use [2].',
    citationId: 2,
    must: ['498 / 500'],
    may: ['Host: db-3'],
    never: ['73 / 500'],
  },
  {
    name: 'a plan of changes',
    toolResult:
      '# aws_db_instance.main will be updated in-place\n~ resource "aws_db_instance" "main" {\n    ~ instance_class = "db.r6g.large" -> "db.t3.micro"\n      storage = 100\n  }\nPlan: 0 to add, 1 to change, 0 to destroy.',
    text: 'The plan shrinks the instance class to db.t3.micro [1].',
    citationId: 1,
    must: ['db.t3.micro'],
    never: ['Plan: 0 to add'],
  },
  {
    name: 'a verbose HTTP client',
    toolResult:
      '* Connected to api.example (10.1.1.1) port 443\n> GET /v2/users HTTP/1.1\n< HTTP/1.1 429 Too Many Requests\n< Retry-After: 30\n< Date: Tue, 03 Mar 2026 10:00:00 GMT',
    text: 'The API answers 429 and asks to retry after 30 seconds [1].',
    citationId: 1,
    must: ['429 Too Many Requests', 'Retry-After: 30'],
  },
  {
    name: 'lines without anything',
    toolResult: '10:00 INFO ok\n10:01 INFO ok\n10:02 INFO ok',
    text: 'Disk latency tripled to 90 ms [1].',
    citationId: 1,
    must: [],
  },
  {
    name: 'two facts of one paragraph',
    toolResult:
      'Title: Memory leak in consumer v3.1\n\nSince v3.1 the consumer leaks about 40 MB per hour. We bisected it to commit a81bc81, which caches decoded schemas without a bound. Reverting fixes it.',
    text: 'A leak of 40 MB an hour in consumer v3.1 is known upstream [3]; the cause is an unbounded cache of schemas in a81bc81 [3].',
    citationId: 3,
    must: ['40 MB per hour', 'a81bc81'],
    never: ['Reverting fixes'],
  },
  {
    name: 'spans of a trace',
    toolResult: {
      spans: [
        { name: 'GET /cart', service: 'cart', durationMs: 31, status: 'OK' },
        { name: 'SELECT cart_items', service: 'cart-db', durationMs: 18, status: 'OK' },
        {
          name: 'POST /charge',
          service: 'payments',
          durationMs: 4012,
          status: 'ERROR',
          attributes: { 'http.status_code': 504 },
        },
      ],
    },
    text: 'The span POST /charge of payments ended with a 504 after 4 s [1].',
    citationId: 1,
    must: ['"POST /charge"'],
    never: ['GET /cart', 'cart_items'],
  },
  {
    name: 'a status page',
    toolResult:
      '**Investigating** - Elevated error rates in eu-central-1. Mar 3, 09:40 UTC\n**Identified** - A network device failed. Mar 3, 10:05 UTC\n**Resolved** - Traffic is normal. Mar 3, 11:20 UTC',
    text: 'The provider resolved it at 11:20 UTC [1].',
    citationId: 1,
    must: ['**Resolved**'],
    never: ['Investigating', 'Identified'],
  },
  {
    name: 'another value in the row',
    toolResult: 'pod,cpu\na-1,250m\na-2,300m',
    text: 'a-1 uses 900m of CPU [1].',
    citationId: 1,
    must: [],
  },
  {
    name: 'a decimal comma',
    toolResult: { dienst: 'bezahlung', latenz_ms: 2312 },
    text: 'Die Latenz von bezahlung liegt bei 2,3 s [1].',
    citationId: 1,
    must: ['2312'],
  },
  {
    name: 'an event log of Windows',
    toolResult:
      '03/03/2026 10:12:44 PM Error Service Control Manager 7031 The Print Spooler service terminated unexpectedly.\n03/03/2026 10:13:01 PM Information Kernel-General 12 The operating system started.',
    text: 'The print spooler terminated unexpectedly (event 7031) [1].',
    citationId: 1,
    must: ['7031'],
    never: ['Kernel-General'],
  },
  {
    name: 'rows of a database',
    toolResult: [
      { id: 1, email: 'a@x.io', plan: 'free', seats: 1 },
      { id: 2, email: 'b@y.io', plan: 'team', seats: 25 },
    ],
    text: 'b@y.io is on the team plan with 25 seats [1].',
    citationId: 1,
    must: ['b@y.io'],
    never: ['a@x.io'],
  },
  {
    name: 'the history of a flag',
    toolResult:
      '{"flag":"ranker-v2","changes":[{"at":"2026-03-03T08:00:00Z","from":5,"to":50},{"at":"2026-03-03T09:30:00Z","from":50,"to":100}]}',
    text: 'ranker-v2 went from 50 to 100 percent at 09:30 UTC [1].',
    citationId: 1,
    must: ['"to":100'],
    may: ['ranker-v2'],
    never: ['"to":50'],
  },
  {
    name: 'like warnings of three hosts',
    toolResult: '10:00 h1 WARN clock skew 12ms\n10:00 h2 WARN clock skew 9ms\n10:00 h3 WARN clock skew 4100ms',
    text: 'The clock of h3 is off by 4.1 s [1].',
    citationId: 1,
    must: ['h3 WARN'],
    never: ['h1', 'h2'],
  },
  {
    name: 'two facts of one log',
    toolResult:
      '09:00:00 INFO deploy of web 5.2 started\n09:01:30 INFO deploy of web 5.2 finished\n09:02:10 ERROR web: template missing: cart.html\n09:02:11 INFO health ok',
    text: 'Web 5.2 finished deploying at 09:01 [1], and right after it complained about the missing template cart.html [1].',
    citationId: 1,
    must: ['finished', 'cart.html'],
    never: ['health ok'],
  },
];
