import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../src/embedded/free-port.ts';
import { parseAllDocuments, stringify } from 'yaml';
import { kubernetes, type Connector } from '@casebook/connectors';
import { clusters } from '@casebook/wire';
import { waitUntil } from '../../support/wait-until.ts';
import * as objects from '../../support/kubernetes/objects.ts';
import { startKubernetes, TOKEN, type TestKubernetes } from '../../support/kubernetes/server.ts';
import { ask, connectorOf, refused } from './support.ts';

const ago = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString().replace(/\.\d+Z/u, 'Z');
const signal = new AbortController().signal;

describe('satellite connector: kubernetes', () => {
  let server: TestKubernetes;
  let connector: Connector;

  beforeEach(async () => {
    server = await startKubernetes();
    connector = connectorOf(kubernetes, { server: server.url, token: TOKEN, cluster_name: 'prod' });
    server.objects = {
      nodes: [objects.node('node-1'), objects.node('node-2', false)],
      namespaces: ['shop', 'kube-system'].map(objects.namespace),
      deployments: [objects.deployment('cart', 3, 3), objects.deployment('checkout', 2, 0)],
      statefulsets: [objects.statefulSet('db', 2, 1)],
      daemonsets: [objects.daemonSet('proxy', 2, 2)],
      jobs: [objects.job('nightly-1', true), objects.job('nightly-2', false)],
      cronjobs: [objects.cronJob('nightly')],
      pods: [
        objects.pod('cart-1'),
        objects.pod('cart-2', { sidecar: true }),
        objects.pod('web-1', { app: 'web', namespace: 'default' }),
      ],
      events: [
        objects.event('a', 'Pod/cart-1', 'Unhealthy', '2026-01-01T10:00:00Z'),
        objects.event('b', 'Pod/cart-2', 'BackOff', '2026-01-01T12:00:00Z'),
        objects.event('c', 'Deployment/cart', 'Scaled', '2026-01-01T11:00:00Z', { type: 'Normal' }),
        objects.event('d', 'Pod/cart-3', 'Killing', '2026-01-01T13:00:00Z', {
          lastTimestamp: undefined,
          count: undefined,
          eventTime: '2026-01-01T13:00:00.000000Z',
        }),
      ],
    };
  });

  afterEach(async () => {
    await connector.close();
    await server.stop();
    assert.deepEqual(server.faults, [], 'requests and objects are as the official document says');
  });

  it('tells of nodes and namespaces', async () => {
    const { items, truncated } = await ask(connector, 'nodes');
    assert.equal(truncated, false);
    assert.deepEqual(
      items.map((one: { name: string; ready: boolean }) => [one.name, one.ready]),
      [
        ['node-1', true],
        ['node-2', false],
      ],
    );
    assert.equal(items[0].allocatable.cpu, '3900m');
    assert.deepEqual(items[1].taints, ['node.kubernetes.io/unreachable:NoSchedule']);
    assert.deepEqual((await ask(connector, 'namespaces')).items[0], {
      name: 'shop',
      phase: 'Active',
      created_at: '2026-01-01T00:00:00.000Z',
    });
  });

  it('tells of workloads, of all kinds or one, in a namespace or all', async () => {
    const { items, errors } = await ask(connector, 'workloads');
    assert.deepEqual(errors, []);
    assert.deepEqual(
      items.map((one: { kind: string; name: string; desired?: number; available?: number }) => [
        one.kind,
        one.name,
        one.desired,
        one.available,
      ]),
      [
        ['Deployment', 'cart', 3, 3],
        ['Deployment', 'checkout', 2, 0],
        ['StatefulSet', 'db', 2, 1],
        ['DaemonSet', 'proxy', 2, 2],
        ['Job', 'nightly-1', 1, undefined],
        ['Job', 'nightly-2', 1, undefined],
        ['CronJob', 'nightly', undefined, undefined],
      ],
    );
    assert.deepEqual(items[0].images, ['shop/cart:1']);
    assert.equal(items[4].owner, 'CronJob/nightly');
    assert.deepEqual(
      (await ask(connector, 'workloads', { namespace: 'kube-system' })).items.map((one: { name: string }) => one.name),
      ['proxy'],
    );
    assert.equal((await ask(connector, 'workloads', { kind: 'CronJob' })).items.length, 1);
  });

  it('tells of pods by namespace, labels and fields, and of one', async () => {
    const names = async (filter: object): Promise<string[]> =>
      (await ask(connector, 'pods', { ...filter })).items.map((one: { name: string }) => one.name);
    assert.deepEqual(await names({}), ['cart-1', 'cart-2', 'web-1']);
    assert.deepEqual(await names({ namespace: 'shop' }), ['cart-1', 'cart-2']);
    assert.deepEqual(await names({ label_selector: 'app=web' }), ['web-1']);
    assert.deepEqual(await names({ namespace: 'shop', field_selector: 'metadata.name!=cart-1' }), ['cart-2']);
    const one = await ask(connector, 'pod', { namespace: 'shop', name: 'cart-1' });
    assert.deepEqual(one.volumes, [
      { name: 'data', kind: 'persistentVolumeClaim', claim: 'cart-data' },
      { name: 'keys', kind: 'secret' },
    ]);
    assert.deepEqual(
      [one.status, one.owner, one.containers[0].limits],
      ['Running', 'ReplicaSet/cart-7d9', { memory: '256Mi' }],
    );
    await refused(
      ask(connector, 'pod', { namespace: 'shop', name: 'gone' }),
      'not_found',
      /pods "gone" not found \(status 404\)/,
    );
    await assert.rejects(
      ask(connector, 'pod', { namespace: 'shop', name: '../../secrets' }),
      /name of a Kubernetes object/,
    );
  });

  it('leaves out what may be secret', async () => {
    for (const [name, parameters] of Object.entries({
      nodes: {},
      namespaces: {},
      workloads: {},
      pods: {},
      pod: { namespace: 'shop', name: 'cart-1' },
      events: {},
    }))
      assert.ok(!JSON.stringify(await ask(connector, name, parameters)).includes(objects.SECRET), name);
    assert.ok(!JSON.stringify(await connector.cluster!(signal)).includes(objects.SECRET));
  });

  it('tells of events, the newest first, of one object and of one type', async () => {
    const reasons = async (filter: object): Promise<string[]> =>
      (await ask(connector, 'events', { ...filter })).items.map((one: { reason: string }) => one.reason);
    assert.deepEqual(await reasons({}), ['Killing', 'BackOff', 'Scaled', 'Unhealthy']);
    assert.deepEqual(await reasons({ type: 'Normal', namespace: 'shop' }), ['Scaled']);
    assert.deepEqual(await reasons({ involved_object: 'cart-1' }), ['Unhealthy']);
    assert.deepEqual(await reasons({ involved_object: 'Deployment/cart-1' }), []);
    const two = await ask(connector, 'events', { limit: 2 });
    assert.deepEqual([two.items.length, two.truncated, two.items[1].count], [2, true, 3]);
  });

  it('reads logs: the last lines, the container before, at most so many bytes', async () => {
    const lines = Array.from({ length: 3000 }, (_, n) => `line ${n}`);
    server.logs = {
      'shop/cart-1/main': lines,
      'shop/cart-1/main/previous': ['panic: out of cheese'],
      'shop/cart-2/proxy': ['up'],
    };
    const read = (more: object, maxBytes = 10_000_000) =>
      ask(connector, 'logs', { namespace: 'shop', pod: 'cart-1', ...more }, { maxBytes });
    const all = await read({ tail_lines: 2000 });
    assert.equal(all.text.split('\n').length, 2001);
    assert.match(all.text, /^2026-01-01T00:00:00\.000000000Z line 1000\n/);
    assert.equal(all.truncated, false);
    assert.equal((await read({})).text.split('\n').length, 501);
    assert.match((await read({ previous: true })).text, /out of cheese/);
    const cut = await read({}, 2000);
    assert.deepEqual([cut.text.length, cut.truncated], [1000, true]);
    assert.match(
      (await ask(connector, 'logs', { namespace: 'shop', pod: 'cart-2', container: 'proxy', since_seconds: 60 })).text,
      / up\n/,
    );
    await refused(
      ask(connector, 'logs', { namespace: 'shop', pod: 'cart-2' }),
      'bad_request',
      /choose one of: \[main proxy\]/,
    );
  });

  it('reads page by page, and continues after an expired page', async () => {
    server.objects['pods'] = Array.from({ length: 1234 }, (_, n) => objects.pod(`cart-${n}`));
    const all = await ask(connector, 'pods');
    assert.equal(all.items.length, 1234);
    assert.equal(server.requests.filter((path) => path.startsWith('/api/v1/pods')).length, 3);
    server.expireNextContinue = true;
    assert.equal((await ask(connector, 'pods', { label_selector: 'app=cart' })).items.length, 1234);
    server.expireNextContinue = false;
    server.objects['pods'] = Array.from({ length: 2600 }, (_, n) => objects.pod(`cart-${n}`));
    const some = await ask(connector, 'pods');
    assert.deepEqual([some.items.length, some.truncated], [2000, true]);
  });

  it('stops what is too large', () =>
    refused(ask(connector, 'pods', {}, { maxBytes: 1000 }), 'too_large', /exceeds 1000 bytes/));

  it('says what may not be listed, and lists the rest', async () => {
    server.forbidden = new Set(['cronjobs', 'pods/log', 'nodes']);
    const { items, errors } = await ask(connector, 'workloads');
    assert.equal(items.length, 6);
    assert.equal(errors.length, 1);
    assert.match(errors[0].message, /cronjobs is forbidden: User .* cannot list resource "cronjobs".*status 403/);
    await refused(ask(connector, 'workloads', { kind: 'CronJob' }), 'failed', /is forbidden/);
    await refused(ask(connector, 'nodes'), 'failed', /nodes is forbidden/);
    await refused(ask(connector, 'logs', { namespace: 'shop', pod: 'cart-1' }), 'failed', /pods\/log/);
    assert.equal((await ask(connector, 'pods')).items.length, 3);
    const state = await connector.cluster!(signal);
    assert.deepEqual(state.nodes, { total: 0, ready: 0 });
    assert.equal(state.pods.total, 3);
    assert.deepEqual(
      state.problems.filter(({ kind }) => kind === 'Access').map(({ name }) => name),
      ['CronJob', 'nodes'],
    );
  });

  it('ends a call once nobody is waiting', async () => {
    server.hanging.add('pods');
    const gone = new AbortController();
    const asking = refused(ask(connector, 'pods', {}, { signal: gone.signal }), 'timeout', /stopped/);
    const until = (what: string, holds: () => boolean) =>
      waitUntil(() => holds() || undefined, { what, intervalMs: 5 });
    await until('the request', () => server.requests.length > 0);
    gone.abort();
    await asking;
    await until('the end of the connection', () => server.abandoned() === 1);
  });

  it('sums a cluster up, the worst first', async () => {
    const oom = {
      lastState: { terminated: { exitCode: 137, reason: 'OOMKilled', finishedAt: ago(10) } },
      restartCount: 2,
    };
    const looping = {
      ready: false,
      restartCount: 9,
      state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 5m0s' } },
      lastState: { terminated: { exitCode: 1, reason: 'Error', finishedAt: ago(1) } },
    };
    const unschedulable = [
      {
        type: 'PodScheduled',
        status: 'False',
        reason: 'Unschedulable',
        message: '0/2 nodes are available: insufficient memory.',
      },
    ];
    server.objects['pods'] = [
      objects.pod('cart-1'),
      objects.pod('cart-2', { container: oom }),
      ...[1, 2, 3].map((n) => objects.pod(`checkout-${n}`, { owner: 'checkout-5f', container: looping })),
      objects.pod('late-1', {
        phase: 'Pending',
        owner: 'late',
        createdAt: ago(20),
        status: { conditions: unschedulable },
      }),
      objects.pod('new-1', { phase: 'Pending', owner: 'new', createdAt: ago(1) }),
      objects.pod('gone-1', {
        phase: 'Failed',
        owner: 'gone',
        status: { reason: 'Evicted', message: 'The node was low on resource: memory.' },
      }),
    ];
    server.objects['events'] = [
      ...[1, 2].map((n) => objects.event(`e${n}`, `Pod/checkout-${n}`, 'BackOff', ago(n))),
      objects.event('old', 'Pod/x', 'Ancient', ago(600)),
    ];
    server.objects['nodes']!.push(
      objects.node('node-3', true, [{ type: 'DiskPressure', status: 'True', message: 'kubelet has disk pressure' }]),
    );
    const state = await connector.cluster!(signal);
    assert.deepEqual(clusters.parse([state]), [state], 'it is as the protocol has it');
    const { problems, ...counts } = state;
    assert.deepEqual(counts, {
      name: 'prod',
      connector: 'it',
      version: 'v1.35.3',
      nodes: { total: 3, ready: 2 },
      namespaces: 2,
      workloads: { total: 4, available: 2 },
      pods: { total: 8, running: 5, pending: 2, failed: 1, restarts: 29 },
      observedAgoMs: 0,
    });
    assert.deepEqual(
      problems.map(({ kind, name, reason }) => `${kind} ${name} ${reason}`),
      [
        'Node node-2 NotReady',
        'Deployment checkout MinimumReplicasUnavailable',
        'Node node-3 DiskPressure',
        'Pod checkout-1 CrashLoopBackOff',
        'Pod cart-2 OOMKilled',
        'Pod late-1 Unschedulable',
        'StatefulSet db Unavailable',
        'Job nightly-1 BackoffLimitExceeded',
        'Pod gone-1 Evicted',
        'Node node-2 Unschedulable',
        'Event Pod/checkout-1 BackOff',
      ],
    );
    assert.match(
      problems[3]!.message!,
      /^3 pods of ReplicaSet\/checkout-5f: container main, 9 restarts; last ended with Error 1; back-off/,
    );
    assert.match(problems[4]!.message!, /memory limit 256Mi/);
    assert.match(problems.at(-1)!.message!, /^6 times on 2 objects/);
  });

  it('names at most 100 problems', async () => {
    server.objects['nodes'] = Array.from({ length: 150 }, (_, n) => objects.node(`node-${n}`, false));
    const state = await connector.cluster!(signal);
    assert.equal(state.problems.length, 100);
    clusters.parse([state]);
  });

  describe('connecting', () => {
    it('checks that the server is up and accepts the token', async () => {
      await connector.check(signal);
      const stranger = connectorOf(kubernetes, { server: server.url, token: 'wrong' });
      await assert.rejects(stranger.check(signal), /Kubernetes: Unauthorized \(status 401\)/);
      await assert.rejects(stranger.cluster!(signal), /Unauthorized/);
      const nobody = connectorOf(kubernetes, { server: `http://127.0.0.1:${await freePort()}`, token: TOKEN });
      await assert.rejects(nobody.check(signal), /No answer from Kubernetes: .*ECONNREFUSED/);
    });

    it('takes a file with a token, and a kubeconfig with contexts', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'casebook-kube-'));
      try {
        await writeFile(join(folder, 'token'), TOKEN);
        await connectorOf(kubernetes, { server: server.url, token_file: join(folder, 'token') }).check(signal);
        const kubeconfig = join(folder, 'config');
        await writeFile(
          kubeconfig,
          stringify({
            apiVersion: 'v1',
            kind: 'Config',
            'current-context': 'other',
            clusters: [{ name: 'c', cluster: { server: server.url, 'insecure-skip-tls-verify': true } }],
            users: [
              { name: 'good', user: { token: TOKEN } },
              { name: 'bad', user: { token: 'x' } },
            ],
            contexts: [
              { name: 'mine', context: { cluster: 'c', user: 'good' } },
              { name: 'other', context: { cluster: 'c', user: 'bad' } },
            ],
          }),
        );
        await connectorOf(kubernetes, { kubeconfig, context: 'mine' }).check(signal);
        await assert.rejects(connectorOf(kubernetes, { kubeconfig }).check(signal), /Unauthorized/);
        await assert.rejects(connectorOf(kubernetes, { kubeconfig, context: 'none' }).check(signal), /no context none/);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    });

    it('needs exactly one way', () => {
      assert.throws(() => connectorOf(kubernetes, {}), /exactly one/);
      assert.throws(() => connectorOf(kubernetes, { in_cluster: true, kubeconfig: 'x' }), /exactly one/);
    });
  });

  it('asks for nothing that its RBAC manifest does not allow', async () => {
    for (const name of ['nodes', 'namespaces', 'workloads', 'pods', 'events']) await ask(connector, name);
    await ask(connector, 'pod', { namespace: 'shop', name: 'cart-1' });
    await ask(connector, 'logs', { namespace: 'shop', pod: 'cart-1' });
    await connector.cluster!(signal);
    const asked = new Set(
      server.requests.flatMap((path) => {
        const found =
          /^\/api(?:s\/(?<group>\w+))?\/v1\/(?:namespaces\/[^/?]+\/)?(?<resource>\w+)(?:\/[^/?]+\/(?<sub>log))?/u.exec(
            path,
          )?.groups;
        return found ? [`${found['group'] ?? ''}/${found['resource']}${found['sub'] ? '/log' : ''}`] : [];
      }),
    );
    const manifest = await readFile(new URL('../../../satellite/deploy/kubernetes-rbac.yaml', import.meta.url), 'utf8');
    const documents = parseAllDocuments(manifest).map((one) => one.toJS());
    const role = documents.find(({ kind }) => kind === 'ClusterRole');
    const allowed = new Set<string>(
      role.rules.flatMap(({ apiGroups, resources }: { apiGroups: string[]; resources: string[] }) =>
        apiGroups.flatMap((group) => resources.map((resource) => `${group}/${resource}`)),
      ),
    );
    assert.deepEqual(asked, allowed);
    const verbs = new Set(role.rules.flatMap((rule: { verbs: string[] }) => rule.verbs));
    assert.deepEqual(verbs, new Set(['get', 'list', 'watch']));
    const binding = documents.find(({ kind }) => kind === 'ClusterRoleBinding');
    const account = documents.find(({ kind }) => kind === 'ServiceAccount');
    assert.equal(binding.roleRef.name, role.metadata.name);
    assert.deepEqual(binding.subjects[0], { kind: 'ServiceAccount', ...account.metadata });
  });
});
