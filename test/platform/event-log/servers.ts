import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import { migrate } from '../../../src/db/migrate.ts';
import { startPostgres } from '../../../src/embedded/postgres.ts';
import { createEventLog, type EventLog } from '../../../src/platform/event-log/index.ts';
import { createLogger } from '../../../src/platform/logger.ts';
import { startRedis } from '../../support/redis.ts';

/** A server the event log runs on, real and of this test run alone. */
export interface LogServer {
  /** A new instance, as another process would open it. */
  open(): EventLog;
  /** `kill -9`; resolves when it answers again, on the same address with the same data. */
  crash(): Promise<void>;
  /** Connections that event logs hold now. */
  connections(): Promise<number>;
  /** Appends events of type `child`, with data `{ index }` from 0, from another process. */
  appendFromChild(stream: string, count: number): Promise<void>;
  stop(): Promise<void>;
}

type Urls = Parameters<typeof createEventLog>[0];
const log = createLogger({ name: 'test', level: 'silent' });
/** Longer than any test: what a tail gets, it gets by notification, and after an outage by listening again. */
const pollMs = 3_600_000;
const run = promisify(execFile);

async function appendFromChild(urls: Omit<Urls, 'log'>, stream: string, count: number): Promise<void> {
  const script = new URL('fixtures/append.ts', import.meta.url).pathname;
  await run(process.execPath, [script, JSON.stringify({ urls, stream, count })]);
}

async function startPostgresServer(): Promise<LogServer> {
  const home = await mkdtemp(join(tmpdir(), 'casebook-events-'));
  const server = await startPostgres({ home, port: 0 });
  const urls = { databaseUrl: server.url };
  await migrate(server.url);
  return {
    open: () => createEventLog({ ...urls, log, pollMs }),
    async crash() {
      const killed = server.pid!;
      process.kill(killed, 'SIGKILL');
      // Its supervisor starts it again.
      while (server.pid === killed || !(await answers(server.url))) await sleep(20);
    },
    async connections() {
      const client = new Client(server.url);
      await client.connect();
      const query = `select count(*)::integer as count from pg_stat_activity where application_name = 'casebook-event-log'`;
      const { rows } = await client.query<{ count: number }>(query);
      await client.end();
      return rows[0]!.count;
    },
    appendFromChild: (stream, count) => appendFromChild(urls, stream, count),
    async stop() {
      await server.stop();
      await rm(home, { recursive: true, force: true });
    },
  };
}

async function answers(url: string): Promise<boolean> {
  const client = new Client(url);
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('select 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end();
  }
}

async function startRedisServer(): Promise<LogServer> {
  const server = await startRedis();
  // Never connected to: with a Redis, the log does not use the database.
  const urls = { databaseUrl: 'postgres://nobody@127.0.0.1:1/none', redisUrl: server.url };
  return {
    open: () => createEventLog({ ...urls, log, pollMs }),
    async crash() {
      await server.kill();
      await server.start();
    },
    async connections() {
      const client = new Redis(server.url);
      const list = String(await client.client('LIST'));
      await client.quit();
      return list.split('\n').filter((line) => line.includes('name=casebook-event-log')).length;
    },
    appendFromChild: (stream, count) => appendFromChild(urls, stream, count),
    stop: () => server.stop(),
  };
}

const starters = { postgres: startPostgresServer, redis: startRedisServer };

/**
 * Runs the same tests on every kind of event log.
 * @param define gets functions, because there is a server only while tests run
 */
export function onEveryServer(define: (server: () => LogServer) => void): void {
  for (const [kind, start] of Object.entries(starters)) {
    describe(`on ${kind}`, () => {
      let server: LogServer;
      before(async () => {
        server = await start();
      });
      after(() => server?.stop());
      define(() => server);
    });
  }
}
