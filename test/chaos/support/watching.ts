/** API, worker and servers as processes of their own, for tests that kill the worker of monitoring agents. */
import type { Client } from '@temporalio/client';
import { createTemporalClient } from '../../../temporal/connection.ts';
import { startCluster, type Cluster, type ClusterProcess } from '../../support/cluster.ts';
import { startHeldPrometheus, type HeldPrometheus } from '../../support/held-prometheus.ts';
import { OUT_OF_SCRIPT, type Script } from '../../support/scripted-model/index.ts';
import { listSources, submitReport } from '../../support/scripts.ts';
import { stopReceivers, type Call } from './watched-agent.ts';

export interface Watching {
  cluster: Cluster;
  /** The only one. */
  worker: ClusterProcess;
  held: HeldPrometheus;
  temporal: Client;
  call: Call;
}

/** An investigation whose query names a gate (`hold-…`) waits at it before its first answer. */
export const investigating: Script = ({ turn, request }) => {
  const step = [listSources, submitReport][turn] ?? OUT_OF_SCRIPT;
  const gate = /hold-[a-z]+/.exec(JSON.stringify(request.messages[0]))?.[0];
  return gate !== undefined && turn === 0 ? { ...step, hold: { gate, at: 'start' } } : step;
};

/** One API and one worker for a suite; each test begins with the worker up. */
export function useWatching(): () => Watching {
  let watching: Watching | undefined;
  before(async () => {
    const held = await startHeldPrometheus();
    const cluster = await startCluster({
      script: investigating,
      apis: 1,
      workers: 1,
      env: { PROMETHEUS_URL: held.url, CASEBOOK_OUTBOUND_ALLOW: '127.0.0.1' },
    });
    const call: Call = async (method, path, body) => {
      const response = await fetch(cluster.apis[0]!.url + path, {
        method,
        headers: { 'x-api-key': cluster.apiKey, 'content-type': 'application/json' },
        body: body === undefined ? undefined : JSON.stringify(body),
      });
      return { status: response.status, body: (await response.json()) as never };
    };
    const temporal = createTemporalClient(cluster.temporal);
    watching = { cluster, worker: cluster.workers[0]!, held, temporal, call };
  });
  afterEach(function () {
    if (this.currentTest?.state !== 'failed' || !watching) return;
    for (const { output } of [...watching.cluster.apis, watching.worker]) console.error(output().slice(-8_000));
  });
  after(async () => {
    await stopReceivers();
    await watching?.temporal.connection.close();
    await watching?.cluster.stop();
    await watching?.held.stop();
  });
  return () => watching!;
}
