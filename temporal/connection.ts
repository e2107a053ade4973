import { Client, Connection, defaultGrpcRetryOptions, makeGrpcRetryInterceptor } from '@temporalio/client';
import { endAfterClose } from './closed-channel.ts';

export interface TemporalTarget {
  /** host:port of the frontend. */
  address: string;
  namespace: string;
}

/**
 * A client that connects on first use, so that an API node starts (and reports on /readyz what is missing) while
 * Temporal is down. gRPC reconnects on its own.
 */
export function createTemporalClient(target: TemporalTarget): Client {
  const interceptors = [makeGrpcRetryInterceptor(defaultGrpcRetryOptions()), endAfterClose];
  const connection = Connection.lazy({ address: target.address, interceptors });
  return new Client({ connection, namespace: target.namespace });
}
