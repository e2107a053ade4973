import type { LabelledCase } from '../case.ts';

export const tableCases: LabelledCase[] = [
  {
    name: 'a CSV with rows that differ in one number',
    toolResult: `service,version,replicas,cpu_millicores
web,1.4.0,4,250
web,1.4.1,4,1250
api,1.4.1,6,250`,
    text: 'Version 1.4.1 of web uses 1250 millicores [1].',
    citationId: 1,
    must: ['web,1.4.1,4,1250'],
    may: ['service,version,replicas,cpu_millicores'],
    never: ['web,1.4.0', 'api,1.4.1'],
  },
  {
    name: 'top',
    toolResult: `  PID USER      PR  NI    VIRT    RES  %CPU  %MEM     TIME+ COMMAND
 3121 postgres  20   0  417912 201788  98.7   2.5   8:01.22 postgres: autovacuum worker
 3377 postgres  20   0  411020  40312   3.1   0.5   0:01.90 postgres: app orders
  812 root      20   0  102112  11020   0.7   0.1   1:44.03 containerd`,
    text: 'An autovacuum worker takes 99 % of a CPU [3].',
    citationId: 3,
    must: ['autovacuum worker'],
    may: ['PID USER'],
    never: ['app orders', 'containerd'],
  },
  {
    name: 'a count that is another column of another row',
    toolResult: `NAME        READY   RESTARTS   AGE
geo-a1      1/1     3          17m
geo-b2      0/1     17         2h
tiles-c3    1/1     0          17d`,
    text: 'One of the geo pods restarted 17 times [1].',
    citationId: 1,
    must: ['geo-b2'],
    may: ['NAME        READY'],
    never: ['geo-a1', 'tiles-c3'],
  },
  {
    name: 'a Markdown table without outer pipes',
    toolResult: `Region | Requests/s | Errors
--- | --- | ---
eu-west-1 | 412 | 0.1%
us-east-1 | 398 | 8.4%
ap-south-1 | 121 | 0.2%`,
    text: 'Only us-east-1 has errors to speak of, 8.4 percent [2].',
    citationId: 2,
    must: ['us-east-1 | 398 | 8.4%'],
    may: ['Region | Requests/s'],
    never: ['eu-west-1', 'ap-south-1'],
  },
  {
    name: 'fields with commas in quotes',
    toolResult: `id,summary,minutes
901,"Checkout slow, payments time out",42
902,"Search returns nothing, index rebuilt",7
903,"Checkout page, wrong currency",42`,
    text: 'An earlier incident, 901, was also “Checkout slow, payments time out” and took 42 minutes [8].',
    citationId: 8,
    must: ['901,"Checkout slow, payments time out",42'],
    may: ['id,summary,minutes'],
    never: ['902,', '903,'],
  },
  {
    name: 'no row has the value',
    toolResult: `topic,partitions,lag
payments,12,40
emails,6,11`,
    text: 'The topic payments has a lag of 9,300 [1].',
    citationId: 1,
    must: [],
  },
  {
    name: 'three rows that say the same',
    toolResult: `POD         NODE     REASON      EXIT
etl-0       n-1      OOMKilled   137
etl-1       n-1      OOMKilled   137
etl-2       n-4      OOMKilled   137
etl-3       n-4      Completed   0`,
    text: 'Three etl pods were OOMKilled [1].',
    citationId: 1,
    must: ['etl-0', 'etl-1', 'etl-2'],
    may: ['POD         NODE'],
    never: ['etl-3'],
  },
];
