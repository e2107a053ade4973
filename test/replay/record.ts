/**
 * Records the histories that `replay.test.ts` replays: `npm run histories`. Run it when a new kind of run exists, not to
 * make the test pass: a stored history stands for runs that are under way when new code is deployed.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { startHarness, type Harness, type HarnessOptions } from '../support/harness.ts';
import { stopTestServer } from '../support/database.ts';
import { byTurn } from '../support/scripted-model/index.ts';
import { listSources, submitReport } from '../support/scripts.ts';
import { sampleIncident } from '../support/telemetry-source.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { installRuntime } from '../../temporal/runtime.ts';
import { ensureTemporalBinary } from '../../src/embedded/temporal-server.ts';
import { stopTemporal, temporalAddress } from '../support/temporal.ts';

const folder = join(import.meta.dirname, 'histories');

interface Scenario extends HarnessOptions {
  name: string;
  /** What happens while it runs; by default nothing. */
  meanwhile?: (harness: Harness, id: string) => Promise<unknown>;
}

const sources = [sampleIncident()];
const held = { ...listSources, hold: { gate: 'hold', at: 'start' as const } };

const scenarios: Scenario[] = [
  { name: 'completed', script: byTurn([listSources, submitReport]), sources },
  {
    name: 'continued-as-new',
    script: byTurn([listSources, listSources, submitReport]),
    sources,
    budget: { stepsPerHistory: 1 },
  },
  { name: 'limit-of-steps', script: byTurn([listSources, submitReport]), sources, budget: { maxSteps: 1 } },
  { name: 'repeated-calls', script: () => listSources, sources },
  {
    name: 'failed-model',
    script: byTurn([{ error: { status: 401, type: 'authentication_error', message: 'no' } }]),
    sources,
  },
  {
    name: 'cancelled',
    script: byTurn([held]),
    sources,
    meanwhile: async (harness, id) => {
      await harness.model.waitForHold('hold');
      await harness.request('POST', `/api/investigations/${id}/cancel`);
    },
  },
  {
    name: 'message',
    script: byTurn([held, submitReport]),
    sources,
    meanwhile: async (harness, id) => {
      await harness.model.waitForHold('hold');
      await harness.request('POST', `/api/investigations/${id}/messages`, { text: 'Look at payment.' });
      harness.model.release('hold');
    },
  },
];

const binary = await ensureTemporalBinary({ info: console.error, warn: console.error });
const show = ['workflow', 'show', '--output', 'json', '--address', await temporalAddress()];
installRuntime(createLogger({ name: 'record', level: 'silent' }));
mkdirSync(folder, { recursive: true });
for (const { name, meanwhile, ...options } of scenarios) {
  const harness = await startHarness(options);
  const id = await harness.investigate(`Recorded for replay: ${name}`);
  await meanwhile?.(harness, id);
  await harness.untilEnded(id);
  const workflowId = `investigation-${id}`;
  await harness.temporal.workflow
    .getHandle(workflowId)
    .result()
    .catch(() => undefined);
  for await (const { runId } of harness.temporal.workflow.list({ query: `WorkflowId = '${workflowId}'` })) {
    const history = execFileSync(binary, [...show, '--workflow-id', workflowId, '--run-id', runId], {
      encoding: 'utf8',
      maxBuffer: 1e8,
    });
    const part = history.includes('EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW') ? '-part' : '';
    // Stack traces name the folder of the checkout, which is nobody's business and changes nothing in a replay.
    writeFileSync(join(folder, `${name}${part}.json`), history.replaceAll(`${process.cwd()}/`, ''));
  }
  await harness.stop();
}
await Promise.all([stopTestServer(), stopTemporal()]);
process.exit(0);
