/** Objects as the API server gives them, with what the connector must leave out: annotations, managed fields, secrets. */
export interface KubernetesObject {
  metadata: { name: string; namespace?: string; labels?: Record<string, string>; [member: string]: unknown };
  [member: string]: unknown;
}

export const SECRET = 'hunter2-do-not-leak';

const metadata = (name: string, more: object = {}): KubernetesObject['metadata'] => ({
  name,
  uid: `uid-${name}`,
  resourceVersion: '7',
  creationTimestamp: '2026-01-01T00:00:00Z',
  annotations: { 'kubectl.kubernetes.io/last-applied-configuration': SECRET },
  managedFields: [{ manager: SECRET, operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: {} }],
  ...more,
});

export const node = (name: string, ready = true, more: object[] = []): KubernetesObject => ({
  metadata: metadata(name, { labels: { 'topology.kubernetes.io/zone': 'a' } }),
  spec: ready ? {} : { unschedulable: true, taints: [{ key: 'node.kubernetes.io/unreachable', effect: 'NoSchedule' }] },
  status: {
    capacity: { cpu: '4', memory: '16Gi', pods: '110' },
    allocatable: { cpu: '3900m', memory: '15Gi', pods: '110' },
    addresses: [{ type: 'InternalIP', address: '10.0.0.1' }],
    conditions: [
      {
        type: 'Ready',
        status: ready ? 'True' : 'Unknown',
        reason: ready ? 'KubeletReady' : 'NodeStatusUnknown',
        message: ready ? 'kubelet is posting ready status' : 'Kubelet stopped posting node status.',
        lastTransitionTime: '2026-01-01T01:00:00Z',
      },
      ...more,
    ],
    nodeInfo: {
      architecture: 'amd64',
      bootID: 'b',
      containerRuntimeVersion: 'containerd://2.1.4',
      kernelVersion: '6.12',
      kubeProxyVersion: 'v1.35.3',
      kubeletVersion: 'v1.35.3',
      machineID: 'm',
      operatingSystem: 'linux',
      osImage: 'Debian GNU/Linux 13',
      systemUUID: 's',
    },
  },
});

export const namespace = (name: string): KubernetesObject => ({
  metadata: metadata(name),
  spec: {},
  status: { phase: 'Active' },
});

const template = (image: string) => ({
  metadata: { labels: { app: 'x' } },
  spec: { containers: [{ name: 'main', image, env: [{ name: 'PASSWORD', value: SECRET }], args: [SECRET] }] },
});
const selector = { matchLabels: { app: 'x' } };

export const deployment = (name: string, desired: number, available: number): KubernetesObject => ({
  metadata: metadata(name, { namespace: 'shop', generation: 3 }),
  spec: { replicas: desired, selector, template: template(`shop/${name}:1`) },
  // As the server does: what is zero is left out.
  status: {
    observedGeneration: 3,
    ...(available > 0 && {
      replicas: available,
      readyReplicas: available,
      availableReplicas: available,
      updatedReplicas: available,
    }),
    conditions: [
      {
        type: 'Available',
        status: available === desired ? 'True' : 'False',
        reason: 'MinimumReplicasUnavailable',
        message: 'Deployment does not have minimum availability.',
      },
    ],
  },
});

export const statefulSet = (name: string, desired: number, available: number): KubernetesObject => ({
  metadata: metadata(name, { namespace: 'shop' }),
  spec: { replicas: desired, serviceName: name, selector, template: template(`shop/${name}:1`) },
  status: { replicas: desired, readyReplicas: available, availableReplicas: available },
});

export const daemonSet = (name: string, desired: number, available: number): KubernetesObject => ({
  metadata: metadata(name, { namespace: 'kube-system' }),
  spec: { selector, template: template(`kube/${name}:1`) },
  status: {
    currentNumberScheduled: desired,
    desiredNumberScheduled: desired,
    numberMisscheduled: 0,
    numberReady: available,
    numberAvailable: available,
  },
});

export const job = (name: string, failed: boolean): KubernetesObject => ({
  metadata: metadata(name, {
    namespace: 'shop',
    ownerReferences: [{ apiVersion: 'batch/v1', kind: 'CronJob', name: 'nightly', uid: 'u', controller: true }],
  }),
  spec: { completions: 1, template: template('shop/job:1') },
  status: failed
    ? {
        failed: 4,
        conditions: [
          {
            type: 'Failed',
            status: 'True',
            reason: 'BackoffLimitExceeded',
            message: 'Job has reached the specified backoff limit',
          },
        ],
      }
    : { succeeded: 1, completionTime: '2026-01-01T00:10:00Z' },
});

export const cronJob = (name: string): KubernetesObject => ({
  metadata: metadata(name, { namespace: 'shop' }),
  spec: { schedule: '0 3 * * *', jobTemplate: { spec: { template: template('shop/job:1') } } },
  status: { lastScheduleTime: '2026-01-01T03:00:00Z' },
});

const running = (restarts = 0) => ({
  name: 'main',
  image: 'shop/cart:1',
  imageID: 'sha256:1',
  ready: true,
  restartCount: restarts,
  started: true,
  state: { running: { startedAt: '2026-01-01T00:00:05Z' } },
});

export interface PodOptions {
  namespace?: string;
  app?: string;
  phase?: string;
  owner?: string;
  createdAt?: string;
  status?: object;
  /** Of the container `main`. */
  container?: object;
  /** A second container. */
  sidecar?: boolean;
}

export const pod = (name: string, options: PodOptions = {}): KubernetesObject => {
  const {
    namespace = 'shop',
    app = 'cart',
    phase = 'Running',
    owner = 'cart-7d9',
    createdAt = '2026-01-01T00:00:00Z',
  } = options;
  const isRunning = phase === 'Running';
  return {
    metadata: metadata(name, {
      namespace,
      creationTimestamp: createdAt,
      labels: { app },
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: owner, uid: 'u', controller: true }],
    }),
    spec: {
      nodeName: isRunning ? 'node-1' : undefined,
      serviceAccountName: 'cart',
      containers: [
        {
          name: 'main',
          image: 'shop/cart:1',
          command: ['serve', SECRET],
          env: [
            { name: 'PASSWORD', value: SECRET },
            { name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'cart', key: 'token' } } },
          ],
          resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '256Mi' } },
        },
        ...(options.sidecar ? [{ name: 'proxy', image: 'envoy:1' }] : []),
      ],
      volumes: [
        { name: 'data', persistentVolumeClaim: { claimName: 'cart-data' } },
        { name: 'keys', secret: { secretName: 'cart' } },
      ],
    },
    status: {
      phase,
      qosClass: 'Burstable',
      conditions: [{ type: 'Ready', status: isRunning && !options.container ? 'True' : 'False' }],
      ...(isRunning && { containerStatuses: [{ ...running(), ...options.container }] }),
      ...options.status,
    },
  };
};

export const event = (
  name: string,
  object: string,
  reason: string,
  lastSeen: string,
  more: object = {},
): KubernetesObject => {
  const [kind, of] = object.split('/');
  return {
    metadata: metadata(name, { namespace: 'shop' }),
    involvedObject: { kind, name: of, namespace: 'shop' },
    type: 'Warning',
    reason,
    message: `${reason} of ${of}`,
    count: 3,
    firstTimestamp: '2026-01-01T00:00:00Z',
    lastTimestamp: lastSeen,
    source: { component: 'kubelet' },
    ...more,
  };
};

/** The `Status` that the server answers instead of what was asked for. */
export const statusObject = (code: number, reason: string, message: string, next?: string): object => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: next === undefined ? {} : { continue: next },
  status: 'Failure',
  message,
  reason,
  code,
});
