import type { LabelledCase } from '../case.ts';

const wide = (key: string): string =>
  Array.from({ length: 900 }, (_, index) => `${key}_${index}=${(index * 7919) % 10_007}`).join(' ');

export const logCases: LabelledCase[] = [
  {
    name: 'a Java stack trace',
    toolResult: `2026-02-03 14:11:08,201 INFO  [http-12] c.a.o.OrderController - creating order 5531
2026-02-03 14:11:08,377 ERROR [http-12] c.a.w.ErrorHandler - request failed
java.lang.NullPointerException: Cannot invoke "Customer.getId()" because "customer" is null
    at com.acme.orders.OrderController.create(OrderController.java:88)
    at com.acme.web.Dispatcher.handle(Dispatcher.java:214)
    at java.base/java.lang.Thread.run(Thread.java:1583)
2026-02-03 14:11:09,015 ERROR [http-19] c.a.w.ErrorHandler - request failed
java.lang.IllegalStateException: cart is locked
    at com.acme.cart.CartController.checkout(CartController.java:41)
    at com.acme.web.Dispatcher.handle(Dispatcher.java:214)
2026-02-03 14:11:09,300 INFO  [http-20] c.a.w.Access - GET /health 200`,
    text: 'Orders fail with a `NullPointerException` in OrderController#create (line 88) [3].',
    citationId: 3,
    must: ['java.lang.NullPointerException', 'OrderController.create(OrderController.java:88)'],
    never: ['cart is locked', 'GET /health'],
  },
  {
    name: 'an access log',
    toolResult: `10.2.0.7 - - [19/Jan/2026:08:29:51 +0000] "GET /api/v1/cart HTTP/1.1" 200 512 "-" "okhttp/4.9"
10.2.0.9 - - [19/Jan/2026:08:30:12 +0000] "GET /api/v1/users/7 HTTP/1.1" 200 731 "-" "okhttp/4.9"
10.2.0.7 - - [19/Jan/2026:08:31:04 +0000] "GET /api/v1/cart HTTP/1.1" 502 157 "-" "okhttp/4.9"
10.2.0.4 - - [19/Jan/2026:08:31:09 +0000] "GET /static/app.js HTTP/1.1" 304 0 "-" "Mozilla/5.0"
10.2.0.7 - - [19/Jan/2026:08:31:11 +0000] "GET /api/v1/cart HTTP/1.1" 502 157 "-" "okhttp/4.9"`,
    text: 'Requests to `/api/v1/cart` started returning 502 at 08:31 [1].',
    citationId: 1,
    must: ['08:31:04 +0000] "GET /api/v1/cart HTTP/1.1" 502'],
    may: ['08:31:11 +0000] "GET /api/v1/cart HTTP/1.1" 502'],
    never: ['HTTP/1.1" 200', 'app.js'],
  },
  {
    name: 'the kernel log',
    toolResult: `Nov 14 02:17:31 node-3 kernel: [88211.1] eth0: link up
Nov 14 02:18:02 node-3 kernel: [88242.9] Out of memory: Killed process 2217 (java) total-vm:9120332kB, anon-rss:7811204kB
Nov 14 02:18:02 node-3 systemd[1]: ledger.service: Main process exited, code=killed, status=9/KILL
Nov 14 02:18:07 node-3 systemd[1]: ledger.service: Scheduled restart job, restart counter is at 3.
Nov 14 02:20:00 node-3 CRON[2300]: (root) CMD (logrotate)`,
    text: 'The kernel killed the Java process 2217 for lack of memory [2]; systemd then restarted it.',
    citationId: 2,
    must: ['Out of memory: Killed process 2217 (java)'],
    may: ['Main process exited'],
    never: ['CRON', 'link up'],
  },
  {
    name: 'JSON lines',
    toolResult: [
      '{"ts":"2026-03-03T21:07:02.900Z","level":"info","service":"billing","msg":"charge ok","amount":1200,"trace_id":"9f01"}',
      '{"ts":"2026-03-03T21:07:09.113Z","level":"error","service":"billing","msg":"charge failed","error":"card_declined","amount":4200,"trace_id":"9f02"}',
      '{"ts":"2026-03-03T21:09:44.020Z","level":"error","service":"billing","msg":"charge failed","error":"gateway_timeout","amount":900,"trace_id":"9f03"}',
    ].join('\n'),
    text: 'One charge failed with `card_declined` at 21:07:09 [1][2], which is the customer’s own problem.',
    citationId: 2,
    must: ['"error":"card_declined"'],
    never: ['gateway_timeout', 'charge ok'],
  },
  {
    name: 'one piece of a very long line',
    toolResult: `snapshot ${wide('gauge')} replication_lag_seconds=341.7 primary=db-a ${wide('counter')}`,
    text: 'Replication lag is at about 342 seconds [1].',
    citationId: 1,
    must: ['replication_lag_seconds=341.7'],
  },
  {
    name: 'the one slow request among like ones',
    toolResult: `07:58:01.002 report-api GET /report?id=31 took 812ms
07:58:09.410 report-api GET /report?id=32 took 915ms
07:58:31.377 report-api GET /report?id=33 took 15204ms
07:58:40.098 report-api GET /report?id=34 took 870ms`,
    text: 'One report request took over 15 seconds [1], the others less than a second.',
    citationId: 1,
    must: ['took 15204ms'],
    never: ['took 812ms', 'took 915ms', 'took 870ms'],
  },
  {
    name: 'a log that says nothing of the kind',
    toolResult: `2026-06-01T00:00:01Z cache-2 INFO client connected from 10.9.1.4
2026-06-01T00:00:04Z cache-2 INFO background save started
2026-06-01T00:00:09Z cache-2 INFO background save finished in 4.8 s
2026-06-01T00:01:00Z cache-2 INFO client disconnected`,
    text: 'The cache evicted 40,000 keys because it ran out of memory [4].',
    citationId: 4,
    must: [],
  },
  {
    name: 'a Python traceback',
    toolResult: `[2026-02-20 05:00:00,101: INFO/MainProcess] Task tasks.invoice.send[77ab] received
[2026-02-20 05:00:00,412: ERROR/ForkPoolWorker-2] Task tasks.invoice.send[77ab] raised unexpected: KeyError('customer_id')
Traceback (most recent call last):
  File "/srv/app/celery/trace.py", line 451, in trace_task
    R = retval = fun(*args, **kwargs)
  File "/srv/app/tasks/invoice.py", line 37, in send
    customer = payload["customer_id"]
KeyError: 'customer_id'
[2026-02-20 05:00:05,000: INFO/MainProcess] Task tasks.report.daily[12fe] received
[2026-02-20 05:00:06,731: INFO/ForkPoolWorker-1] Task tasks.report.daily[12fe] succeeded in 1.7s`,
    text: "The worker crashed with `KeyError: 'customer_id'` in tasks/invoice.py [2].",
    citationId: 2,
    must: ["KeyError: 'customer_id'", '/srv/app/tasks/invoice.py'],
    may: ["KeyError('customer_id')"],
    never: ['succeeded in', 'report.daily'],
  },
  {
    name: 'a slow statement in the log of PostgreSQL',
    toolResult: `2026-05-12 09:14:02.113 UTC [311] LOG:  checkpoint complete: wrote 812 buffers (5.0%)
2026-05-12 09:14:40.530 UTC [402] LOG:  duration: 30412.118 ms  statement: SELECT * FROM orders WHERE status = 'open' ORDER BY created_at
2026-05-12 09:14:41.001 UTC [377] LOG:  duration: 1204.771 ms  statement: UPDATE stock SET held = held + 1 WHERE sku = 'A-1'
2026-05-12 09:15:02.900 UTC [311] LOG:  checkpoint starting: time`,
    text: 'There was a 30-second query on `orders` [6].',
    citationId: 6,
    must: ['duration: 30412.118 ms'],
    never: ['UPDATE stock', 'checkpoint'],
  },
  {
    name: 'Chinese',
    toolResult: `2026-05-01 12:00:01 INFO 支付服务 启动完成
2026-05-01 12:00:03 ERROR 订单服务 数据库连接超时 (timeout=5000ms)
2026-05-01 12:00:04 WARN 库存服务 重试第2次
2026-05-01 12:00:09 INFO 订单服务 健康检查通过`,
    text: '支付服务正常。订单服务的数据库连接超时（5 秒）[1]。',
    citationId: 1,
    must: ['数据库连接超时'],
    never: ['库存服务', '支付服务'],
  },
  {
    name: 'the same words at another time',
    toolResult: `2026-04-04T04:55:10Z etcd-1 WARN lost leader election to etcd-3 (term 18)
2026-04-04T04:55:11Z etcd-3 INFO became leader at term 18
2026-04-04T05:10:42Z etcd-1 INFO compacted revision 90122`,
    text: 'At 02:10 UTC etcd-1 lost the leader election [1].',
    citationId: 1,
    must: [],
  },
];
