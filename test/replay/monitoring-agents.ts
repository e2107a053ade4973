/** Monitoring agents that live through what an agent can live through, and are deleted at the end, to be recorded. */
import { setTimeout as sleep } from 'node:timers/promises';
import { waitUntil } from '../support/wait-until.ts';
import {
  agentQuery,
  monitoringAgentWorkflowId,
  type AgentState,
} from '../../src/features/monitoring-agents/contract.ts';
import { SourceError, type TelemetrySource } from '../../src/features/sources/port.ts';
import { instruction, use } from '../features/monitoring-agents/conversation/support.ts';
import type { Harness } from '../support/harness.ts';
import { byTurn } from '../support/scripted-model/index.ts';
import { listSources } from '../support/scripts.ts';
import { memorySource, sampleIncident } from '../support/telemetry-source.ts';

interface Queue {
  length: number;
  isBroken?: boolean;
  delayMs?: number;
}

function queueSource(): { queue: Queue; source: TelemetrySource } {
  const queue: Queue = { length: 1 };
  const source = memorySource({ id: 'queues', series: [] });
  source.queryMetric = async ({ metric, from, to }, { signal }) => {
    if (queue.delayMs !== undefined) await sleep(queue.delayMs, undefined, { signal });
    if (queue.isBroken) throw new SourceError('the queue service does not answer');
    const timestamps = Array.from({ length: 10 }, (_, index) => from + ((to - from) * index) / 10);
    return [{ service: 'orders', metric, timestamps, values: timestamps.map(() => queue.length) }];
  };
  return { queue, source };
}

const queueCheck = (more: object = {}) => ({
  id: 'queue',
  title: 'Queue of orders',
  check: {
    type: 'metric',
    source: 'queues',
    metric: 'queue_length',
    window_seconds: 60,
    condition: { type: 'threshold', operator: '>', value: 100 },
  },
  schedule: { every_seconds: 3_600 },
  on_finding: ['notify'],
  recoveries: 1,
  ...more,
});

/** Tells an agent something, and waits until its workflow is as wanted. */
class Told {
  readonly harness: Harness;
  readonly id: string;

  constructor(harness: Harness, id: string) {
    this.harness = harness;
    this.id = id;
  }

  async send(method: string, path = '', body?: object): Promise<void> {
    const { status, body: answer } = await this.harness.request(method, `/api/monitoring-chat/${this.id}${path}`, body);
    if (status !== 200) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(answer)}`);
  }

  async until(what: string, wanted: (state: AgentState) => boolean): Promise<AgentState> {
    const handle = this.harness.temporal.workflow.getHandle(monitoringAgentWorkflowId(this.id));
    return waitUntil(
      async () => {
        const state = await handle.query(agentQuery);
        return wanted(state) ? state : undefined;
      },
      { what },
    );
  }

  /** Has everything run now, and waits for the result. */
  async run(): Promise<void> {
    const { checks } = await this.until('what was run last', () => true);
    const before = checks.map(({ last }) => last?.sessionId);
    await this.send('POST', '/run', {});
    await this.until('a run', (state) =>
      state.checks.every(({ last }, index) => last && last.sessionId !== before[index]),
    );
  }
}

const begin =
  (checks: object[]) =>
  async (harness: Harness, title: string): Promise<{ id: string; workflowId: string }> => {
    const { status, body } = await harness.request('POST', '/api/monitoring-chat', {
      message: title,
      title: 'Orders',
      plan: { checks },
    });
    if (status !== 200) throw new Error(`no agent was made: ${status} ${JSON.stringify(body)}`);
    const { chat_id: id } = body as { chat_id: string };
    return { id, workflowId: monitoringAgentWorkflowId(id) };
  };

function living(
  name: string,
  live: (agent: Told, queue: Queue) => Promise<void>,
  options: { checks?: object[]; script?: ReturnType<typeof byTurn>; eventsPerHistory?: number } = {},
) {
  const { queue, source } = queueSource();
  const { checks = [queueCheck()], script = byTurn([]), eventsPerHistory } = options;
  return {
    name,
    script,
    sources: [source, sampleIncident()],
    begin: begin(checks),
    ...(eventsPerHistory === undefined ? {} : { eventsPerHistory }),
    async meanwhile(harness: Harness, id: string): Promise<void> {
      const agent = new Told(harness, id);
      await agent.until('the first run', (state) => state.checks[0]?.running === true || !!state.checks[0]?.last);
      await live(agent, queue);
      await agent.send('DELETE');
    },
  };
}

const limit = (value: number) => ({
  plan: { checks: [{ id: 'queue', check: { condition: { type: 'threshold', operator: '>', value } } }] },
});

const observations = [{ subject: 'sources', text: 'There are sources.', evidence: [1], excerpts: ['"sources":'] }];
const submitted = use('submit_check_result', { status: 'finding', summary: 'There are sources.', observations });

/** What is recorded of agents, as `record.ts` takes it. */
export const agentScenarios = [
  living(
    'agent-scheduled',
    async (agent) => {
      const seen = new Set<string | undefined>();
      await agent.until('three runs', ({ checks }) => seen.add(checks[0]?.last?.sessionId).size > 3);
    },
    { checks: [queueCheck({ schedule: { every_seconds: 5 } })] },
  ),
  living('agent-changed', async (agent, queue) => {
    await agent.until('a result', ({ checks }) => checks[0]?.last?.status === 'ok');
    await agent.run();
    Object.assign(queue, { length: 500, delayMs: 30_000 });
    await agent.send('POST', '/run', {});
    await agent.until('a run under way', ({ checks }) => checks[0]?.running === true);
    queue.delayMs = undefined;
    await agent.send('PATCH', '/plan', limit(200));
    await agent.until('a finding by the new plan', ({ checks }) => checks[0]?.last?.status === 'finding');
    await agent.send('POST', '/pause');
    await agent.until('the pause', ({ settings }) => !settings.active);
    queue.length = 1;
    await agent.send('POST', '/resume');
    await agent.until('a run after it', ({ checks }) => checks[0]?.last?.status === 'ok');
  }),
  living('agent-degraded', async (agent, queue) => {
    await agent.until('a result', ({ checks }) => checks[0]?.last?.status === 'ok');
    queue.isBroken = true;
    await agent.run();
    await agent.run();
    await agent.until('degraded', ({ health }) => health === 'degraded');
    queue.isBroken = false;
    await agent.run();
    await agent.until('healthy', ({ health }) => health === 'healthy');
  }),
  living(
    'agent-instruction',
    async (agent) => {
      await agent.until('both results', ({ checks }) => checks.length > 0 && checks.every(({ last }) => last));
      await agent.run();
    },
    {
      checks: [queueCheck(), instruction('look', 'Are there sources?', { max_steps: 4 })],
      script: byTurn([listSources, submitted]),
    },
  ),
  living(
    'agent-continued-as-new',
    async (agent) => {
      for (let run = 0; run < 6; run += 1) await agent.run();
    },
    { eventsPerHistory: 50 },
  ),
];
