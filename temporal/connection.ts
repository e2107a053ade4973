import { Client, Connection } from '@temporalio/client';

export interface TemporalTarget {
  /** host:port of the frontend. */
  address: string;
  namespace: string;
}

/**
 * A client that connects on first use, so that an API node starts (and says on /readyz what is missing) while Temporal
 * is down. gRPC reconnects by itself.
 */
export function createTemporalClient(target: TemporalTarget): Client {
  return new Client({ connection: Connection.lazy({ address: target.address }), namespace: target.namespace });
}
