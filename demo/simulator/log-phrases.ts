/** What the shop's software writes to its logs. */
import type { LogLevel } from '@casebook/connectors';
import type { Random } from './random.ts';

type Phrase = [LogLevel, (random: Random) => string];

const n = (random: Random, low: number, high: number) => Math.round(low + random.next() * (high - low));

/** Lines that come now and then in health, by service; some of them look worse than they are. */
export const routine: Record<string, Phrase[]> = {
  web: [
    ['info', (r) => `ISR revalidated /product/${n(r, 1000, 9999)} in ${n(r, 20, 140)} ms`],
    ['warn', (r) => `Hydration mismatch on /product/${n(r, 1000, 9999)}: text content did not match`],
    ['info', (r) => `static asset cache: ${n(r, 96, 99)} % hits`],
  ],
  gateway: [
    ['info', (r) => `rate limiter: ${n(r, 200, 900)} keys active, ${n(r, 0, 4)} limited`],
    ['warn', (r) => `client closed connection before response (client=10.4.${n(r, 0, 31)}.${n(r, 1, 254)})`],
    ['info', () => 'jwks refreshed, 2 keys'],
  ],
  recommendation: [
    ['info', (r) => `model als-2026w10 loaded from cache, ${n(r, 40, 60)}k items`],
    ['debug', (r) => `cold user, falling back to popular items (session=${r.hex(8)})`],
  ],
  checkout: [
    ['info', (r) => `order ${n(r, 480_000, 489_999)} placed, ${n(r, 1, 6)} items`],
    ['warn', (r) => `coupon SPRING${n(r, 5, 20)} rejected: expired`],
    ['info', (r) => `outbox: published ${n(r, 3, 40)} events in ${n(r, 4, 30)} ms`],
  ],
  cart: [
    ['info', (r) => `expired ${n(r, 10, 90)} abandoned carts`],
    ['debug', (r) => `cart ${r.hex(8)} merged after sign-in`],
  ],
  payment: [
    ['info', (r) => `charge ch_${r.hex(10)} authorized`],
    ['warn', (r) => `charge ch_${r.hex(10)} declined by issuer: insufficient_funds`],
    ['info', () => 'settlement file cursor advanced'],
  ],
  fraud: [
    ['info', (r) => `scored order, score=0.${n(r, 1, 40)} features=212 model=gbm-41`],
    ['warn', (r) => `feature ip_velocity_1h missing, using default (session=${r.hex(6)})`],
  ],
  shipping: [
    ['info', (r) => `rate table cached, ${n(r, 300, 340)} zones`],
    ['warn', (r) => `address not verified, postal code ${n(r, 10_000, 99_999)} unknown to carrier`],
  ],
  inventory: [
    ['info', (r) => `reservation sweep: released ${n(r, 0, 12)} expired reservations`],
    ['info', (r) => `stock level event sku=${n(r, 10_000, 99_999)} delta=${n(r, -4, -1)}`],
    ['warn', (r) => `optimistic lock retry on sku=${n(r, 10_000, 99_999)} (attempt 2)`],
  ],
  catalog: [
    ['info', (r) => `search index refreshed, ${n(r, 41_200, 41_260)} products`],
    ['warn', (r) => `image variant missing for product ${n(r, 1000, 9999)}, using placeholder`],
  ],
  'postgres-catalog': [
    [
      'info',
      (r) =>
        `checkpoint complete: wrote ${n(r, 200, 900)} buffers (${(r.next() * 3).toFixed(1)}%); sync=0.0${n(r, 10, 40)} s`,
    ],
  ],
  'postgres-orders': [
    [
      'info',
      (r) =>
        `checkpoint complete: wrote ${n(r, 900, 2400)} buffers (${(r.next() * 6).toFixed(1)}%); sync=0.0${n(r, 10, 60)} s`,
    ],
    [
      'info',
      (r) => `automatic vacuum of table "orders.public.outbox": index scans: 1, tuples: ${n(r, 900, 4000)} removed`,
    ],
  ],
  'postgres-inventory': [
    [
      'info',
      (r) =>
        `checkpoint complete: wrote ${n(r, 400, 1500)} buffers (${(r.next() * 4).toFixed(1)}%); sync=0.0${n(r, 10, 40)} s`,
    ],
  ],
  'redis-cart': [
    ['info', (r) => `DB 0: ${n(r, 88_000, 96_000)} keys (${n(r, 86_000, 88_000)} volatile) in 131072 slots HT.`],
  ],
};

const javaTrace = (head: string, frames: string[]) => [head, ...frames.map((frame) => `\tat ${frame}`)].join('\n');

/** How each caller words a call that ran into its time-out. */
export function timeoutMessage(caller: string, callee: string, timeoutMs: number, random: Random): string {
  const trace = random.hex(12);
  switch (caller) {
    case 'checkout':
    case 'payment':
    case 'inventory':
    case 'catalog':
      if (callee.startsWith('postgres')) {
        return `canceling statement due to user request: query to ${callee} exceeded ${timeoutMs} ms trace=${trace}`;
      }
      return javaTrace(
        `java.net.http.HttpTimeoutException: ${callee}: request timed out after ${timeoutMs} ms trace=${trace}`,
        [
          'java.net.http/jdk.internal.net.http.HttpClientImpl.send(HttpClientImpl.java:950)',
          `shop.harbor.${caller}.client.${capitalized(callee)}Client.call(${capitalized(callee)}Client.java:61)`,
          `shop.harbor.${caller}.api.RequestHandler.handle(RequestHandler.java:114)`,
        ],
      );
    case 'gateway':
    case 'shipping':
      return `upstream ${callee}: context deadline exceeded (Client.Timeout exceeded while awaiting headers) after ${timeoutMs}ms trace=${trace}`;
    case 'cart':
      if (callee === 'redis-cart') return `redis: command timed out after ${timeoutMs} ms (GET cart:${random.hex(8)})`;
      return `AbortError: request to http://${callee} aborted after ${timeoutMs} ms trace=${trace}`;
    case 'recommendation':
    case 'fraud':
      return `httpx.ReadTimeout: ${callee} after ${timeoutMs / 1000}s trace=${trace}`;
    default:
      return `fetch to ${callee} failed: timeout of ${timeoutMs} ms exceeded trace=${trace}`;
  }
}

/** How each caller words an error that the callee answered. */
export function failureMessage(caller: string, callee: string, random: Random): string {
  const trace = random.hex(12);
  if (callee.startsWith('postgres'))
    return `${callee}: could not serialize access, transaction rolled back trace=${trace}`;
  if (callee === 'redis-cart') return `redis: connection reset by peer (GET cart:${random.hex(8)})`;
  const status = random.pick(['500', '502', '503']);
  if (caller === 'web') return `GET http://gateway responded ${status}, rendering error page trace=${trace}`;
  return `${callee} answered ${status} trace=${trace}`;
}

/** What a service writes when it cannot get a database connection in time. */
export function poolExhaustedMessage(
  service: string,
  pool: { size: number; pending: number },
  replicas: number,
  acquireTimeoutMs: number,
): string {
  const perReplica = Math.round(pool.size / Math.max(1, replicas));
  const waiting = Math.max(1, Math.round(pool.pending / Math.max(1, replicas)));
  return javaTrace(
    `java.sql.SQLTransientConnectionException: HikariPool-1 - Connection is not available, request timed out after ${acquireTimeoutMs}ms (total=${perReplica}, active=${perReplica}, idle=0, waiting=${waiting})`,
    [
      'com.zaxxer.hikari.pool.HikariPool.createTimeoutException(HikariPool.java:686)',
      'com.zaxxer.hikari.pool.HikariPool.getConnection(HikariPool.java:179)',
      `shop.harbor.${service}.store.Repository.inTransaction(Repository.java:48)`,
    ],
  );
}

const statements: Record<string, string> = {
  'postgres-catalog':
    'SELECT p.id, p.name, p.price FROM products p JOIN product_attributes a ON a.product_id = p.id WHERE p.category_id = $1 AND a.value = $2 ORDER BY p.rank LIMIT 24',
  'postgres-orders': 'INSERT INTO orders (id, customer_id, total) VALUES ($1, $2, $3)',
  'postgres-inventory': 'UPDATE stock SET reserved = reserved + $1 WHERE sku = $2 AND available >= $1',
};

/** PostgreSQL's log_min_duration_statement. */
export function slowStatementMessage(database: string, ms: number): string {
  return `duration: ${ms.toFixed(3)} ms  execute <unnamed>: ${statements[database] ?? 'SELECT 1'}`;
}

/** A line of an access log. */
export function accessMessage(route: string, ms: number, failed: boolean, random: Random): string {
  const path = route.replace(':id', String(n(random, 1000, 9999)));
  return `${path} ${failed ? random.pick(['500', '503', '504']) : '200'} ${Math.max(1, Math.round(ms))}ms trace=${random.hex(12)}`;
}

function capitalized(name: string): string {
  return name.replace(/(^|-)([a-z])/g, (_, __, letter: string) => letter.toUpperCase());
}
