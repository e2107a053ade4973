import { InterceptingCall, Metadata, status, type Interceptor, type InterceptingListener } from '@grpc/grpc-js';

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
