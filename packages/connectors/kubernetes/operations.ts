import { z } from 'zod';
import { defineOperation, type ConnectorOperation } from '../connector.ts';
import type { KubernetesClient } from './client.ts';
import * as resources from './resources.ts';
import { newestFirst, trimPod } from './trim.ts';
import { WORKLOAD_KINDS } from './workloads.ts';

const MAX_LISTED = 2_000;
/** The API returns events unordered: the newest are searched among this many. */
const MAX_EVENTS = 10_000;
const DEFAULT_EVENTS = 100;
const MAX_LOG_BYTES = 1_048_576;
const DEFAULT_LOG_LINES = 500;

/** A Kubernetes object name; it becomes part of a path. */
const objectName = z
  .string()
  .regex(/^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/u, 'must be the name of a Kubernetes object');
const selector = z.string().min(1).max(1_000);

/** The operations on a cluster, all read-only. */
export function kubernetesOperations(client: KubernetesClient): ConnectorOperation[] {
  return [
    defineOperation({
      name: 'nodes',
      description: 'The nodes: readiness, pressures and other conditions, taints, capacity, versions.',
      parameters: z.strictObject({}),
      tool: true,
      run: (_parameters, context) => resources.nodes(client, context, MAX_LISTED),
    }),
    defineOperation({
      name: 'namespaces',
      description: 'The namespaces of the cluster.',
      parameters: z.strictObject({}),
      tool: true,
      run: (_parameters, context) => resources.namespaces(client, context, MAX_LISTED),
    }),
    defineOperation({
      name: 'workloads',
      description:
        'Deployments, stateful sets, daemon sets, jobs and cron jobs: desired, ready, available and updated pods, images, conditions. Kinds that may not be listed are named in `errors`.',
      parameters: z.strictObject({ namespace: objectName.optional(), kind: z.enum(WORKLOAD_KINDS).optional() }),
      tool: true,
      run: (filter, context) => resources.workloads(client, context, MAX_LISTED, filter),
    }),
    defineOperation({
      name: 'pods',
      description:
        'Pods with status, restarts, node, owner, and of each container state, last termination, image, requests and limits. Narrow it with a namespace, a label selector (app=cart) or a field selector (status.phase!=Running, spec.nodeName=node-1).',
      parameters: z.strictObject({
        namespace: objectName.optional(),
        label_selector: selector.optional(),
        field_selector: selector.optional(),
      }),
      tool: true,
      run: (filter, context) => resources.pods(client, context, MAX_LISTED, filter),
    }),
    defineOperation({
      name: 'pod',
      description: 'One pod, with its service account and volumes. Environment variables are left out.',
      parameters: z.strictObject({ namespace: objectName, name: objectName }),
      tool: true,
      async run(which, context) {
        const pod = await client.call(context, ({ core }, options) => core.readNamespacedPod(which, options));
        const volumes = (pod.spec?.volumes ?? []).map((volume) => ({
          name: volume.name,
          kind: Object.entries(volume).find(([key, value]) => key !== 'name' && value !== undefined)?.[0],
          claim: volume.persistentVolumeClaim?.claimName,
        }));
        return { ...trimPod(pod), service_account: pod.spec?.serviceAccountName, volumes };
      },
    }),
    defineOperation({
      name: 'events',
      description:
        'Events, newest first: scheduling, pulls, probes, kills. `involved_object` is a name or Kind/name; `type` is Warning or Normal.',
      parameters: z.strictObject({
        namespace: objectName.optional(),
        involved_object: z
          .string()
          .regex(/^(?:[A-Za-z]+\/)?[a-z0-9][a-z0-9.-]{0,252}$/u, 'must be `name` or `Kind/name`')
          .optional(),
        type: z.enum(['Normal', 'Warning']).optional(),
        limit: z.number().int().min(1).max(1_000).optional(),
      }),
      tool: true,
      async run({ limit = DEFAULT_EVENTS, ...filter }, context) {
        const { items, truncated } = await resources.events(client, context, MAX_EVENTS, filter);
        return { items: newestFirst(items).slice(0, limit), truncated: truncated || items.length > limit };
      },
    }),
    defineOperation({
      name: 'logs',
      description:
        'The last lines of a container, with timestamps (500 lines by default); `previous` reads the container that ran before the last restart. Output beyond 1 MB is cut off at the end: ask for fewer lines then.',
      parameters: z.strictObject({
        namespace: objectName,
        pod: objectName,
        container: objectName.optional(),
        since_seconds: z
          .number()
          .int()
          .min(1)
          .max(30 * 86_400)
          .optional(),
        tail_lines: z.number().int().min(1).max(10_000).optional(),
        previous: z.boolean().optional(),
      }),
      tool: true,
      async run({ namespace, pod, container, since_seconds, tail_lines = DEFAULT_LOG_LINES, previous }, context) {
        // Half, because the text grows when encoded as JSON.
        const limitBytes = Math.max(1, Math.min(MAX_LOG_BYTES, Math.floor(context.maxBytes / 2)));
        const asked = { namespace, name: pod, container, previous, limitBytes, timestamps: true };
        const text = await client.call(context, ({ core }, options) =>
          core.readNamespacedPodLog({ ...asked, sinceSeconds: since_seconds, tailLines: tail_lines }, options),
        );
        return { namespace, pod, container, text: text ?? '', truncated: Buffer.byteLength(text ?? '') >= limitBytes };
      },
    }),
  ];
}
