import type { AlertRule, CallSpec, RouteSpec, ServiceSpec, SystemSpec } from './model.ts';

const call = (
  callee: string,
  times: number,
  timeoutMs: number,
  retries: number,
  more: Partial<CallSpec> = {},
): CallSpec => ({
  callee,
  times,
  timeoutMs,
  retries,
  critical: true,
  ...more,
});

const route = (name: string, calls: CallSpec[], weight = 1): RouteSpec => ({ name, calls, weight });

const http = (
  name: string,
  description: string,
  more: Partial<ServiceSpec> & Pick<ServiceSpec, 'routes'>,
): ServiceSpec => ({
  name,
  kind: 'http',
  description,
  replicas: 3,
  cpus: 1,
  cpuSeconds: 0.004,
  workMs: 6,
  sigma: 0.35,
  memoryMb: 380,
  memoryLimitMb: 1024,
  errorRatio: 0.0006,
  ...more,
});

const postgres = (name: string, description: string, workMs: number, routes: RouteSpec[]): ServiceSpec => ({
  name,
  kind: 'postgres',
  description,
  replicas: 1,
  cpus: 8,
  cpuSeconds: 0.0016,
  workMs,
  sigma: 0.5,
  memoryMb: 6200,
  memoryLimitMb: 8192,
  errorRatio: 0.00005,
  routes,
});

/** Harbor Goods: a small shop. Users come through `web`; everything behind `gateway` is internal. */
export const shop: SystemSpec = {
  entry: {
    service: 'web',
    requestsPerSecond: 80,
    routes: { 'GET /': 0.36, 'GET /product/:id': 0.43, 'GET /cart': 0.17, 'POST /checkout': 0.04 },
  },
  services: [
    http('web', 'Next.js storefront, server-side rendering; team storefront', {
      replicas: 4,
      cpuSeconds: 0.012,
      workMs: 22,
      routes: [
        route('GET /', [call('gateway', 2, 3000, 1, { route: 'GET /catalog' })]),
        route('GET /product/:id', [
          call('gateway', 1, 3000, 1, { route: 'GET /catalog' }),
          call('gateway', 1, 800, 0, { route: 'GET /recommendations', critical: false }),
        ]),
        route('GET /cart', [call('gateway', 1, 3000, 1, { route: 'GET /cart' })], 0.8),
        route('POST /checkout', [call('gateway', 1, 8000, 0, { route: 'POST /orders' })], 0.7),
      ],
    }),
    http('gateway', 'API gateway (Go): routing, sessions, rate limits; team platform', {
      cpuSeconds: 0.0025,
      workMs: 3,
      memoryMb: 210,
      memoryLimitMb: 512,
      routes: [
        route('GET /catalog', [call('catalog', 1, 2000, 1)]),
        route('GET /recommendations', [call('recommendation', 1, 700, 0)]),
        route('GET /cart', [call('cart', 1, 1500, 2)]),
        route('POST /orders', [call('checkout', 1, 7000, 0)]),
      ],
    }),
    http('recommendation', 'Product recommendations (Python); team discovery', {
      replicas: 2,
      cpuSeconds: 0.011,
      workMs: 18,
      memoryMb: 610,
      memoryLimitMb: 1536,
      routes: [route('GET /similar', [call('catalog', 1, 600, 0)])],
    }),
    http('checkout', 'Order placement (Java, Spring); team orders', {
      cpuSeconds: 0.009,
      workMs: 14,
      memoryMb: 720,
      memoryLimitMb: 1536,
      pool: { target: 'postgres-orders', size: 10, acquireTimeoutMs: 2000 },
      routes: [
        route('POST /orders', [
          call('cart', 2, 1500, 1),
          call('inventory', 1, 2500, 1, { route: 'POST /reserve' }),
          call('shipping', 1, 2000, 1),
          call('payment', 1, 5000, 0),
          call('postgres-orders', 3, 2000, 0),
        ]),
      ],
    }),
    http('cart', 'Shopping carts (Node.js); team orders', {
      cpuSeconds: 0.003,
      workMs: 4,
      memoryMb: 260,
      memoryLimitMb: 512,
      routes: [route('GET /cart', [call('redis-cart', 3, 500, 1), call('catalog', 1, 1500, 1)])],
    }),
    http('payment', 'Payment orchestration (Java); team payments', {
      replicas: 2,
      cpuSeconds: 0.008,
      workMs: 12,
      memoryMb: 640,
      memoryLimitMb: 1280,
      routes: [route('POST /charge', [call('fraud', 1, 2500, 0), call('acquirer', 1, 4000, 0)])],
    }),
    http('fraud', 'Fraud scoring (Python, gradient boosting); team risk', {
      replicas: 2,
      cpus: 2,
      cpuSeconds: 0.07,
      workMs: 45,
      memoryMb: 900,
      memoryLimitMb: 2048,
      routes: [route('POST /score', [])],
    }),
    http('shipping', 'Shipping quotes (Go); team logistics', {
      replicas: 2,
      cpuSeconds: 0.003,
      workMs: 4,
      memoryMb: 140,
      memoryLimitMb: 384,
      routes: [route('POST /quote', [call('carrier-api', 1, 1800, 0)])],
    }),
    http('catalog', 'Products, prices and search (Kotlin); team discovery', {
      replicas: 4,
      cpuSeconds: 0.005,
      workMs: 7,
      memoryMb: 680,
      memoryLimitMb: 1536,
      pool: { target: 'postgres-catalog', size: 16, acquireTimeoutMs: 1500 },
      routes: [
        route('GET /products', [
          call('postgres-catalog', 2, 1500, 0),
          call('inventory', 1, 800, 0, { route: 'GET /stock', critical: false }),
        ]),
      ],
    }),
    http('inventory', 'Stock levels and reservations (Java); team logistics', {
      cpuSeconds: 0.006,
      workMs: 9,
      memoryMb: 590,
      memoryLimitMb: 1280,
      pool: { target: 'postgres-inventory', size: 8, acquireTimeoutMs: 3000 },
      routes: [
        route('GET /stock', [call('postgres-inventory', 1, 2000, 0)]),
        route('POST /reserve', [call('postgres-inventory', 4, 2000, 0)], 1.5),
      ],
    }),
    postgres('postgres-catalog', 'PostgreSQL 16: products and prices', 3, [route('SELECT', [])]),
    postgres('postgres-orders', 'PostgreSQL 16: orders', 4, [route('INSERT', [])]),
    postgres('postgres-inventory', 'PostgreSQL 16: stock and reservations', 3, [route('UPDATE', [])]),
    {
      name: 'redis-cart',
      kind: 'redis',
      description: 'Redis 7: carts, no persistence of its own',
      replicas: 1,
      cpus: 1,
      cpuSeconds: 0.0004,
      workMs: 0.6,
      sigma: 0.45,
      memoryMb: 1650,
      memoryLimitMb: 4096,
      errorRatio: 0.00002,
      routes: [route('GET', [])],
    },
    {
      name: 'acquirer',
      kind: 'external',
      description: 'Card acquirer, a third party; seen by its clients only',
      replicas: 1,
      cpus: 64,
      cpuSeconds: 0.001,
      workMs: 240,
      sigma: 0.4,
      memoryMb: 0,
      memoryLimitMb: 1,
      errorRatio: 0.002,
      routes: [route('POST /authorize', [])],
    },
    {
      name: 'carrier-api',
      kind: 'external',
      description: 'Carrier rates, a third party; seen by its clients only',
      replicas: 1,
      cpus: 64,
      cpuSeconds: 0.001,
      workMs: 110,
      sigma: 0.45,
      memoryMb: 0,
      memoryLimitMb: 1,
      errorRatio: 0.0015,
      routes: [route('POST /rates', [])],
    },
  ],
};

/** The pager's rules. They are the shop's own objectives and the same in every scenario. */
export const alertRules: AlertRule[] = [
  { name: 'StorefrontSlow', service: 'web', metric: 'latency', above: 0.8, forSeconds: 120 },
  { name: 'StorefrontErrors', service: 'web', metric: 'error_ratio', above: 0.02, forSeconds: 120 },
  { name: 'GatewayErrors', service: 'gateway', metric: 'error_ratio', above: 0.02, forSeconds: 120 },
  { name: 'CheckoutSlow', service: 'checkout', metric: 'latency', above: 2, forSeconds: 120 },
  { name: 'CheckoutErrors', service: 'checkout', metric: 'error_ratio', above: 0.05, forSeconds: 120 },
  { name: 'CartSlow', service: 'cart', metric: 'latency', above: 0.5, forSeconds: 180 },
];
