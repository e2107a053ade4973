import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { freePort } from '../src/embedded/free-port.ts';
import type { Benchmark, BenchOptions, BenchReport, BenchTable } from './benchmark.ts';
import type { BenchResult } from './result.ts';
import { processorSeconds, residentBytes } from './support/process-cost.ts';
import { startProgram } from './support/program.ts';
import type { ReadStreamsInput, ReadStreamsOutput } from './support/read-streams.ts';
import { commitRunningTurns } from './support/running-turns.ts';
import { withStack, type Stack } from './support/stack.ts';
import { significant } from './support/statistics.ts';
import type { WriteDeltasInput, WriteDeltasOutput } from './support/write-deltas.ts';
import { withRedis } from './support/with-redis.ts';

const STREAMS = 500;
const PER_SECOND = 20;
const SECONDS = 8;
/** A key may hold as many streams open. */
const STREAMS_OF_KEY = 100;
const QUIET_SECONDS = 8;

/**
 * 500 running turns followed by as many clients through one API process, 20 deltas a second each, against a bare Node
 * server that sends the same frames from its memory to the same clients. Writers, readers, API and database are
 * processes of one machine. Each delta says when it was made; its delay ends when the client has its bytes.
 */
export const chatStreams: Benchmark = {
  name: 'chat-streams',
  about: `${STREAMS} streams of ${PER_SECOND} deltas a second on one API process, on each event log`,
  run: benchStreams,
};

interface Load {
  streams: number;
  perSecond: number;
  gathered: boolean;
}

const LOADS: readonly Load[] = [
  { streams: 50, perSecond: PER_SECOND, gathered: false },
  { streams: STREAMS, perSecond: PER_SECOND, gathered: false },
  { streams: STREAMS, perSecond: PER_SECOND, gathered: true },
];

type Measured = Load & {
  of: string;
  sent: number;
  read: ReadStreamsOutput;
  /** Beyond what it held before the first stream, per stream. */
  openBytes?: number;
  loadedBytes?: number;
  /** Processor time in shares of one processor. */
  shares: Record<string, number>;
};

async function benchStreams(options: BenchOptions): Promise<BenchReport> {
  const measured: Measured[] = [];
  await withStack({ ...options, worker, env: noModel }, async (stack) => {
    for (const load of LOADS) if (!load.gathered) measured.push(await measureBare(options, stack, load));
    measured.push(...(await measureApi(options, stack, 'PostgreSQL', stack.databaseUrl)));
  });
  await withRedis(options, ({ url: redisUrl, pid }) =>
    withStack({ ...options, worker, env: { ...noModel, REDIS_URL: redisUrl } }, async (stack) => {
      measured.push(...(await measureApi(options, stack, 'Redis', stack.databaseUrl, { redisUrl, pid })));
    }),
  );
  return report(measured);
}

/** It sweeps nothing up: no workflow runs the turns. */
const worker = { program: 'bench/support/worker.ts', args: [] };
/** Never called. */
const noModel = { ANTHROPIC_BASE_URL: 'http://127.0.0.1:9', ANTHROPIC_API_KEY: 'bench' };

async function measureBare({ say, signal }: BenchOptions, stack: Stack, load: Load): Promise<Measured> {
  say(`bare server, ${load.streams} streams`);
  const port = await freePort();
  const name = `bare-sse-${load.streams}`;
  const url = `http://127.0.0.1:${port}`;
  await stack.start({
    name,
    program: 'bench/support/bare-sse.ts',
    args: [port, load.streams, load.perSecond, SECONDS].map(String),
    ready: async () => (await fetch(url)).ok,
  });
  const pid = stack.pid(name);
  const before = processorSeconds(pid);
  const idle = residentBytes(pid);
  const streams = Array.from({ length: load.streams }, () => ({ url: `${url}/stream`, headers: {} }));
  const reader = startReader({ streams, deltas: load.perSecond * SECONDS, quietSeconds: QUIET_SECONDS }, signal);
  await reader.ready;
  await sleep((SECONDS - 1) * 1_000, undefined, { signal });
  const loadedBytes = (residentBytes(pid) - idle) / load.streams;
  const read = await reader.result;
  const sent = load.streams * load.perSecond * SECONDS;
  const shares = { API: (processorSeconds(pid) - before) / SECONDS, readers: read.processorSeconds / SECONDS };
  return { ...load, of: 'bare server', sent, read, loadedBytes, shares };
}

const startReader = (input: ReadStreamsInput, signal: AbortSignal) =>
  startProgram<ReadStreamsOutput>('read-streams.ts', input, signal);

async function measureApi(
  { say, signal }: BenchOptions,
  stack: Stack,
  of: string,
  databaseUrl: string,
  redis?: { redisUrl: string; pid: number },
): Promise<Measured[]> {
  const measured: Measured[] = [];
  const keys = await createKeys(stack);
  const { id: teamId } = await stack.call<{ id: string }>('GET', '/api/team');
  const database = new Client(databaseUrl);
  await database.connect();
  const pids = { API: stack.pid('api'), PostgreSQL: stack.pid('postgres'), ...(redis && { Redis: redis.pid }) };
  const used = () => Object.entries(pids).map(([name, pid]) => [name, processorSeconds(pid)] as const);
  let idle: number | undefined;
  try {
    for (const load of LOADS) {
      say(`${of}, ${load.streams} streams, ${load.gathered ? 'through the publisher' : 'each delta an event'}`);
      const turns = await commitRunningTurns(database, teamId, load.streams);
      const streams = turns.map(({ chatId }, at) => ({
        url: `${stack.apiUrl}/api/chat/${chatId}/stream`,
        headers: { 'x-api-key': keys[Math.floor(at / STREAMS_OF_KEY)]! },
      }));
      const reader = startReader({ streams, deltas: load.perSecond * SECONDS, quietSeconds: QUIET_SECONDS }, signal);
      await reader.ready;
      await sleep(1_000, undefined, { signal });
      const open = residentBytes(pids.API);
      const before = new Map(used());
      const input: WriteDeltasInput = {
        databaseUrl,
        redisUrl: redis?.redisUrl,
        turns,
        perSecond: load.perSecond,
        seconds: SECONDS,
        gathered: load.gathered,
      };
      const written = await startProgram<WriteDeltasOutput>('write-deltas.ts', input, signal).result;
      const loaded = residentBytes(pids.API);
      const read = await reader.result;
      const seconds = Math.max(written.seconds, read.seconds);
      const shares: Measured['shares'] = Object.fromEntries(
        used().map(([name, after]) => [name, (after - before.get(name)!) / seconds]),
      );
      shares['writers'] = written.processorSeconds / seconds;
      shares['readers'] = read.processorSeconds / seconds;
      measured.push({
        ...load,
        of,
        sent: written.sent,
        read,
        // The first load warms up the fixed parts; the last one reuses the memory of the one before.
        ...(idle !== undefined &&
          !load.gathered && {
            openBytes: (open - idle) / load.streams,
            loadedBytes: (loaded - idle) / load.streams,
          }),
        shares,
      });
      await sleep(1_000, undefined, { signal });
      idle ??= residentBytes(pids.API);
    }
  } finally {
    await database.end();
  }
  return measured;
}

async function createKeys(stack: Stack): Promise<string[]> {
  const keys: string[] = [];
  while (keys.length * STREAMS_OF_KEY < STREAMS) {
    const request = { name: `streams ${keys.length}`, scopes: ['chats:read'] };
    const { api_key: key } = await stack.call<{ api_key: string }>('POST', '/api/api-keys', request);
    keys.push(key);
  }
  return keys;
}

function report(measured: Measured[]): BenchReport {
  const results: BenchResult[] = [];
  const bareOf = ({ streams }: Load) => measured.find((one) => one.of === 'bare server' && one.streams === streams)!;
  for (const one of measured.filter(({ of, streams }) => of !== 'bare server' && streams === STREAMS)) {
    const { of, read, sent, gathered } = one;
    const bare = bareOf(one);
    const lost = sent - read.received;
    results.push({
      name: `delta to client, p99, ${of}, ${gathered ? 'gathered' : 'each an event'}`,
      value: significant(read.p99Ms),
      unit: 'ms',
      baseline: { name: 'bare server, the same load', value: significant(bare.read.p99Ms), unit: 'ms' },
      ratio: read.p99Ms / bare.read.p99Ms,
      target: 'no delta lost',
      met: lost === 0 && read.disordered === 0,
      note: `${read.received} of ${sent} deltas came`,
    });
    if (one.loadedBytes === undefined || bare.loadedBytes === undefined) continue;
    results.push({
      name: `resident memory of one of ${STREAMS} streams, ${of}`,
      value: kilobytes(one.loadedBytes),
      unit: 'kB',
      baseline: { name: 'bare server, the same load', value: kilobytes(bare.loadedBytes), unit: 'kB' },
      ratio: one.loadedBytes / bare.loadedBytes,
    });
  }
  const names = [...new Set(measured.flatMap(({ shares }) => Object.keys(shares)))];
  const table: BenchTable = {
    title: `Streams: ${SECONDS} s of ${PER_SECOND} deltas a second each; processor time in % of one of the machine's`,
    columns: [
      'served by',
      'streams',
      'events',
      'lost',
      'again',
      'p50 ms',
      'p99 ms',
      'max ms',
      'kB/open stream',
      'kB/busy stream',
      ...names,
    ],
    rows: measured.map((one) => [
      one.of,
      one.streams,
      one.gathered ? 'of 60 ms' : 'of one delta',
      one.sent - one.read.received,
      one.read.disordered,
      significant(one.read.p50Ms),
      significant(one.read.p99Ms),
      significant(one.read.maxMs),
      one.openBytes === undefined ? null : kilobytes(one.openBytes),
      one.loadedBytes === undefined ? null : kilobytes(one.loadedBytes),
      ...names.map((name) => percent(one.shares[name])),
    ]),
  };
  return { results, tables: [table] };
}

const kilobytes = (bytes: number): number => Math.round(bytes / 1024);
const percent = (share?: number): string | null => (share === undefined ? null : `${Math.round(share * 100)}%`);
