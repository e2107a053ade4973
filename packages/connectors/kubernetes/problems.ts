/** The problems of a cluster, worst first. Pure. */
import type { ClusterState } from '@casebook/wire';
import type { TrimmedEvent, TrimmedNode, TrimmedPod } from './trim.ts';
import type { Workload } from './workloads.ts';

type Problem = ClusterState['problems'][number];
interface Ranked extends Problem {
  /** Higher is worse. */
  weight: number;
}

const MAX_PROBLEMS = 100;
const PENDING_TOO_LONG_MS = 5 * 60_000;
/** How long an out-of-memory kill and a warning event stay relevant. */
const RECENT_KILL_MS = 60 * 60_000;
const RECENT_EVENT_MS = 30 * 60_000;

const WAITING_WEIGHTS: Record<string, number> = {
  CrashLoopBackOff: 80,
  ImagePullBackOff: 78,
  ErrImagePull: 78,
  InvalidImageName: 78,
  CreateContainerConfigError: 77,
  CreateContainerError: 77,
  RunContainerError: 77,
};

export interface Findings {
  nodes: readonly TrimmedNode[];
  workloads: readonly Workload[];
  pods: readonly TrimmedPod[];
  events: readonly TrimmedEvent[];
  /** Resources that could not be listed, and why. */
  errors: readonly { resource: string; message: string }[];
  /** Unix ms. */
  now: number;
}

/** @returns at most 100 problems, within the protocol's bounds */
export function problemsOf(findings: Findings): Problem[] {
  const { now } = findings;
  const found: Ranked[] = [
    ...findings.nodes.flatMap(ofNode),
    ...findings.workloads.flatMap(ofWorkload),
    ...ofPods(findings.pods, now),
    ...ofEvents(findings.events, now),
    ...findings.errors.map(({ resource, message }) => ({
      weight: 55,
      kind: 'Access',
      name: resource,
      reason: 'NotListed',
      message,
    })),
  ];
  return found
    .sort((a, b) => b.weight - a.weight || a.name.localeCompare(b.name))
    .slice(0, MAX_PROBLEMS)
    .map(({ kind, namespace, name, reason, message }) => ({
      kind: kind.slice(0, 100),
      ...(namespace && { namespace }),
      name: name.slice(0, 253),
      reason: reason.slice(0, 200),
      ...(message && { message: message.slice(0, 1000) }),
    }));
}

function ofNode({ name, ready, unschedulable, conditions }: TrimmedNode): Ranked[] {
  const node = { kind: 'Node', name };
  const readiness = conditions.find(({ type }) => type === 'Ready');
  return [
    ...(ready
      ? []
      : [
          {
            ...node,
            weight: 100,
            reason: 'NotReady',
            message: readiness?.message ?? 'No condition reports it as ready.',
          },
        ]),
    ...conditions
      .filter(({ type, status }) => type !== 'Ready' && /Pressure|Unavailable/u.test(type) && status === 'True')
      .map(({ type, message }) => ({ ...node, weight: 85, reason: type, message })),
    ...(unschedulable ? [{ ...node, weight: 20, reason: 'Unschedulable', message: 'The node is cordoned.' }] : []),
  ];
}

function ofWorkload({
  kind,
  namespace,
  name,
  desired = 0,
  available,
  conditions = [],
  failed = 0,
}: Workload): Ranked[] {
  const workload = { kind, namespace, name };
  const bad = conditions.find(
    ({ type, status }) =>
      (type === 'Available' && status === 'False') ||
      (type === 'Progressing' && status === 'False') ||
      (type === 'ReplicaFailure' && status === 'True'),
  );
  if (kind === 'Job') {
    const failure = conditions.find(({ type, status }) => type === 'Failed' && status === 'True');
    return failure
      ? [
          {
            ...workload,
            weight: 50,
            reason: failure.reason ?? 'Failed',
            message: failure.message ?? `${failed} pods failed`,
          },
        ]
      : [];
  }
  if (available === undefined || available >= desired) return [];
  const message = [`${available} of ${desired} available`, bad?.message].filter(Boolean).join('. ');
  return [{ ...workload, weight: available === 0 ? 90 : 60, reason: bad?.reason ?? 'Unavailable', message }];
}

/** Pods of one owner with the same trouble are one problem. */
function ofPods(pods: readonly TrimmedPod[], now: number): Ranked[] {
  const troubled = pods.flatMap((pod) => ofPod(pod, now).map((trouble) => ({ pod, trouble })));
  const groups = Map.groupBy(troubled, ({ pod, trouble }) =>
    [pod.namespace, pod.owner ?? pod.name, trouble.reason].join('\n'),
  );
  return [...groups.values()].map((group) => {
    const { pod, trouble } = group[0]!;
    const others = group.length > 1 ? `${group.length} pods of ${pod.owner}` : undefined;
    return { ...trouble, message: [others, trouble.message].filter(Boolean).join(': ') };
  });
}

function ofPod(pod: TrimmedPod, now: number): Ranked[] {
  const { name, namespace, phase, status, containers, created_at, conditions } = pod;
  const base = { kind: 'Pod', namespace, name };
  const found: Ranked[] = [];
  for (const container of containers) {
    const weight = container.state === 'waiting' ? WAITING_WEIGHTS[container.reason ?? ''] : undefined;
    const last = container.last_termination;
    if (weight !== undefined) {
      const ended = last && `last ended with ${last.reason ?? 'exit code'} ${last.exit_code}`;
      const message = [`container ${container.name}, ${container.restarts} restarts`, ended, container.message]
        .filter(Boolean)
        .join('; ');
      found.push({ ...base, weight, reason: container.reason!, message });
    }
    const killedNow = container.state === 'terminated' && container.reason === 'OOMKilled';
    const killedBefore = last?.reason === 'OOMKilled' && now - Date.parse(last.finished_at ?? '') < RECENT_KILL_MS;
    if (killedNow || killedBefore) {
      const limit = container.limits?.['memory'] ?? 'none';
      found.push({
        ...base,
        weight: 75,
        reason: 'OOMKilled',
        message: `container ${container.name}, memory limit ${limit}, ${container.restarts} restarts`,
      });
    }
  }
  const age = now - Date.parse(created_at ?? '');
  if (found.length === 0 && phase === 'Pending' && age > PENDING_TOO_LONG_MS) {
    const why = conditions.find(({ type, status }) => type === 'PodScheduled' && status === 'False');
    found.push({
      ...base,
      weight: 70,
      reason: why?.reason ?? 'Pending',
      message: why?.message ?? `Pending for ${Math.round(age / 60_000)} minutes`,
    });
  }
  if (found.length === 0 && phase === 'Failed')
    found.push({ ...base, weight: 40, reason: status, message: pod.message });
  return found;
}

/** Warnings with the same reason about the same kind of object are one problem: the newest, with their number. */
function ofEvents(events: readonly TrimmedEvent[], now: number): Ranked[] {
  const recent = events.filter(
    ({ type, last_seen }) => type === 'Warning' && now - Date.parse(last_seen ?? '') < RECENT_EVENT_MS,
  );
  const groups = Map.groupBy(recent, ({ namespace, reason, object }) =>
    [namespace, reason, object.split('/')[0]].join('\n'),
  );
  return [...groups.values()].map((group) => {
    const newest = group.reduce((a, b) => ((b.last_seen ?? '') > (a.last_seen ?? '') ? b : a));
    const times = group.reduce((sum, { count }) => sum + count, 0);
    return {
      weight: 10 + Math.min(9, Math.log10(times)),
      kind: 'Event',
      namespace: newest.namespace,
      name: newest.object,
      reason: newest.reason,
      message: `${times} times on ${new Set(group.map(({ object }) => object)).size} objects: ${newest.message}`,
    };
  });
}
