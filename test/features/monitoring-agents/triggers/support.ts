/** POST /api/monitor on a real PostgreSQL and a real Temporal server, on which no worker takes the tasks. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { createTemporalClient } from '../../../../temporal/connection.ts';
import { forTeam } from '../../../../src/db/team-filter.ts';
import { monitoringAgentWorkflowId, type CheckNow } from '../../../../src/features/monitoring-agents/contract.ts';
import { createFindingLauncher } from '../../../../src/features/monitoring-agents/findings/index.ts';
import { createAgentLauncher } from '../../../../src/features/monitoring-agents/launch.ts';
import { Plan, type PlanInput } from '../../../../src/features/monitoring-agents/plan/schema.ts';
import { trigger, type TriggerDeps } from '../../../../src/features/monitoring-agents/routes/trigger.ts';
import { createAgent } from '../../../../src/features/monitoring-agents/service.ts';
import { createLogger } from '../../../../src/platform/logger.ts';
import { knownKeys, ManualClock, send, startApi, type Reply } from '../../../http/support/api.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/database.ts';
import { temporalAddress } from '../../../support/temporal.ts';

export interface TriggerApi {
  database: TestDatabase;
  url: string;
  clock: ManualClock;
  temporal: Client;
  /** Tests put launchers there that reach nobody. */
  deps: TriggerDeps['monitoring'];
  /** A team of its own, so that tests do not meet. */
  newTeam(): TestTeam;
  stop(): Promise<void>;
}

export interface TestTeam {
  id: string;
  key: string;
  post(body: unknown, options?: { chatId?: string; headers?: Record<string, string> }): Promise<Reply>;
  em(): ReturnType<typeof forTeam>;
  newAgent(options?: { title?: string; active?: boolean; plan?: PlanInput }): Promise<string>;
  /** What an agent's workflow was told, in order. */
  toldTo(agentId: string): Promise<CheckNow[]>;
}

export async function startTriggerApi(): Promise<TriggerApi> {
  const database = await createTestDatabase();
  const temporal = createTemporalClient({ address: await temporalAddress(), namespace: 'default' });
  const taskQueue = `test-${randomBytes(6).toString('hex')}`;
  const clock = new ManualClock();
  const log = createLogger({ name: 'test', level: 'silent' });
  const { orm } = database;
  const launcher = createAgentLauncher(temporal, { taskQueue });
  const monitoring = {
    clock,
    log,
    launcher,
    findings: { orm, log, launcher: createFindingLauncher(temporal, { taskQueue }) },
  };
  const keys: Parameters<typeof knownKeys>[0] = {};
  const api = await startApi([trigger], { orm, clock, monitoring, authenticator: knownKeys(keys) });

  const newTeam = (): TestTeam => {
    const [id, key] = [randomUUID(), randomUUID()];
    keys[key] = { apiKeyId: randomUUID(), teamId: id, scopes: ['monitoring:trigger'] };
    const em = () => forTeam(orm.em, id);
    return {
      id,
      key,
      em,
      post: (body, { chatId, headers = {} } = {}) =>
        send(`${api.url}/api/monitor${chatId === undefined ? '' : `?chat_id=${chatId}`}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
          body: typeof body === 'string' ? body : JSON.stringify(body),
        }),
      async newAgent({ title = 'shop watch', active = true, plan = {} } = {}) {
        const agentId = randomUUID();
        const wanted = { id: agentId, title, active, channel: null, plan: Plan.parse(plan) };
        await em().transactional(async (tx) => void createAgent({ clock }, tx, { teamId: id }, wanted));
        return agentId;
      },
      async toldTo(agentId) {
        const { events } = await temporal.workflow.getHandle(monitoringAgentWorkflowId(agentId)).fetchHistory();
        return (events ?? []).flatMap(({ workflowExecutionSignaledEventAttributes: signal }) =>
          signal ? [JSON.parse(Buffer.from(signal.input?.payloads?.[0]?.data ?? []).toString()) as CheckNow] : [],
        );
      },
    };
  };
  return {
    database,
    url: api.url,
    clock,
    temporal,
    deps: monitoring,
    newTeam,
    async stop() {
      await api.stop();
      await temporal.connection.close();
      await database.drop();
    },
  };
}
