/** A gauge that a test turns up and down, and an agent that watches it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { waitUntil } from '../../support/wait-until.ts';
import { SourceError, type TelemetrySource } from '../../../src/features/sources/port.ts';
import type { Harness } from '../../support/harness.ts';
import { memorySource } from '../../support/telemetry-source.ts';

/** What a gauge says, as a test wants it. */
export interface Gauge {
  value: number;
  /** Answers fail with this. */
  failure?: string;
  /** Answers take so long, ms. */
  delayMs?: number;
  /** Answers wait for this. */
  held?: Promise<void>;
  /** Whatever it is: what comes back instead of series. */
  garbage?: unknown;
  /** How often it was asked. */
  asked: number;
}

/** A source `gauge` whose metric `queue_length` of service `orders` has the gauge's value, now and always before. */
export function gaugeSource(): { source: TelemetrySource; gauge: Gauge } {
  const gauge: Gauge = { value: 1, asked: 0 };
  const source = memorySource({ id: 'gauge', series: [] });
  source.queryMetric = async ({ metric, from, to }, { signal }) => {
    gauge.asked += 1;
    if (gauge.delayMs !== undefined) await sleep(gauge.delayMs, undefined, { signal });
    await gauge.held;
    if (gauge.failure !== undefined) throw new SourceError(gauge.failure);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- garbage on purpose
    if (gauge.garbage !== undefined) return gauge.garbage as never;
    const timestamps = Array.from({ length: 10 }, (_, index) => from + ((to - from) * index) / 10);
    return [{ service: 'orders', metric, timestamps, values: timestamps.map(() => gauge.value) }];
  };
  return { source, gauge };
}

/** A check of the gauge: a finding above 100. */
export const gaugeCheck = (more: object = {}): Record<string, unknown> => ({
  id: 'queue',
  title: 'Queue of orders',
  check: {
    type: 'metric',
    source: 'gauge',
    metric: 'queue_length',
    window_seconds: 60,
    condition: { type: 'threshold', operator: '>', value: 100 },
  },
  schedule: { every_seconds: 3600 },
  recoveries: 1,
  ...more,
});

export interface SessionSummary {
  id: string;
  check_id: string;
  status: string;
  summary: string;
  trigger: string;
  missed: number;
  scheduled_at: string;
}

/** An agent as tests drive it, over the API. */
export interface DrivenAgent {
  id: string;
  /** A path of the agent's own. */
  at(path: string): string;
  patchPlan(body: object): Promise<{ status: number; body: never }>;
  runNow(): Promise<void>;
  sessions(): Promise<SessionSummary[]>;
  /** Waits until so many sessions have ended. @returns them, the oldest first */
  untilSessions(count: number): Promise<SessionSummary[]>;
  findings(): Promise<
    { id: string; status: string; title: string; occurrences: number; investigation: { id: string } | null }[]
  >;
  plan(): Promise<{
    version: number;
    answered_by: string;
    status: string;
    reasons: string[];
    checks: never[];
    active: boolean;
  }>;
  untilPlan<T>(what: string, wanted: (plan: Awaited<ReturnType<DrivenAgent['plan']>>) => T | undefined): Promise<T>;
}

/** Makes an agent with a plan. */
export async function startAgent(
  harness: Pick<Harness, 'request'>,
  checks: object[],
  more: Record<string, unknown> = {},
): Promise<DrivenAgent> {
  const { status, body } = await harness.request('POST', '/api/monitoring-chat', {
    message: 'Watch the queue of orders.',
    title: 'Orders',
    plan: { summary: 'The queue of orders', checks },
    ...more,
  });
  if (status !== 200) throw new Error(`no agent was made: ${status} ${JSON.stringify(body)}`);
  return driveAgent(harness, (body as { chat_id: string }).chat_id);
}

export function driveAgent({ request }: Pick<Harness, 'request'>, id: string): DrivenAgent {
  const at = (path: string): string => `/api/monitoring-chat/${id}${path}`;
  const get = async (path: string): Promise<never> => {
    const { status, body } = await request('GET', at(path));
    if (status !== 200) throw new Error(`GET ${path}: ${status} ${JSON.stringify(body)}`);
    return body;
  };
  const sessions = async (): Promise<SessionSummary[]> =>
    ((await get('/sessions?count=100')) as { sessions: SessionSummary[] }).sessions;
  const plan = (): Promise<never> => get('/plan');
  return {
    id,
    at,
    patchPlan: (body) => request('PATCH', at('/plan'), body),
    async runNow() {
      const { status, body } = await request('POST', at('/run'));
      if (status !== 200) throw new Error(`run: ${status} ${JSON.stringify(body)}`);
    },
    sessions,
    untilSessions: (count) =>
      waitUntil(
        async () => {
          const ended = (await sessions()).filter(({ status }) => status !== 'running').toReversed();
          return ended.length >= count ? ended : undefined;
        },
        { what: `${count} sessions of agent ${id}` },
      ),
    findings: async () => ((await get('/findings')) as { findings: never[] }).findings,
    plan,
    untilPlan: (what, wanted) => waitUntil(async () => wanted(await plan()), { what }),
  };
}
