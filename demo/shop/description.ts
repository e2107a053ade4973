/** The services of the live shop: what each serves, what that costs, and whom it asks for it. */

export const serviceNames = ['storefront', 'checkout', 'payments', 'orders', 'inventory', 'catalog'] as const;
export type ServiceName = (typeof serviceNames)[number];

/** A request to another service that a request needs. */
export interface Call {
  service: ServiceName;
  method: 'GET' | 'POST';
  path: string;
}

export interface Route {
  method: 'GET' | 'POST';
  path: string;
  /** The service's own work, ms on average. */
  workMs: number;
  /** Its database queries. */
  query?: { sql: string; ms: number };
  /** Asked one after the other. */
  calls: readonly Call[];
}

export interface ServiceDescription {
  /** Connections to its database; absent when it has none. */
  poolSize?: number;
  /** How long it waits for another service. */
  callTimeoutMs: number;
  routes: readonly Route[];
}

const get = (service: ServiceName, path: string): Call => ({ service, method: 'GET', path });
const post = (service: ServiceName, path: string): Call => ({ service, method: 'POST', path });

export const shop: Record<ServiceName, ServiceDescription> = {
  storefront: {
    callTimeoutMs: 4_000,
    routes: [
      { method: 'GET', path: '/', workMs: 3, calls: [get('catalog', '/products')] },
      { method: 'GET', path: '/search', workMs: 3, calls: [get('catalog', '/search')] },
      { method: 'POST', path: '/buy', workMs: 4, calls: [post('checkout', '/checkout')] },
    ],
  },
  checkout: {
    callTimeoutMs: 2_500,
    routes: [
      {
        method: 'POST',
        path: '/checkout',
        workMs: 4,
        calls: [post('orders', '/orders'), post('payments', '/charge')],
      },
    ],
  },
  payments: {
    poolSize: 10,
    callTimeoutMs: 2_000,
    routes: [
      {
        method: 'POST',
        path: '/charge',
        workMs: 10,
        query: { sql: 'INSERT INTO ledger_entries (order_id, amount) VALUES ($1, $2)', ms: 60 },
        calls: [],
      },
    ],
  },
  orders: {
    poolSize: 10,
    callTimeoutMs: 2_000,
    routes: [
      {
        method: 'POST',
        path: '/orders',
        workMs: 4,
        query: { sql: 'INSERT INTO orders (customer_id, total) VALUES ($1, $2)', ms: 30 },
        calls: [post('inventory', '/reserve')],
      },
    ],
  },
  inventory: {
    poolSize: 10,
    callTimeoutMs: 2_000,
    routes: [
      {
        method: 'POST',
        path: '/reserve',
        workMs: 2,
        query: { sql: 'UPDATE stock SET reserved = reserved + $2 WHERE sku = $1', ms: 25 },
        calls: [],
      },
    ],
  },
  catalog: {
    poolSize: 10,
    callTimeoutMs: 2_000,
    routes: [
      {
        method: 'GET',
        path: '/products',
        workMs: 4,
        query: { sql: 'SELECT * FROM products ORDER BY rank LIMIT 20', ms: 15 },
        calls: [],
      },
      {
        method: 'GET',
        path: '/search',
        workMs: 6,
        query: { sql: 'SELECT * FROM products WHERE title ILIKE $1', ms: 30 },
        calls: [],
      },
    ],
  },
};

/** A service's name, from outside. @throws when there is no such service */
export function serviceName(text: string | undefined): ServiceName {
  const found = serviceNames.find((name) => name === text);
  if (!found) throw new Error(`There is no service "${text ?? ''}"; there are ${serviceNames.join(', ')}.`);
  return found;
}
