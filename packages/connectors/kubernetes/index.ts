/**
 * Kubernetes, read-only: nothing but GET is ever sent, and `satellite/deploy/kubernetes-rbac.yaml` allows nothing else.
 * Tested against a server that checks every request and answer against the official OpenAPI document. Not tested on a
 * real cluster: a pod's service account (in_cluster), TLS with a cluster's own certificates, rotating tokens,
 * kubeconfigs with login commands (exec) or client certificates, priority and fairness under load, and lists of
 * clusters beyond some thousand pods.
 */
import type { KubeConfig } from '@kubernetes/client-node';
import { z } from 'zod';
import { headerSecret } from '../shared/header-values.ts';
import { defineConnectorKind, type OperationContext } from '../connector.ts';
import { KubernetesClient } from './client.ts';
import { observeCluster } from './cluster.ts';
import { kubernetesOperations } from './operations.ts';

const config = z
  .strictObject({
    /** Display name; by default the connector's id. */
    cluster_name: z.string().min(1).max(200).optional(),
    /** Path of a kubeconfig file, and the context in it if not the current one. */
    kubeconfig: z.string().optional(),
    context: z.string().optional(),
    /** The service account of the satellite's pod. */
    in_cluster: z.literal(true).optional(),
    server: z.url({ protocol: /^https?$/u }).optional(),
    token: headerSecret.optional(),
    /** Reread every minute: tokens of service accounts expire. */
    token_file: z.string().optional(),
    ca_file: z.string().optional(),
  })
  .refine(
    ({ kubeconfig, in_cluster, server }) =>
      [kubeconfig, in_cluster, server].filter((way) => way !== undefined).length === 1,
    'needs exactly one of kubeconfig, in_cluster and server',
  );

const CHECK_BYTES = 1_000_000;
/** For one page of the largest objects. */
const PAGE_BYTES = 64 * 1_048_576;

/** How a customer's Kubernetes cluster is configured and reached. */
export const kubernetes = defineConnectorKind({
  kind: 'kubernetes',
  config,
  create: (settings, { id, title }) => {
    const client = new KubernetesClient((vendor) => configured(new vendor.KubeConfig(), settings));
    return {
      id,
      kind: 'kubernetes',
      title,
      operations: kubernetesOperations(client),
      async check(signal) {
        // Anyone may read the version, but not a list.
        const context: OperationContext = { signal, maxBytes: CHECK_BYTES };
        await client.call(context, ({ core }, options) => core.listNamespace({ limit: 1 }, options));
      },
      cluster: (signal) =>
        observeCluster(
          client,
          { name: settings.cluster_name ?? id, connector: id },
          { signal, maxBytes: PAGE_BYTES },
          Date.now,
        ),
      close: () => Promise.resolve(),
    };
  },
});

function configured(kube: KubeConfig, settings: z.output<typeof config>): KubeConfig {
  const { kubeconfig, context, in_cluster, server = '', token, token_file, ca_file } = settings;
  if (kubeconfig !== undefined) {
    kube.loadFromFile(kubeconfig);
    if (context !== undefined && !kube.getContextObject(context))
      throw new Error(`the kubeconfig file has no context ${context}`);
    if (context !== undefined) kube.setCurrentContext(context);
  } else if (in_cluster) {
    kube.loadFromCluster();
  } else {
    kube.loadFromClusterAndUser(
      // The client requires this for plain HTTP, as with `kubectl proxy`, where there is nothing to verify.
      { name: 'cluster', server, caFile: ca_file, skipTLSVerify: server.startsWith('http:') },
      {
        name: 'satellite',
        token,
        ...(token_file !== undefined && { authProvider: { name: 'tokenFile', config: { tokenFile: token_file } } }),
      },
    );
  }
  return kube;
}
