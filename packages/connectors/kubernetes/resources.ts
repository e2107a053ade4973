/** Lists of a cluster's objects, trimmed. */
import type { OperationContext } from '../connector.ts';
import type { KubernetesClient, Listed } from './client.ts';
import { asQueryError } from './errors.ts';
import { time, trimEvent, trimNode, trimPod, type TrimmedEvent, type TrimmedNode, type TrimmedPod } from './trim.ts';
import {
  trimCronJob,
  trimDaemonSet,
  trimDeployment,
  trimJob,
  trimStatefulSet,
  WORKLOAD_KINDS,
  type Workload,
  type WorkloadKind,
} from './workloads.ts';

export interface Namespace {
  name: string;
  phase?: string;
  created_at?: string;
}

export interface EventFilter {
  namespace?: string;
  /** `name` or `Kind/name`. */
  involved_object?: string;
  type?: string;
}

export interface PodFilter {
  namespace?: string;
  label_selector?: string;
  field_selector?: string;
}

export const nodes = (client: KubernetesClient, context: OperationContext, max: number): Promise<Listed<TrimmedNode>> =>
  client.list(context, max, ({ core }, page, options) => core.listNode(page, options), trimNode);

export const namespaces = (
  client: KubernetesClient,
  context: OperationContext,
  max: number,
): Promise<Listed<Namespace>> =>
  client.list(
    context,
    max,
    ({ core }, page, options) => core.listNamespace(page, options),
    ({ metadata, status }) => ({
      name: metadata?.name ?? '',
      phase: status?.phase,
      created_at: time(metadata?.creationTimestamp),
    }),
  );

export const pods = (
  client: KubernetesClient,
  context: OperationContext,
  max: number,
  { namespace, label_selector: labelSelector, field_selector: fieldSelector }: PodFilter,
): Promise<Listed<TrimmedPod>> =>
  client.list(
    context,
    max,
    ({ core }, page, options) => {
      const asked = { ...page, labelSelector, fieldSelector };
      return namespace === undefined
        ? core.listPodForAllNamespaces(asked, options)
        : core.listNamespacedPod({ ...asked, namespace }, options);
    },
    trimPod,
  );

export function events(
  client: KubernetesClient,
  context: OperationContext,
  max: number,
  { namespace, involved_object, type }: EventFilter,
): Promise<Listed<TrimmedEvent>> {
  const [name, kind] = involved_object?.split('/').toReversed() ?? [];
  const selectors = { 'involvedObject.name': name, 'involvedObject.kind': kind, type };
  const fieldSelector = Object.entries(selectors)
    .flatMap(([field, value]) => (value === undefined ? [] : [`${field}=${value}`]))
    .join(',');
  return client.list(
    context,
    max,
    ({ core }, page, options) => {
      const asked = { ...page, ...(fieldSelector !== '' && { fieldSelector }) };
      return namespace === undefined
        ? core.listEventForAllNamespaces(asked, options)
        : core.listNamespacedEvent({ ...asked, namespace }, options);
    },
    trimEvent,
  );
}

/** Lists all kinds or one. A kind that may not be listed is named in `errors` and does not affect the others. */
export async function workloads(
  client: KubernetesClient,
  context: OperationContext,
  max: number,
  { namespace, kind }: { namespace?: string; kind?: WorkloadKind },
): Promise<Listed<Workload> & { errors: { resource: string; message: string }[] }> {
  const items: Workload[] = [];
  const errors: { resource: string; message: string }[] = [];
  let truncated = false;
  const within = namespace === undefined ? undefined : { namespace };
  for (const one of kind === undefined ? WORKLOAD_KINDS : [kind]) {
    if (items.length >= max) {
      truncated = true;
      break;
    }
    try {
      const listed = await LIST[one](client, context, max - items.length, within);
      items.push(...listed.items);
      truncated ||= listed.truncated;
    } catch (error) {
      const failure = asQueryError(error, context.signal);
      if (kind !== undefined || context.signal.aborted) throw failure;
      errors.push({ resource: one, message: failure.message });
    }
  }
  return { items, truncated, errors };
}

type ListKind = (
  client: KubernetesClient,
  context: OperationContext,
  max: number,
  within: { namespace: string } | undefined,
) => Promise<Listed<Workload>>;

const LIST: Record<WorkloadKind, ListKind> = {
  Deployment: (client, context, max, within) =>
    client.list(
      context,
      max,
      ({ apps }, page, options) =>
        within
          ? apps.listNamespacedDeployment({ ...page, ...within }, options)
          : apps.listDeploymentForAllNamespaces(page, options),
      trimDeployment,
    ),
  StatefulSet: (client, context, max, within) =>
    client.list(
      context,
      max,
      ({ apps }, page, options) =>
        within
          ? apps.listNamespacedStatefulSet({ ...page, ...within }, options)
          : apps.listStatefulSetForAllNamespaces(page, options),
      trimStatefulSet,
    ),
  DaemonSet: (client, context, max, within) =>
    client.list(
      context,
      max,
      ({ apps }, page, options) =>
        within
          ? apps.listNamespacedDaemonSet({ ...page, ...within }, options)
          : apps.listDaemonSetForAllNamespaces(page, options),
      trimDaemonSet,
    ),
  Job: (client, context, max, within) =>
    client.list(
      context,
      max,
      ({ batch }, page, options) =>
        within
          ? batch.listNamespacedJob({ ...page, ...within }, options)
          : batch.listJobForAllNamespaces(page, options),
      trimJob,
    ),
  CronJob: (client, context, max, within) =>
    client.list(
      context,
      max,
      ({ batch }, page, options) =>
        within
          ? batch.listNamespacedCronJob({ ...page, ...within }, options)
          : batch.listCronJobForAllNamespaces(page, options),
      trimCronJob,
    ),
};
