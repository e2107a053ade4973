import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import {
  agentQuery,
  monitoringAgentWorkflowId,
  settingsSignal,
  type AgentSettings,
} from '../src/features/monitoring-agents/contract.ts';
import { TASK_QUEUE } from '../temporal/queues.ts';
import type { Benchmark, BenchOptions, BenchReport } from './benchmark.ts';
import { compared, type BenchResult } from './result.ts';
import { greenPlan } from './support/monitoring-fleet.ts';
import { withMonitoringStack, type MonitoringStack } from './support/monitoring-stack.ts';
import { median, quantile, significant } from './support/statistics.ts';
import { bareEnd, bareRevision, bareSettings } from './workflows/timers.ts';

const ROUNDS = 120;
const WARM_UP = 10;
/** Between two questions, and between two rounds. */
const PAUSE_MS = 2;
const REST_MS = 50;
const CHECKS = 3;
const TARGET_MS = 200;

/**
 * From the moment at which a change of a plan is sent until the workflow's query answers with it: sent over the API, whose
 * answer is not waited for, with a change of words and with one that has its check run at once; and sent as a signal directly,
 * against a bare workflow that does nothing but take settings and answer with them. Rounds take turns. On one agent with
 * three checks, which are not due meanwhile.
 */
export const monitoringPlanUpdate: Benchmark = {
  name: 'monitoring-plan-update',
  about: 'from a change of a plan to the query that answers with it',
  run: (options) => withMonitoringStack(options, (stack) => measure(options, stack)),
};

type Way = 'words' | 'check' | 'signal' | 'bare';
const ways: readonly Way[] = ['words', 'check', 'signal', 'bare'];

async function measure({ say, signal }: BenchOptions, stack: MonitoringStack): Promise<BenchReport> {
  const { client } = stack;
  const { chat_id: id } = await stack.call<{ chat_id: string }>('POST', '/api/monitoring-chat', {
    message: 'Watch the shop.',
    plan: greenPlan(CHECKS, 86_400),
  });
  const agent = client.workflow.getHandle(monitoringAgentWorkflowId(id));
  // A twin updated only by signals: the revisions of the first come from the API.
  const told = client.workflow.getHandle(monitoringAgentWorkflowId(await twinOf(stack)));
  const bare = await client.workflow.start('bareHolder', { taskQueue: TASK_QUEUE, workflowId: `bare-${id}`, args: [] });
  const [settings, toldSettings] = [await settingsOf(agent, signal), await settingsOf(told, signal)];

  const took: Record<Way, number[]> = { words: [], check: [], signal: [], bare: [] };
  const patch = (body: object): Promise<unknown> => stack.call('PATCH', `/api/monitoring-chat/${id}/plan`, body);
  let revision = settings.revision;
  const round = async (way: Way, number: number): Promise<number> => {
    const next: AgentSettings = { ...toldSettings, revision: toldSettings.revision + number + 1 };
    const from = performance.now();
    let sent: Promise<unknown>;
    let isThere: () => Promise<boolean>;
    if (way === 'bare') {
      sent = bare.signal(bareSettings, next);
      isThere = async () => (await bare.query(bareRevision)) >= next.revision;
    } else if (way === 'signal') {
      sent = told.signal(settingsSignal, next);
      isThere = async () => (await told.query(agentQuery)).settings.revision >= next.revision;
    } else {
      revision += 1;
      const check = { id: 'check-0', check: { condition: { type: 'threshold', operator: '<', value: -number } } };
      sent = patch({ plan: way === 'words' ? { summary: `Round ${number}.` } : { checks: [check] } });
      isThere = async () => (await agent.query(agentQuery)).settings.revision >= revision;
    }
    sent.catch(() => undefined);
    while (!(await isThere())) await sleep(PAUSE_MS, undefined, { signal });
    const ms = performance.now() - from;
    await sent;
    await sleep(REST_MS, undefined, { signal });
    return ms;
  };

  say(`${ROUNDS} rounds`);
  for (let number = 0; number < WARM_UP + ROUNDS; number++) {
    for (let turn = 0; turn < ways.length; turn++) {
      const way = ways[(number + turn) % ways.length]!;
      const ms = await round(way, number);
      if (number >= WARM_UP) took[way].push(ms);
    }
  }
  await bare.signal(bareEnd);
  return report(took);
}

async function twinOf(stack: MonitoringStack): Promise<string> {
  const body = { message: 'Watch the shop.', plan: greenPlan(CHECKS, 86_400) };
  return (await stack.call<{ chat_id: string }>('POST', '/api/monitoring-chat', body)).chat_id;
}

/** Once all of its first checks have said something. */
async function settingsOf(agent: WorkflowHandle, signal: AbortSignal): Promise<AgentSettings> {
  for (;;) {
    // It may have been started this moment, with no settings yet.
    const state = await agent.query(agentQuery).catch(() => undefined);
    if (state?.checks.length === CHECKS && state.checks.every(({ last }) => last !== undefined)) return state.settings;
    await sleep(REST_MS, undefined, { signal });
  }
}

const p95 = (values: readonly number[]): number => quantile(values, 0.95);

function report(took: Record<Way, number[]>): BenchReport {
  const figure = (name: string, way: Way, at: (values: readonly number[]) => number, target?: number): BenchResult =>
    compared(name, significant(at(took[way])), 'ms', 'bare workflow, signal to query', significant(at(took.bare)), {
      note: `${took[way].length} changes; load average ${loadavg()[0]!.toFixed(1)}`,
      ...(target === undefined ? {} : { target: `< ${target} ms`, met: at(took[way]) < target }),
    });
  return {
    results: [
      figure('PATCH of a plan until the query has it, median', 'words', median),
      figure('PATCH of a plan until the query has it, p95', 'words', p95, TARGET_MS),
      figure('PATCH that has a check run, until the query has it, median', 'check', median),
      figure('PATCH that has a check run, until the query has it, p95', 'check', p95, TARGET_MS),
      figure('signal until the query has it, median', 'signal', median),
      figure('signal until the query has it, p95', 'signal', p95),
    ],
  };
}
