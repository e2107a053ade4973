import type { ClusterState } from '@casebook/wire';
import type { OperationContext } from '../connector.ts';
import type { KubernetesClient } from './client.ts';
import { asQueryError } from './errors.ts';
import { problemsOf, type Findings } from './problems.ts';
import * as resources from './resources.ts';

/** Maximum number of objects per kind; larger clusters are counted up to this number. */
const MAX_OBJECTS = 20_000;
const MAX_EVENTS = 2_000;

interface ClusterIdentity {
  name: string;
  connector: string;
}

/** Derives a cluster's state from its objects. Pure. */
function clusterState(
  { name, connector }: ClusterIdentity,
  findings: Findings & { namespaces: number; version?: string },
): ClusterState {
  const { nodes, pods, version, namespaces } = findings;
  const serving = findings.workloads.filter(({ available }) => available !== undefined);
  const inPhase = (wanted: string): number => pods.filter(({ phase }) => phase === wanted).length;
  return {
    name,
    connector,
    ...(version !== undefined && { version }),
    nodes: { total: nodes.length, ready: nodes.filter(({ ready }) => ready).length },
    namespaces,
    workloads: {
      total: serving.length,
      available: serving.filter(({ available = 0, desired = 0 }) => available >= desired).length,
    },
    pods: {
      total: pods.length,
      running: inPhase('Running'),
      pending: inPhase('Pending'),
      failed: inPhase('Failed'),
      restarts: pods.reduce((sum, { restarts }) => sum + restarts, 0),
    },
    problems: problemsOf(findings),
    observedAgoMs: 0,
  };
}

/**
 * Inspects the whole cluster. A kind that may not be listed becomes a problem itself and does not affect the rest.
 * @throws {QueryError} when nothing at all could be listed
 */
export async function observeCluster(
  client: KubernetesClient,
  identity: ClusterIdentity,
  context: OperationContext,
  now: () => number,
): Promise<ClusterState> {
  const errors: { resource: string; message: string }[] = [];
  const failures: unknown[] = [];
  const listed = async <Item>(resource: string, list: Promise<{ items: Item[] }>): Promise<Item[]> => {
    try {
      return (await list).items;
    } catch (error) {
      failures.push(error);
      errors.push({ resource, message: asQueryError(error, context.signal).message });
      return [];
    }
  };
  // Sequential: the API server has others to serve.
  const nodes = await listed('nodes', resources.nodes(client, context, MAX_OBJECTS));
  if (context.signal.aborted) throw failures[0] ?? asQueryError(undefined, context.signal);
  const namespaces = await listed('namespaces', resources.namespaces(client, context, MAX_OBJECTS));
  const found = await resources.workloads(client, context, MAX_OBJECTS, {});
  errors.push(...found.errors);
  const pods = await listed('pods', resources.pods(client, context, MAX_OBJECTS, {}));
  const events = await listed('events', resources.events(client, context, MAX_EVENTS, { type: 'Warning' }));
  if (failures.length === 4) throw failures[0];
  const version = await client
    .call(context, ({ version }, options) => version.getCode({}, options))
    .catch(() => undefined);
  return clusterState(identity, {
    nodes,
    namespaces: namespaces.length,
    workloads: found.items,
    pods,
    events,
    errors,
    now: now(),
    ...(version && { version: version.gitVersion.slice(0, 100) }),
  });
}
