import { Client, Connection, defaultGrpcRetryOptions, makeGrpcRetryInterceptor } from '@temporalio/client';
import { InterceptingCall, Metadata, status, type Interceptor, type InterceptingListener } from '@grpc/grpc-js';
import proto from '@temporalio/proto';
import { TASK_QUEUE } from './queues.ts';
import { searchAttributes } from './search-attributes.ts';

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
const endAfterClose: Interceptor = (options, nextCall) => {
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

const { TASK_QUEUE_TYPE_WORKFLOW, TASK_QUEUE_TYPE_ACTIVITY } = proto.temporal.api.enums.v1.TaskQueueType;
/** A live worker renews its long poll at least this often. */
const POLLED_WITHIN_MS = 90_000;

/** Resolves when the namespace is usable. */
export async function temporalReady(client: Client, signal: AbortSignal): Promise<void> {
  await client.withAbortSignal(signal, () =>
    client.workflowService.describeNamespace({ namespace: client.options.namespace }),
  );
}

/** Resolves when both workflow and activity pollers exist on the queue. @throws when either is missing */
export async function workersReady(client: Client, taskQueue = TASK_QUEUE): Promise<void> {
  const { namespace } = client.options;
  await Promise.all(
    [TASK_QUEUE_TYPE_WORKFLOW, TASK_QUEUE_TYPE_ACTIVITY].map(async (taskQueueType) => {
      const { pollers } = await client.workflowService.describeTaskQueue({
        namespace,
        taskQueue: { name: taskQueue },
        taskQueueType,
      });
      const recent = (pollers ?? []).some(
        ({ lastAccessTime }) => Date.now() - Number(lastAccessTime?.seconds ?? 0) * 1000 < POLLED_WITHIN_MS,
      );
      if (!recent) throw Object.assign(new Error('No worker polls the task queue.'), { code: 'no_worker' });
    }),
  );
}

/**
 * Registers the search attributes that the namespace lacks. Needed once per Temporal cluster; idempotent.
 * @throws the server's error when it refuses, for example for lack of permission to change the namespace
 */
export async function registerSearchAttributes(connection: Connection, namespace: string): Promise<void> {
  const known = await connection.operatorService.listSearchAttributes({ namespace });
  const missing = searchAttributes.filter((attribute) => !(attribute.name in (known.customAttributes ?? {})));
  if (missing.length === 0) return;
  await connection.operatorService.addSearchAttributes({
    namespace,
    searchAttributes: Object.fromEntries(
      missing.map(({ name, type }) => [
        name,
        proto.temporal.api.enums.v1.IndexedValueType[`INDEXED_VALUE_TYPE_${type}`],
      ]),
    ),
  });
}
