import type { LabelledCase } from '../case.ts';

export const proseCases: LabelledCase[] = [
  {
    name: 'a runbook, and a number in words',
    toolResult: `Failover of the primary database.

Before you begin, check that a replica is in sync. The failover takes roughly 5 minutes, during which writes are refused. Afterwards the application must be restarted.

Contact the storage team if the replica is more than an hour behind.`,
    text: 'According to [2], the failover takes about five minutes and writes are refused meanwhile.',
    citationId: 2,
    must: ['The failover takes roughly 5 minutes'],
    never: ['Contact the storage team'],
  },
  {
    name: 'one section of a YAML file',
    toolResult: `production:
  database:
    host: db.prod.example
    pool: 20
    timeout: 5s
staging:
  database:
    host: db.staging.example
    pool: 5
    timeout: 5s
`,
    text: 'The staging database has a pool of 5 connections [1], production one of 20.',
    citationId: 1,
    must: ['pool: 5'],
    may: ['staging:'],
    never: ['pool: 20', 'production'],
  },
  {
    name: 'a diff',
    toolResult: `commit 4be1d0c
Author: R. Ortiz
Date:   Tue Mar 3 10:11:40 2026 +0000

    Tighten timeouts

diff --git a/config/client.yaml b/config/client.yaml
--- a/config/client.yaml
+++ b/config/client.yaml
@@ -3,7 +3,7 @@
   retries: 3
-  read_timeout: 30s
+  read_timeout: 3s
   keep_alive: true
   max_idle: 10`,
    text: 'Commit 4be1d0c lowered the read timeout from 30s to 3s [9].',
    citationId: 9,
    must: ['read_timeout: 30s', 'read_timeout: 3s'],
    may: ['commit 4be1d0c', 'Tighten timeouts'],
    never: ['max_idle'],
  },
  {
    name: 'only the cited bullet counts',
    toolResult: {
      alerts: [
        { name: 'HighErrorRate', service: 'search', value: '7.2%', since: '11:02' },
        { name: 'DiskFull', service: 'logs', value: '91%', since: '07:40' },
        { name: 'CertificateExpiry', service: 'edge', value: '3 days', since: '00:00' },
      ],
    },
    text: 'What is firing:\n- HighErrorRate on search at 7.2% [1]\n- DiskFull on logs [2]\n- CertificateExpiry on edge, 3 days left [3]',
    citationId: 2,
    must: ['"name":"DiskFull"'],
    never: ['HighErrorRate', 'CertificateExpiry'],
  },
  {
    name: 'a citation that the text does not make',
    toolResult: 'The deployment of checkout finished at 10:42. Errors began at 10:44.',
    text: 'Errors began at 10:44 [1], two minutes after the deployment of checkout [2].',
    citationId: 5,
    must: [],
  },
  {
    name: 'a text without any citation is a claim as a whole',
    toolResult:
      'All shards are green. Shard 12 was moved from data-3 to data-8 because its disk was above the high watermark. No index is read-only.',
    text: 'Shard 12 moved to data-8 because of the high disk watermark.',
    citationId: 1,
    must: ['Shard 12 was moved from data-3 to data-8'],
    never: ['All shards are green', 'read-only'],
  },
  {
    name: 'a quotation',
    toolResult: `status: degraded
message: upstream connect error or disconnect/reset before headers. reset reason: connection timeout
retries: 2
cluster: outbound|8080||inventory.shop.svc`,
    text: 'Envoy reports “upstream connect error or disconnect/reset before headers” [3] for the inventory cluster.',
    citationId: 3,
    must: ['upstream connect error or disconnect/reset before headers'],
    may: ['inventory.shop.svc'],
    never: ['retries: 2'],
  },
  {
    name: 'a claim about something else altogether',
    toolResult: `Title: Capacity review of the object store

The store grew by 14 TB in January. At this pace the cluster is full in August. Compression was tried and saved 9 %.`,
    text: 'Kafka consumers of the topic payments were rebalanced three times within ten minutes [4].',
    citationId: 4,
    must: [],
  },
];
