/** A worker for mirrors in a process of its own, to be killed. */
import { createMirrorActivities } from '../../activities/mirrors.ts';
import { openOrm } from '../../src/db/orm.ts';
import { createMirrorLauncher } from '../../src/features/code-hosts/launch.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { entities } from '../../src/rooms.ts';
import { createTemporalClient } from '../../temporal/connection.ts';
import { installRuntime } from '../../temporal/runtime.ts';
import { createWorker } from '../../temporal/worker.ts';
import { buildMirrors } from './mirror-workflows.ts';

export interface MirrorWorkerInput {
  databaseUrl: string;
  address: string;
  taskQueue: string;
  workflowBundle: string;
  home: string;
  /** The Git executable. */
  program: string;
  staleMs: number;
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the test's own
const input = JSON.parse(process.argv[2] ?? '') as MirrorWorkerInput;
const { databaseUrl, address, taskQueue, workflowBundle, home, program, staleMs } = input;
const log = createLogger({ name: 'worker', level: process.env['LOG_LEVEL'] ?? 'silent' });
installRuntime(log);
const orm = await openOrm({ entities, databaseUrl });
const target = { address, namespace: 'default' };
const launcher = createMirrorLauncher(createTemporalClient(target), { taskQueue });
const { mirrors } = buildMirrors({ orm, log, launcher, home, program, staleMs });
const { worker, run } = await createWorker({
  ...target,
  taskQueue,
  workflowBundle,
  activities: createMirrorActivities({ mirrors }),
  worker: { shutdownGraceTime: '100ms', shutdownForceTime: '5s' },
});
process.once('SIGTERM', () => worker.shutdown());
process.stdout.write('ready\n');
await run();
process.exit(0);
