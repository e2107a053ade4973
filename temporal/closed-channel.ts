import { InterceptingCall, Metadata, status, type Interceptor, type InterceptingListener } from '@grpc/grpc-js';

/**
 * Ends calls of a connection that was closed. The client's retries wait in timers; one that comes after the end of the
 * connection finds the channel shut down, and what gRPC throws there nobody could catch: the process would die of it
 * while it stops. Goes after the interceptor that retries.
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

/** A call that ends as it begins, with a status that is not retried. */
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
