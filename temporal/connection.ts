import { Client, Connection, defaultGrpcRetryOptions, makeGrpcRetryInterceptor } from '@temporalio/client';
import { InterceptingCall, Metadata, status, type Interceptor, type InterceptingListener } from '@grpc/grpc-js';

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

/**
 * Fails calls on a closed connection. The client's retries wait in timers; one that fires after the connection was
 * closed finds the channel shut down, and gRPC throws where nobody can catch: the stopping process would crash. Must
 * come after the retry interceptor.
 */
export const endAfterClose: Interceptor = (options, nextCall) => {
  try {
    return new InterceptingCall(nextCall(options));
  } catch (error) {
    if (!(error instanceof Error && error.message === 'Channel has been shut down')) throw error;
    return new InterceptingCall(closedCall);
  }
};

const nothing = (): void => undefined;

/** A call that ends at once, with a status that is not retried. */
const closedCall: ConstructorParameters<typeof InterceptingCall>[0] = {
  start(_metadata, listener?: Partial<InterceptingListener>) {
    listener?.onReceiveStatus?.({
      code: status.CANCELLED,
      details: 'The connection was closed',
      metadata: new Metadata(),
    });
  },
  cancelWithStatus: nothing,
  getPeer: () => '',
  sendMessageWithContext: nothing,
  sendMessage: nothing,
  startRead: nothing,
  halfClose: nothing,
  getAuthContext: () => null,
};
