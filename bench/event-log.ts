/**
 * What an append costs and how long an event takes to reach a tail, on real servers with everything on disk before it is
 * acknowledged, PostgreSQL and Redis side by side.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { Client, Pool } from 'pg';
import { migrate } from '../src/db/migrate.ts';
import { startPostgres } from '../src/embedded/postgres.ts';
import { createEventLog, type EventLog } from '../src/platform/event-log/index.ts';
import { createLogger } from '../src/platform/logger.ts';
import { startRedis } from '../test/support/redis.ts';
import { compared, type BenchResult } from './result.ts';

const log = createLogger({ name: 'bench', level: 'warn' });
const data = { text: 'a few words of an answer', attempt: 1 };
const streams = 500;
const deltasPerSecond = 20;
const measuredSeconds = 5;

/** An append as it would be without the event log, on the same server: the yardstick. */
interface Bare {
  name: string;
  append(stream: string): Promise<unknown>;
}

interface Server {
  open(): EventLog;
  bare: Bare;
  stop(): Promise<void>;
}

/** Runs on both logs; on PostgreSQL alone, and says so, where redis-server is not installed. */
export async function benchEventLog(): Promise<BenchResult[]> {
  const results: BenchResult[] = [];
  for (const start of [startPostgresServer, startRedisServer]) {
    let server: Server;
    try {
      server = await start();
    } catch (error) {
      if (start === startPostgresServer) throw error;
      log.warn({ err: error }, 'The event log is not measured on Redis');
      continue;
    }
    try {
      results.push(...(await measure(server)));
    } finally {
      await server.stop();
    }
  }
  return results;
}

async function measure(server: Server): Promise<BenchResult[]> {
  const [writer, reader] = [server.open(), server.open()];
  const appendTo = (name: string) => writer.append(name, [{ type: 'delta', data }]);
  for (let i = 0; i < 200; i++) await Promise.all([appendTo('warm-up'), server.bare.append('warm-up')]);

  const single = await latencies(1_000, () => appendTo('single'));
  const bareSingle = await latencies(1_000, () => server.bare.append('single'));
  const rate = await throughput(20_000, appendTo);
  const bareRate = await throughput(20_000, (name) => server.bare.append(name));
  const alone = await delays(writer, reader, 1);
  const loaded = await delays(writer, reader, streams);
  await Promise.all([writer.close(), reader.close()]);

  const of = `event log on ${writer.kind}`;
  const bare = server.bare.name;
  return [
    compared(`${of}: one append, median`, quantile(single, 0.5), 'ms', bare, quantile(bareSingle, 0.5), {
      note: `p99 ${quantile(single, 0.99).toFixed(2)} ms, bare ${quantile(bareSingle, 0.99).toFixed(2)} ms`,
    }),
    compared(`${of}: appends at once to ${streams} streams`, rate, 'events/s', bare, bareRate, {}),
    compared(
      `${of}: append to tail, p99, ${streams} tails at ${deltasPerSecond}/s`,
      quantile(loaded.ms, 0.99),
      'ms',
      'the same with one tail',
      quantile(alone.ms, 0.99),
      {
        note:
          `median ${quantile(loaded.ms, 0.5).toFixed(2)} ms, with one tail ${quantile(alone.ms, 0.5).toFixed(2)} ms; ` +
          `${loaded.ms.length} of ${loaded.sent} events came`,
        target: 'no event lost',
        met: loaded.ms.length === loaded.sent,
      },
    ),
  ];
}

/** Milliseconds of each of `count` calls, one after the other. */
async function latencies(count: number, call: () => Promise<unknown>): Promise<number[]> {
  const ms: number[] = [];
  for (let i = 0; i < count; i++) {
    const start = performance.now();
    await call();
    ms.push(performance.now() - start);
  }
  return ms;
}

/** Appends a second when each of the streams appends one event after the other. */
async function throughput(total: number, append: (stream: string) => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await Promise.all(
    Array.from({ length: streams }, async (_, stream) => {
      for (let i = 0; i < total / streams; i++) await append(`many-${stream}`);
    }),
  );
  return (total / (performance.now() - start)) * 1_000;
}

/** Milliseconds from the call of append to the event at its tail, in another instance, every stream at the same pace. */
async function delays(writer: EventLog, reader: EventLog, count: number): Promise<{ sent: number; ms: number[] }> {
  const stop = new AbortController();
  const ms: number[] = [];
  const names = Array.from({ length: count }, (_, stream) => `delay-${count}-${stream}`);
  const tails = names.map(async (name) => {
    for await (const event of reader.tail(name, { signal: stop.signal })) {
      ms.push(performance.now() - Number(event.data['sentAt']));
    }
  });
  const perStream = deltasPerSecond * measuredSeconds;
  const appends: Promise<void>[] = [];
  const start = performance.now();
  // The streams take turns, as independent writers would, rather than all fire in the same millisecond.
  for (let i = 0; i < perStream * count; i++) {
    const due = start + (i * 1_000) / (deltasPerSecond * count);
    const early = due - performance.now();
    if (early > 1) await sleep(early);
    const event = { type: 'delta', data: { ...data, sentAt: performance.now() } };
    appends.push(writer.append(names[i % count]!, [event]));
  }
  await Promise.all(appends);
  const sent = appends.length;
  const patience = performance.now() + 10_000;
  while (ms.length < sent && performance.now() < patience) await sleep(10);
  stop.abort();
  await Promise.all(tails);
  return { sent, ms };
}

function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN;
}

async function startPostgresServer(): Promise<Server> {
  const home = await mkdtemp(join(tmpdir(), 'casebook-bench-events-'));
  const server = await startPostgres({ home, port: 0 });
  await migrate(server.url);
  const client = new Client(server.url);
  await client.connect();
  await client.query('create table bare (id bigserial primary key, stream text, data jsonb)');
  await client.end();
  // As many connections as the event log has.
  const pool = new Pool({ connectionString: server.url, max: 4 });
  // Ended connections may still hear the server stop.
  pool.on('error', () => undefined);
  const text = `with i as (insert into bare (stream, data) values ($1, $2)) select pg_notify('bare', $1)`;
  return {
    open: () => createEventLog({ databaseUrl: server.url, log }),
    bare: {
      name: 'INSERT and NOTIFY, each a commit',
      append: (stream) => pool.query({ name: 'bare', text, values: [stream, data] }),
    },
    async stop() {
      await pool.end();
      await server.stop();
      await rm(home, { recursive: true, force: true });
    },
  };
}

async function startRedisServer(): Promise<Server> {
  const server = await startRedis('always');
  const client = new Redis(server.url);
  return {
    open: () => createEventLog({ databaseUrl: '', redisUrl: server.url, log }),
    bare: {
      name: 'XADD',
      append: (stream) => client.xadd(`bare:${stream}`, '*', 'data', JSON.stringify(data)),
    },
    async stop() {
      await client.quit();
      await server.stop();
    },
  };
}
