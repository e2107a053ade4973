/**
 * The parts of Kubernetes objects that an investigator needs. Deliberately omits managed fields, annotations,
 * environment variables, commands and arguments, which may hold secrets. Pure.
 */
import type {
  CoreV1Event,
  V1Condition,
  V1Container,
  V1ContainerStatus,
  V1Node,
  V1ObjectMeta,
  V1Pod,
} from '@kubernetes/client-node';

export interface Condition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
  since?: string;
}

interface TrimmedContainer {
  name: string;
  image?: string;
  init?: true;
  ready?: boolean;
  restarts: number;
  state: 'running' | 'waiting' | 'terminated' | 'unknown';
  reason?: string;
  message?: string;
  exit_code?: number;
  started_at?: string;
  last_termination?: { reason?: string; exit_code: number; message?: string; finished_at?: string };
  requests?: Record<string, string>;
  limits?: Record<string, string>;
}

export interface TrimmedPod {
  name: string;
  namespace: string;
  phase: string;
  /** As in `kubectl get pods`: the problem, or the phase. */
  status: string;
  message?: string;
  ready: boolean;
  restarts: number;
  node?: string;
  owner?: string;
  labels?: Record<string, string>;
  qos_class?: string;
  created_at?: string;
  deleted_at?: string;
  conditions: Condition[];
  containers: TrimmedContainer[];
}

export interface TrimmedNode {
  name: string;
  ready: boolean;
  unschedulable: boolean;
  conditions: Condition[];
  taints: string[];
  capacity?: Record<string, string>;
  allocatable?: Record<string, string>;
  kubelet_version?: string;
  os_image?: string;
  container_runtime?: string;
  addresses?: Record<string, string>;
  zone?: string;
  instance_type?: string;
  created_at?: string;
}

export interface TrimmedEvent {
  type: string;
  reason: string;
  message: string;
  object: string;
  namespace?: string;
  count: number;
  source?: string;
  first_seen?: string;
  last_seen?: string;
}

/** Despite its types, the client leaves some times as text and writes others to the microsecond. */
export function time(date: Date | string | undefined): string | undefined {
  const plain = new Date(date ?? Number.NaN);
  return Number.isNaN(plain.getTime()) ? undefined : plain.toISOString();
}

export const ownerOf = (metadata: V1ObjectMeta | undefined): string | undefined => {
  const owner = metadata?.ownerReferences?.find(({ controller }) => controller) ?? metadata?.ownerReferences?.[0];
  return owner && `${owner.kind}/${owner.name}`;
};

type AnyCondition = Pick<V1Condition, 'type' | 'status'> &
  Partial<Pick<V1Condition, 'reason' | 'message' | 'lastTransitionTime'>>;

export const trimCondition = ({ type, status, reason, message, lastTransitionTime }: AnyCondition): Condition => ({
  type,
  status,
  reason,
  message,
  since: time(lastTransitionTime),
});

export function trimPod(pod: V1Pod): TrimmedPod {
  const { metadata, spec, status } = pod;
  const init = (spec?.initContainers ?? []).map((one) => ({
    ...trimContainer(one, status?.initContainerStatuses),
    init: true as const,
  }));
  const main = (spec?.containers ?? []).map((one) => trimContainer(one, status?.containerStatuses));
  const containers = [...init, ...main];
  const phase = status?.phase ?? 'Unknown';
  return {
    name: metadata?.name ?? '',
    namespace: metadata?.namespace ?? '',
    phase,
    status: podStatus(pod, containers, phase),
    message: status?.message,
    ready: status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false,
    restarts: containers.reduce((sum, { restarts }) => sum + restarts, 0),
    node: spec?.nodeName,
    owner: ownerOf(metadata),
    labels: metadata?.labels,
    qos_class: status?.qosClass,
    created_at: time(metadata?.creationTimestamp),
    deleted_at: time(metadata?.deletionTimestamp),
    conditions: (status?.conditions ?? []).map(trimCondition),
    containers,
  };
}

function trimContainer(container: V1Container, statuses: V1ContainerStatus[] = []): TrimmedContainer {
  const status = statuses.find(({ name }) => name === container.name);
  const { running, waiting, terminated } = status?.state ?? {};
  const last = status?.lastState?.terminated;
  return {
    name: container.name,
    image: container.image,
    ready: status?.ready,
    restarts: status?.restartCount ?? 0,
    state: running ? 'running' : waiting ? 'waiting' : terminated ? 'terminated' : 'unknown',
    reason: waiting?.reason ?? terminated?.reason,
    message: waiting?.message ?? terminated?.message,
    exit_code: terminated?.exitCode,
    started_at: time(running?.startedAt ?? terminated?.startedAt),
    ...(last && {
      last_termination: {
        reason: last.reason,
        exit_code: last.exitCode,
        message: last.message,
        finished_at: time(last.finishedAt),
      },
    }),
    requests: container.resources?.requests,
    limits: container.resources?.limits,
  };
}

function podStatus({ metadata, status }: V1Pod, containers: TrimmedContainer[], phase: string): string {
  if (metadata?.deletionTimestamp) return 'Terminating';
  const stuck = containers.find(
    ({ state, init, reason }) => state === 'waiting' && reason !== undefined && !(init && reason === 'PodInitializing'),
  );
  const waiting = stuck?.reason === 'PodInitializing' || stuck?.reason === 'ContainerCreating' ? undefined : stuck;
  const ended = containers.find(({ state, exit_code }) => state === 'terminated' && exit_code !== 0);
  return waiting?.reason ?? (phase === 'Succeeded' ? undefined : ended?.reason) ?? status?.reason ?? phase;
}

export function trimNode({ metadata, spec, status }: V1Node): TrimmedNode {
  return {
    name: metadata?.name ?? '',
    ready: status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false,
    unschedulable: spec?.unschedulable ?? false,
    conditions: (status?.conditions ?? []).map(trimCondition),
    taints: (spec?.taints ?? []).map(({ key, value, effect }) => `${key}${value ? `=${value}` : ''}:${effect}`),
    capacity: status?.capacity,
    allocatable: status?.allocatable,
    kubelet_version: status?.nodeInfo?.kubeletVersion,
    os_image: status?.nodeInfo?.osImage,
    container_runtime: status?.nodeInfo?.containerRuntimeVersion,
    addresses: Object.fromEntries((status?.addresses ?? []).map(({ type, address }) => [type, address])),
    zone: metadata?.labels?.['topology.kubernetes.io/zone'],
    instance_type: metadata?.labels?.['node.kubernetes.io/instance-type'],
    created_at: time(metadata?.creationTimestamp),
  };
}

export function trimEvent(event: CoreV1Event): TrimmedEvent {
  const { involvedObject, series } = event;
  const last = event.lastTimestamp ?? series?.lastObservedTime ?? event.eventTime ?? event.firstTimestamp;
  return {
    type: event.type ?? 'Normal',
    reason: event.reason ?? '',
    message: event.message ?? '',
    object: `${involvedObject.kind ?? ''}/${involvedObject.name ?? ''}`,
    namespace: involvedObject.namespace,
    count: series?.count ?? event.count ?? 1,
    source: event.source?.component ?? event.reportingComponent,
    first_seen: time(event.firstTimestamp ?? event.eventTime),
    last_seen: time(last ?? event.metadata.creationTimestamp),
  };
}

/** Newest first; undated ones last. */
export const newestFirst = (events: TrimmedEvent[]): TrimmedEvent[] =>
  events.toSorted((a, b) => (b.last_seen ?? '').localeCompare(a.last_seen ?? ''));
