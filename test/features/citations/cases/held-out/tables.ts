import type { LabelledCase } from '../case.ts';

export const tableCases: LabelledCase[] = [
  {
    name: 'kubectl get pods',
    toolResult: `NAME                        READY   STATUS             RESTARTS       AGE
cart-58c7d9b6f4-mlqkx       1/1     Running            0              6d2h
payment-6c9f7bd5c8-x2x9z    0/1     CrashLoopBackOff   23 (4m ago)    101m
payment-6c9f7bd5c8-p7h5t    1/1     Running            1 (6d ago)     6d2h
shipping-79b5fcd8f8-wv4dz   1/1     Running            0              23d`,
    text: 'One payment pod is in CrashLoopBackOff with 23 restarts [1].',
    citationId: 1,
    must: ['payment-6c9f7bd5c8-x2x9z'],
    may: ['NAME                        READY'],
    never: ['payment-6c9f7bd5c8-p7h5t', 'shipping', 'cart-'],
  },
  {
    name: 'a CSV of metrics',
    toolResult: `time,service,p50_ms,p99_ms,errors
2026-04-02T16:10:00Z,api,98,412,0
2026-04-02T16:15:00Z,api,104,398,2
2026-04-02T16:20:00Z,api,112,4087,31
2026-04-02T16:25:00Z,api,109,2950,12
2026-04-02T16:20:00Z,jobs,41,4100,0`,
    text: 'The p99 of api reached 4.1 s at 16:20 [2].',
    citationId: 2,
    must: ['2026-04-02T16:20:00Z,api,112,4087,31'],
    may: ['time,service,p50_ms,p99_ms,errors'],
    never: [',398,', ',2950,', 'jobs'],
  },
  {
    name: 'a Markdown table',
    toolResult: `## Queues

| Queue | Messages | Consumers | Oldest |
| --- | ---: | ---: | --- |
| emails | 18 | 4 | 2 s |
| invoices | 48,213 | 0 | 3 h |
| thumbnails | 912 | 8 | 40 s |
`,
    text: '| Finding | Evidence |\n| --- | --- |\n| The queue invoices has no consumers and 48k messages | [7] |\n| emails drains | [8] |',
    citationId: 7,
    must: ['| invoices | 48,213 | 0 | 3 h |'],
    may: ['| Queue | Messages | Consumers | Oldest |'],
    never: ['thumbnails', 'emails'],
  },
  {
    name: 'tab-separated statistics of statements',
    toolResult: `queryid\tcalls\tmean_exec_time\tquery
-7001\t1203442\t0.42\tSELECT qty FROM inventory WHERE sku = $1
8123\t812\t120.9\tSELECT * FROM orders WHERE customer = $1
9944\t17\t8801.3\tVACUUM ANALYZE inventory`,
    text: 'The query on `inventory` ran 1.2 million times [1], which points to a missing cache.',
    citationId: 1,
    must: ['-7001\t1203442'],
    may: ['queryid\tcalls'],
    never: ['VACUUM', 'orders'],
  },
  {
    name: 'aligned columns of psql',
    toolResult: ` pid  | state               | wait_event    | duration | query
------+---------------------+---------------+----------+---------------------
 4702 | active              |               | 00:00:01 | SELECT 1
 4711 | idle in transaction | ClientRead    | 00:12:07 | UPDATE accounts SET
 4720 | active              | transactionid | 00:11:58 | UPDATE accounts SET
(3 rows)`,
    text: 'PID 4711 is idle in transaction [1] and blocks PID 4720 [2].',
    citationId: 1,
    must: ['4711 | idle in transaction'],
    may: [' pid  | state'],
    never: ['4702 |', '4720 |'],
  },
  {
    name: 'a number that differs in the row',
    toolResult: `NODE     CPU   MEMORY   DISK
node-5   31%   62%      44%
node-7   40%   71%      59%
node-9   38%   65%      47%`,
    text: 'The disk of node-7 is 95% full [3].',
    citationId: 3,
    must: [],
  },
  {
    name: 'df',
    toolResult: `Filesystem      Size  Used Avail Use% Mounted on
/dev/nvme0n1p1   50G   21G   29G  42% /
/dev/nvme1n1    100G   97G  3.1G  97% /var/lib/pg
tmpfs            16G  1.2M   16G   1% /run`,
    text: 'The volume `/var/lib/pg` is 97 % full [2].',
    citationId: 2,
    must: ['97% /var/lib/pg'],
    may: ['Filesystem      Size'],
    never: ['tmpfs', 'nvme0n1p1'],
  },
];
