import type { LabelledCase } from '../case.ts';

const steady = (count: number): string[] =>
  Array.from(
    { length: count },
    (_, index) =>
      `2026-02-02T08:${String(Math.floor(index / 60)).padStart(2, '0')}:${String(index % 60).padStart(2, '0')}Z web-1 INFO request ${1000 + index} served in ${20 + (index % 17)}ms`,
  );

export const logCases: LabelledCase[] = [
  {
    name: 'a connection pool, by words of the same family',
    toolResult: `10:41:58.310 INFO  orders GET /orders/17 200 41ms
10:42:11.007 ERROR orders HikariPool-1 - Connection is not available, request timed out after 30000ms (total=20, active=20, idle=0, waiting=37)
10:42:11.009 WARN  orders SQL Error: 0, SQLState: null
10:42:40.551 INFO  orders GET /health 200 1ms`,
    text: 'At 10:42 UTC the pool was exhausted: all 20 connections were active and 37 requests waited [2].',
    citationId: 2,
    must: ['HikariPool-1 - Connection is not available'],
    never: ['GET /health', 'GET /orders/17'],
  },
  {
    name: 'one line among hundreds',
    toolResult: [
      ...steady(240),
      '2026-02-02T08:04:01Z web-1 WARN upstream search timed out after 5000ms, serving stale results',
      ...steady(120),
    ].join('\n'),
    text: 'web-1 served stale results because search timed out after 5 s [1].',
    citationId: 1,
    must: ['upstream search timed out after 5000ms'],
    never: ['served in'],
  },
  {
    name: 'a Go panic',
    toolResult: `time="2026-03-09T11:00:01Z" level=info msg="listening" addr=:8080
panic: runtime error: index out of range [3] with length 3

goroutine 41 [running]:
main.(*Router).pick(0xc00012, 0x3)
	/src/router/pick.go:58 +0x1d
main.main()
	/src/main.go:22 +0x85
exit status 2
time="2026-03-09T11:00:09Z" level=info msg="listening" addr=:8080`,
    text: 'The router panics with “index out of range” in `pick.go:58` [4].',
    citationId: 4,
    must: ['index out of range [3] with length 3', '/src/router/pick.go:58'],
    never: ['listening'],
  },
  {
    name: 'a local time of a US time zone',
    toolResult: `2026-07-01T17:05:10Z deploy controller rolled out image web:412
2026-07-01T21:05:31Z deploy controller rolled out image web:413
2026-07-01T22:47:03Z deploy controller rolled back to image web:412`,
    text: 'The image web:413 was rolled out at 2:05 pm PDT [1].',
    citationId: 1,
    must: ['rolled out image web:413'],
    never: ['rolled back', 'T17:05'],
  },
  {
    name: 'the same event many times',
    toolResult: Array.from(
      { length: 40 },
      (_, index) =>
        `2026-01-01T01:00:${String(index).padStart(2, '0')}Z api ERROR dial tcp 10.0.8.3:6379: connect: connection refused`,
    )
      .concat('2026-01-01T01:01:00Z api INFO config reloaded')
      .join('\n'),
    text: 'The API cannot reach Redis at `10.0.8.3:6379`: connection refused [1].',
    citationId: 1,
    must: ['dial tcp 10.0.8.3:6379: connect: connection refused'],
    never: ['config reloaded'],
  },
  {
    name: 'an event that is not in the log',
    toolResult: `2026-01-05T10:00:00Z scheduler INFO tick
2026-01-05T10:00:01Z scheduler INFO job cleanup started
2026-01-05T10:00:03Z scheduler INFO job cleanup finished, 12 rows deleted`,
    text: 'The certificate of the ingress expired at midnight [2].',
    citationId: 2,
    must: [],
  },
  {
    name: 'the same event with another number',
    toolResult: `09:00:00 gc pause 41ms heap 1.9G
09:00:07 gc pause 38ms heap 2.0G
09:00:15 gc pause 44ms heap 2.1G`,
    text: 'GC pauses lasted 4.1 seconds [1].',
    citationId: 1,
    must: [],
  },
  {
    name: 'logfmt',
    toolResult: `ts=2026-08-08T08:08:08Z caller=tsdb.go:112 level=warn msg="out of order sample" series=up num_dropped=3
ts=2026-08-08T08:08:38Z caller=wal.go:301 level=error msg="write to WAL failed" err="no space left on device" dir=/data/wal
ts=2026-08-08T08:08:39Z caller=main.go:9 level=info msg="shutting down"`,
    text: 'Writing to the WAL failed since no space was left on the device [5], then it shut down.',
    citationId: 5,
    must: ['no space left on device'],
    never: ['out of order'],
  },
  {
    name: 'a trace that goes on over many lines, its cause at the end',
    toolResult: `2026-05-05 05:05:05 ERROR http-3 checkout failed
com.shop.CheckoutException: could not charge
${Array.from({ length: 30 }, (_, index) => `\tat com.shop.flow.Step${index}.run(Step${index}.java:${100 + index})`).join('\n')}
Caused by: java.net.SocketTimeoutException: Read timed out
\tat com.shop.pay.PayClient.post(PayClient.java:77)
\t... 12 more
2026-05-05 05:05:06 INFO http-4 checkout ok`,
    text: 'The cause is a SocketTimeoutException in PayClient.post [1].',
    citationId: 1,
    must: ['java.net.SocketTimeoutException: Read timed out'],
    may: ['PayClient.post(PayClient.java:77)'],
    never: ['checkout ok'],
  },
];
