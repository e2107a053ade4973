/**
 * Records the histories that `replay.test.ts` replays: `npm run histories -- NAME …`, or all of them without a name. Run
 * it when a new kind of run exists, not to make the test pass: a stored history stands for runs that are under way when
 * new code is deployed.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { createFindingLauncher, notifyFindings } from '../../src/features/monitoring-agents/findings/index.ts';
import { findingWorkflowId } from '../../src/features/monitoring-agents/contract.ts';
import { Effect } from '../../src/features/effects/index.ts';
import { waitUntil } from '../support/wait-until.ts';
import { checkOf, observe, resultOf, seen, storeAgent } from '../features/monitoring-agents/findings/support.ts';
import { startHarness, type Harness, type HarnessOptions } from '../support/harness.ts';
import { stopTestServer } from '../support/database.ts';
import { taskOf } from '../features/chats/script.ts';
import { checkScenarios } from './instruction-checks.ts';
import { mirrorScenarios } from './mirrors.ts';
import { agentScenarios } from './monitoring-agents.ts';
import { pullRequestScenarios } from './pull-requests.ts';
import { byTurn, OUT_OF_SCRIPT, type Script, type ScriptedStep } from '../support/scripted-model/index.ts';
import { listSources, submitReport } from '../support/scripts.ts';
import { sampleIncident } from '../support/telemetry-source.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { installRuntime } from '../../temporal/runtime.ts';
import { ensureTemporalBinary } from '../../src/embedded/temporal-server.ts';
import { stopTemporal, temporalAddress } from '../support/temporal.ts';

const folder = join(import.meta.dirname, 'histories');

interface Scenario extends HarnessOptions {
  name: string;
  /** What is recorded; an investigation unless given. */
  begin?: (harness: Harness, question: string) => Promise<Begun>;
  /** What happens while it runs; by default nothing. */
  meanwhile?: (harness: Harness, id: string) => Promise<unknown>;
}

interface Begun {
  /** Of the investigation or the chat. */
  id: string;
  workflowId: string;
}

async function beginInvestigation(harness: Harness, question: string): Promise<Begun> {
  const id = await harness.investigate(question);
  return { id, workflowId: `investigation-${id}` };
}

async function beginChat(harness: Harness, question: string): Promise<Begun> {
  const response = await fetch(`${harness.url}/api/v1/chat?stream=true`, {
    method: 'POST',
    headers: { authorization: `Bearer ${harness.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ messages: [{ role: 'user', content: question }] }),
  });
  if (!response.ok || !response.body) throw new Error(`The API answered ${response.status}.`);
  let text = '';
  for await (const part of response.body.pipeThrough(new TextDecoderStream())) {
    text += part;
    const [, turnId, id] = /"messageId":"([^"]+)","chatId":"([^"]+)"/.exec(text) ?? [];
    if (turnId !== undefined && id !== undefined) return { id, workflowId: `chat-turn-${turnId}` };
  }
  throw new Error('The stream has no start.');
}

/** A finding that is over once its investigation was reported, of an agent without a channel. */
const beginFinding =
  (readsPerHistory?: number) =>
  async ({ database: { orm }, temporal, taskQueue }: Harness): Promise<Begun> => {
    const agent = await storeAgent(orm, { channel: null });
    const launcher = createFindingLauncher(temporal, { taskQueue, readsPerHistory });
    const teller = { orm, launcher, log: createLogger({ name: 'record', level: 'silent' }) };
    const check = checkOf({ recoveries: 1, cool_down_seconds: 0, judge: true });
    const say = async (isFinding: boolean): Promise<string> => {
      const changed = await observe(orm, agent, check, resultOf(seen('cart', isFinding)));
      await notifyFindings(teller, changed);
      return changed[0]!.id;
    };
    const id = await say(true);
    const reported = async (): Promise<true | undefined> =>
      (await orm.em.fork().count(Effect, { key: { $like: 'finding:%:report:%' } }, { filters: { team: false } })) > 0 ||
      undefined;
    await waitUntil(reported, { what: 'the report' });
    await say(false);
    return { id, workflowId: findingWorkflowId(id) };
  };

const sources = [sampleIncident()];
const held = { ...listSources, hold: { gate: 'hold', at: 'start' as const } };

/** Steps of a chat's turn; its title and summaries are asked for beside it. */
const chatting =
  (steps: ScriptedStep[]): Script =>
  ({ turn, request }) =>
    taskOf(request) === undefined ? (steps[turn] ?? OUT_OF_SCRIPT) : { text: 'Which sources there are' };

const shortRun = byTurn([listSources, submitReport]);
/** An investigation of something that a model found worth telling. */
const investigating: Script = (context) => {
  if (taskOf(context.request) === 'finding_judgement')
    return { text: '{"worth_telling": true, "title": "cart is slow", "reason": "Users wait."}' };
  return typeof shortRun === 'function' ? shortRun(context) : OUT_OF_SCRIPT;
};

const scenarios: Scenario[] = [
  ...checkScenarios,
  ...agentScenarios,
  ...mirrorScenarios,
  ...pullRequestScenarios,
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
  {
    name: 'chat-answered',
    script: chatting([listSources, { text: 'There is one source [1].' }]),
    sources,
    begin: beginChat,
  },
  {
    name: 'chat-continued-as-new',
    script: chatting([listSources, listSources, { text: 'There is one source [1].' }]),
    sources,
    budget: { stepsPerHistory: 1 },
    begin: beginChat,
  },
  {
    name: 'chat-compacted',
    script: chatting([{ ...listSources, usage: { input_tokens: 50_000 } }, { text: 'There is one source [1].' }]),
    sources,
    budget: { compactAtTokens: 20_000 },
    begin: beginChat,
  },
  {
    name: 'chat-failed-model',
    script: byTurn([{ error: { status: 401, type: 'authentication_error', message: 'no' } }]),
    begin: beginChat,
  },
  {
    name: 'chat-cancelled',
    script: byTurn([held]),
    sources,
    begin: beginChat,
    meanwhile: async (harness, id) => {
      await harness.model.waitForHold('hold');
      await harness.request('POST', `/api/chat/${id}/cancel`);
    },
  },
  { name: 'finding', script: investigating, sources, begin: beginFinding() },
  { name: 'finding-continued-as-new', script: investigating, sources, begin: beginFinding(2) },
];

const binary = await ensureTemporalBinary({ info: console.error, warn: console.error });
const show = ['workflow', 'show', '--output', 'json', '--address', await temporalAddress()];
installRuntime(createLogger({ name: 'record', level: 'silent' }));
mkdirSync(folder, { recursive: true });
const wanted = process.argv.slice(2);
for (const { name, begin = beginInvestigation, meanwhile, ...options } of scenarios) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const harness = await startHarness(options);
  const { id, workflowId } = await begin(harness, `Recorded for replay: ${name}`);
  await meanwhile?.(harness, id);
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
    // Neither the folder of the checkout nor the machine is anybody's business, and a replay needs neither.
    const anonymous = history
      .replaceAll(`${process.cwd()}/`, '')
      .replaceAll(`${process.pid}@${hostname()}`, '1@worker');
    writeFileSync(join(folder, `${name}${part}.json`), anonymous);
  }
  await harness.stop();
}
await Promise.all([stopTestServer(), stopTemporal()]);
process.exit(0);
