/** A common form for deployments, stateful sets, daemon sets, jobs and cron jobs. Pure. */
import type {
  V1CronJob,
  V1DaemonSet,
  V1Deployment,
  V1Job,
  V1ObjectMeta,
  V1PodTemplateSpec,
  V1StatefulSet,
} from '@kubernetes/client-node';
import { ownerOf, time, trimCondition, type Condition } from './trim.ts';

export const WORKLOAD_KINDS = ['Deployment', 'StatefulSet', 'DaemonSet', 'Job', 'CronJob'] as const;
export type WorkloadKind = (typeof WORKLOAD_KINDS)[number];

export interface Workload {
  kind: WorkloadKind;
  name: string;
  namespace: string;
  owner?: string;
  /** Pods that should run, are ready, are available, and have the newest template. */
  desired?: number;
  ready?: number;
  available?: number;
  updated?: number;
  /** The controller has not observed the newest specification yet. */
  outdated?: boolean;
  paused?: boolean;
  images: string[];
  conditions?: Condition[];
  created_at?: string;
  /** Jobs and cron jobs. */
  active?: number;
  succeeded?: number;
  failed?: number;
  schedule?: string;
  suspended?: boolean;
  last_scheduled_at?: string;
  last_succeeded_at?: string;
}

interface Base {
  metadata?: V1ObjectMeta;
  status?: { observedGeneration?: number };
}

const base = (kind: WorkloadKind, { metadata, status }: Base, template?: V1PodTemplateSpec): Workload => ({
  kind,
  name: metadata?.name ?? '',
  namespace: metadata?.namespace ?? '',
  owner: ownerOf(metadata),
  images: (template?.spec?.containers ?? []).flatMap(({ image }) => image ?? []),
  outdated: (metadata?.generation ?? 0) > (status?.observedGeneration ?? metadata?.generation ?? 0) || undefined,
  created_at: time(metadata?.creationTimestamp),
});

export const trimDeployment = (one: V1Deployment): Workload => ({
  ...base('Deployment', one, one.spec?.template),
  desired: one.spec?.replicas ?? 1,
  ready: one.status?.readyReplicas ?? 0,
  available: one.status?.availableReplicas ?? 0,
  updated: one.status?.updatedReplicas ?? 0,
  paused: one.spec?.paused,
  conditions: one.status?.conditions?.map(trimCondition),
});

export const trimStatefulSet = (one: V1StatefulSet): Workload => ({
  ...base('StatefulSet', one, one.spec?.template),
  desired: one.spec?.replicas ?? 1,
  ready: one.status?.readyReplicas ?? 0,
  // Servers before 1.22 omit it.
  available: one.status?.availableReplicas ?? one.status?.readyReplicas ?? 0,
  updated: one.status?.updatedReplicas ?? 0,
  conditions: one.status?.conditions?.map(trimCondition),
});

export const trimDaemonSet = (one: V1DaemonSet): Workload => ({
  ...base('DaemonSet', one, one.spec?.template),
  desired: one.status?.desiredNumberScheduled ?? 0,
  ready: one.status?.numberReady ?? 0,
  available: one.status?.numberAvailable ?? 0,
  updated: one.status?.updatedNumberScheduled ?? 0,
  conditions: one.status?.conditions?.map(trimCondition),
});

export const trimJob = (one: V1Job): Workload => ({
  ...base('Job', { metadata: one.metadata }, one.spec?.template),
  desired: one.spec?.completions ?? 1,
  active: one.status?.active ?? 0,
  succeeded: one.status?.succeeded ?? 0,
  failed: one.status?.failed ?? 0,
  suspended: one.spec?.suspend,
  conditions: one.status?.conditions?.map(trimCondition),
  last_succeeded_at: time(one.status?.completionTime),
});

export const trimCronJob = (one: V1CronJob): Workload => ({
  ...base('CronJob', { metadata: one.metadata }, one.spec?.jobTemplate.spec?.template),
  schedule: one.spec?.schedule,
  suspended: one.spec?.suspend,
  active: one.status?.active?.length ?? 0,
  last_scheduled_at: time(one.status?.lastScheduleTime),
  last_succeeded_at: time(one.status?.lastSuccessfulTime),
});
