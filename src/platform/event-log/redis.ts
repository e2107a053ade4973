import { Redis, type RedisOptions } from 'ioredis';
import { z } from 'zod';
import type { Logger } from '../logger.ts';
import { Batcher } from './batcher.ts';
import type { EncodedEvent } from './encode.ts';
import { pageBytes, pageEvents, type Page } from './follow.ts';
import type { Nudges } from './nudges.ts';
import { Outage } from './outage.ts';
import type { EventData, EventLog, LogEvent } from './port.ts';
import { type EventStore, StoredEventLog } from './stored-event-log.ts';

/** Id, then the fields as {@link appendScript} writes them. */
const entrySchema = z.tuple([z.string(), z.tuple([z.literal('type'), z.string(), z.literal('data'), z.string()])]);
const pagesSchema = z.array(z.tuple([z.number(), z.array(entrySchema)]));

/** Streams deleted per script call. */
const deletedAtOnce = 500;

interface RedisLogOptions {
  redisUrl: string;
  /** How long connecting may take, ms; 5,000 by default. */
  connectTimeoutMs?: number;
  /** How long a command may take, waiting for a connection included, ms; 10,000 by default. */
  commandTimeoutMs?: number;
  log: Logger;
}

const connectionOptions = ({ connectTimeoutMs = 5_000, commandTimeoutMs = 10_000 }: RedisLogOptions): RedisOptions => ({
  lazyConnect: true,
  connectTimeout: connectTimeoutMs,
  commandTimeout: commandTimeoutMs,
  keepAlive: 10_000,
  connectionName: 'casebook-event-log',
  retryStrategy: (times) => Math.min(50 * 2 ** Math.min(times - 1, 10), 2_000) * (0.5 + Math.random() / 2),
  // A command whose reply was lost may have been executed. Retrying it would duplicate an event without a key, so it
  // fails at once and the caller, who knows the keys, decides. A command issued while disconnected waits for the next
  // connection attempt.
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  autoResubscribe: false,
});

/**
 * The event log in Redis Streams (Redis 6.2 or newer, not a cluster). It holds one connection, and one more for pub/sub
 * once something is tailed, however many streams are tailed.
 *
 * Appends and page reads of all streams share round trips (see {@link Batcher}), so the cost per event falls as the
 * load grows.
 *
 * Pub/sub nudges tails, which then read pages. A single blocking XREAD over all streams would have to be interrupted
 * whenever a tail starts or ends, and would read data for consumers that cannot take it yet.
 *
 * Durability across crashes depends on Redis's `appendonly` and `appendfsync`; the eviction policy must be
 * `noeviction`.
 */
export function createRedisEventLog(options: RedisLogOptions & { pollMs?: number }): EventLog {
  return new StoredEventLog(options, (nudges) => new RedisStore({ ...options, nudges }));
}

class RedisStore implements EventStore {
  readonly kind = 'redis';
  // Milliseconds and a count; Redis refuses numbers beyond 64 bits.
  readonly idPattern = /^\d{1,18}-\d{1,18}$/;
  readonly #redis: Redis;
  readonly #listener: RedisListener;
  readonly #appends = new Batcher({
    run: (batch: { stream: string; events: EncodedEvent[] }[]) => this.#append(batch),
    // One call at a time: this process's appends to a stream are stored in call order.
    lanes: 1,
    // Redis does nothing else while a script runs.
    maxItems: 250,
    maxWeight: 4 * 1024 * 1024,
  });
  readonly #pages = new Batcher({
    run: (batch: { stream: string; afterId: string | undefined }[]) => this.#readPages(batch),
    lanes: 2,
    // Bounds the memory of one answer to 64 pages.
    maxItems: 64,
    maxWeight: 0,
  });

  constructor(options: RedisLogOptions & { nudges: Nudges }) {
    const connect = (): Redis => new Redis(options.redisUrl, connectionOptions(options));
    const outage = new Outage(options.log, 'Reaching the event log in Redis');
    this.#redis = connect();
    this.#redis.on('error', (error) => outage.failed(error));
    this.#redis.on('ready', () => outage.worked());
    this.#listener = new RedisListener({
      connect,
      log: options.log,
      nudges: options.nudges,
    });
  }

  async append(stream: string, events: EncodedEvent[]): Promise<void> {
    const bytes = events.reduce((sum, { size }) => sum + size, 0);
    await this.#appends.add({ stream, events }, bytes);
  }

  async read(stream: string, afterId: string | undefined, limit: number): Promise<LogEvent[]> {
    const entries = await this.#redis.xrange(streamKey(stream), after(afterId), '+', 'COUNT', limit);
    return z.array(entrySchema).parse(entries).map(toEvent);
  }

  readPage(stream: string, afterId: string | undefined): Promise<Page> {
    return this.#pages.add({ stream, afterId });
  }

  listen(): void {
    this.#listener.start();
  }

  async remove(streams: readonly string[]): Promise<void> {
    for (let from = 0; from < streams.length; from += deletedAtOnce) {
      const some = streams.slice(from, from + deletedAtOnce);
      const keys = some.flatMap((stream) => [streamKey(stream), keysKey(stream)]);
      await this.#redis
        .multi()
        .unlink(...keys)
        .zrem(activeKey, ...some)
        .exec();
    }
  }

  async expire(before: Date): Promise<number> {
    let expired = 0;
    for (;;) {
      const prefixes = [streamKey(''), keysKey('')];
      const answer = await this.#redis.eval(expireScript, 1, activeKey, before.getTime(), deletedAtOnce, ...prefixes);
      const count = z.number().parse(answer);
      expired += count;
      if (count < deletedAtOnce) return expired;
    }
  }

  async check(): Promise<void> {
    await this.#redis.ping();
  }

  async close(): Promise<void> {
    this.#listener.close();
    await this.#appends.drain();
    await this.#pages.drain();
    if (this.#redis.status === 'ready') await this.#redis.quit().catch(() => undefined);
    this.#redis.disconnect();
  }

  async #append(batch: { stream: string; events: EncodedEvent[] }[]): Promise<void[]> {
    const fields = batch.flatMap(({ stream, events }) =>
      events.flatMap(({ type, json, key }) => [stream, type, json, key ?? '']),
    );
    await this.#redis.eval(appendScript, 1, activeKey, channel, streamKey(''), keysKey(''), ...fields);
    return batch.map(() => undefined);
  }

  async #readPages(requests: { stream: string; afterId: string | undefined }[]): Promise<Page[]> {
    const keys = requests.map(({ stream }) => streamKey(stream));
    const from = requests.map(({ afterId }) => after(afterId));
    const answer = await this.#redis.eval(pagesScript, keys.length, ...keys, pageEvents, pageBytes, ...from);
    return pagesSchema.parse(answer).map(([more, entries]) => ({ events: entries.map(toEvent), more: more === 1 }));
  }
}

function after(id: string | undefined): string {
  return id === undefined ? '-' : `(${id}`;
}

function toEvent([id, [, type, , json]]: z.infer<typeof entrySchema>): LogEvent {
  const data: EventData = JSON.parse(json);
  return { id, type, data, at: new Date(Number.parseInt(id, 10)) };
}

const heartbeatMs = 5_000;

/** The process's single subscribing connection. ioredis reconnects until it is closed. */
class RedisListener {
  readonly #connect: () => Redis;
  readonly #nudges: Nudges;
  readonly #outage: Outage;
  #client: Redis | undefined;
  #heartbeat: NodeJS.Timeout | undefined;

  /** @param options.connect returns a client that has not connected yet and does not resubscribe on its own */
  constructor(options: { connect: () => Redis; log: Logger; nudges: Nudges }) {
    this.#connect = options.connect;
    this.#nudges = options.nudges;
    this.#outage = new Outage(options.log, 'Listening for events in Redis');
  }

  /** Starts listening unless it already does. A process that only appends needs no such connection. */
  start(): void {
    if (this.#client) return;
    const client = this.#connect();
    this.#client = client;
    client.on('error', (error) => this.#outage.failed(error));
    client.on('message', (_, streams) => {
      for (const stream of streams.split('\0')) this.#nudges.nudge(stream);
    });
    client.on('ready', () => void this.#subscribe(client));
    client.connect().catch((error: unknown) => this.#outage.failed(error));
    // A silently dropped connection (a firewall, a vanished host) shows only when it is used.
    this.#heartbeat = setInterval(() => {
      if (client.status === 'ready') client.ping().catch((error: unknown) => this.#restart(client, error));
    }, heartbeatMs).unref();
  }

  close(): void {
    clearInterval(this.#heartbeat);
    this.#client?.disconnect();
  }

  async #subscribe(client: Redis): Promise<void> {
    try {
      await client.subscribe(channel);
      this.#outage.worked();
      // Catches up on what was appended while nobody listened.
      this.#nudges.nudgeAll();
    } catch (error) {
      this.#restart(client, error);
    }
  }

  #restart(client: Redis, error: unknown): void {
    this.#outage.failed(error);
    if (client.status === 'ready') client.disconnect(true);
  }
}

// The scripts run atomically on the server: no other command comes between theirs, so a stream's events are stored in
// id order. They access keys by computed names, which a single Redis server allows; Redis Cluster is not supported.

/** Prefix of every key. */
const prefix = 'casebook:events:';
/** Pub/sub channel of all streams; the message is the names of those that grew, separated by NUL. */
const channel = 'casebook:events';
/** Sorted set of the streams by the time of their last event, in milliseconds. */
const activeKey = `${prefix}active`;
const streamKey = (stream: string): string => `${prefix}stream:${stream}`;
/** Set of the idempotency keys a stream has had. */
const keysKey = (stream: string): string => `${prefix}keys:${stream}`;

/**
 * KEYS: active. ARGV: channel, prefixes of streams and of keys, then stream, type, data and key ('' for none) per event.
 * One message names every stream that grew; no name contains NUL.
 */
const appendScript = `
local grown, names = {}, {}
for i = 4, #ARGV, 4 do
  local stream, key = ARGV[i], ARGV[i + 3]
  if key == '' or redis.call('SADD', ARGV[3] .. stream, key) == 1 then
    redis.call('XADD', ARGV[2] .. stream, '*', 'type', ARGV[i + 1], 'data', ARGV[i + 2])
    if not grown[stream] then
      grown[stream] = true
      names[#names + 1] = stream
    end
  end
end
if #names > 0 then
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  for _, stream in ipairs(names) do redis.call('ZADD', KEYS[1], now, stream) end
  redis.call('PUBLISH', ARGV[1], table.concat(names, '\\0'))
end`;

/**
 * KEYS: streams. ARGV: maximum events, bytes at which a page ends, then the start position per stream. Returns per
 * stream: 1 if the page ended at a bound, else 0, and the entries.
 */
const pagesScript = `
local function page(stream, from)
  local entries, bytes = {}, 0
  while true do
    local some = redis.call('XRANGE', stream, from, '+', 'COUNT', 16)
    for _, entry in ipairs(some) do
      entries[#entries + 1] = entry
      bytes = bytes + #entry[2][4]
      if #entries >= tonumber(ARGV[1]) or bytes >= tonumber(ARGV[2]) then return {1, entries} end
      from = '(' .. entry[1]
    end
    if #some < 16 then return {0, entries} end
  end
end
local pages = {}
for i, stream in ipairs(KEYS) do pages[i] = page(stream, ARGV[i + 2]) end
return pages`;

/**
 * KEYS: active. ARGV: time in milliseconds, maximum streams, prefixes of streams and of keys. Returns how many were
 * deleted.
 */
const expireScript = `
local streams = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', '(' .. ARGV[1], 'LIMIT', 0, ARGV[2])
for _, stream in ipairs(streams) do
  redis.call('UNLINK', ARGV[3] .. stream, ARGV[4] .. stream)
  redis.call('ZREM', KEYS[1], stream)
end
return #streams`;
