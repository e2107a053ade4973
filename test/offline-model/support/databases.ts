/** What two databases answer, as our connectors put it. */
import { database, type TestSystem } from './systems.ts';

export const SLOW = [
  {
    query_id: '1',
    database: 'orders',
    user: 'app',
    calls: 81_234,
    total_ms: 974_000.5,
    mean_ms: 11.99,
    max_ms: 4_012.7,
    rows: 81_234,
    query: 'select *\n  from orders where customer = $1',
  },
  {
    query_id: '2',
    database: 'orders',
    user: 'batch',
    calls: 3,
    total_ms: 9_000,
    mean_ms: 3_000,
    max_ms: 4_000,
    rows: 3,
    query: 'update orders set paid = true',
  },
];
export const LOCK = {
  waiting_pid: 4711,
  waiting_user: 'app',
  lock_type: 'transactionid',
  wanted_mode: 'ShareLock',
  relation: 'orders',
  waiting_seconds: 45.2,
  waiting_query: 'update orders set paid = true where id = 1',
  blocking_pid: 4700,
  blocking_user: 'batch',
  blocking_state: 'idle in transaction',
  blocking_transaction_seconds: 300.1,
  blocking_query: 'select 1',
};
const connection = (state: string, connections: number) => ({
  database: 'orders',
  user: 'app',
  state,
  connections,
  max_connections: 100,
});

/** A database of orders, in which one session waits for another. */
export const ordersDb = (changes: Record<string, unknown> = {}, name = 'orders-db', satellite?: string): TestSystem =>
  database(
    name,
    'postgresql',
    {
      slow_queries: SLOW,
      locks: [LOCK],
      activity: {
        connections: [connection('idle', 30), connection('idle in transaction', 1)],
        sessions: [
          {
            pid: 4711,
            user: 'app',
            state: 'active',
            wait_event_type: 'Lock',
            wait_event: 'transactionid',
            transaction_seconds: 46,
            query_seconds: 45.2,
            blocked_by: [4700],
            query: 'update orders set paid = true where id = 1',
          },
        ],
      },
      tables: [
        {
          schema: 'public',
          name: 'orders',
          kind: 'table',
          estimated_rows: 45_000_000,
          total_bytes: 12_884_901_888,
          dead_rows: 1_200,
          last_autovacuum: '2026-01-01T00:00:00.000Z',
          last_autoanalyze: null,
        },
      ],
      unused_indexes: [
        {
          schema: 'public',
          table: 'orders',
          name: 'orders_created',
          bytes: 1_288_490_188,
          definition: 'CREATE INDEX orders_created ON public.orders USING btree (created_at)',
        },
      ],
      replication: {
        is_replica: false,
        lag_seconds: null,
        replicas: [{ name: 'r1', client: '10.0.0.2', state: 'streaming', lag_bytes: 52_428_800, lag_seconds: 3.2 }],
        slots: [],
      },
      describe_table: {
        schema: 'public',
        name: 'orders',
        estimated_rows: 5,
        total_bytes: 8_192,
        columns: [{ name: 'id', type: 'bigint', nullable: false, default: null }],
        indexes: [],
        constraints: [],
      },
      query: {
        columns: [
          { name: 'status', type: 'text' },
          { name: 'count', type: 'int8' },
        ],
        rows: [
          ['paid', 1_234_567],
          ['open', 12],
        ],
        truncated: false,
      },
      ...changes,
    },
    satellite,
  );

export const analytics = database('analytics', 'clickhouse', {
  errors: [
    {
      name: 'UNKNOWN_TABLE',
      code: 60,
      count: 12,
      last_error_time: '2026-11-20 08:00:00',
      last_message: 'Table default.x does not exist',
    },
  ],
  slow_queries: [
    {
      text: 'SELECT count() FROM events',
      first_user: 'default',
      calls: '5',
      total_ms: '50000',
      mean_ms: 10_000,
      max_ms: '20000',
      rows_read: '1000000000',
      bytes_read: '8000000000',
    },
  ],
});
