/** POST /api/monitor on a real PostgreSQL and a real Temporal server, on which no worker takes the tasks. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { createTemporalClient } from '../../../../temporal/connection.ts';
import { openOrm } from '../../../../src/db/orm.ts';
import { entities } from '../../../../src/rooms.ts';
import { forTeam } from '../../../../src/db/team-filter.ts';
import { monitoringAgentWorkflowId, type CheckNow } from '../../../../src/features/monitoring-agents/contract.ts';
import { createFindingLauncher } from '../../../../src/features/monitoring-agents/findings/index.ts';
import { createAgentLauncher } from '../../../../src/features/monitoring-agents/launch.ts';
import { Plan, type PlanInput } from '../../../../src/features/monitoring-agents/plan/schema.ts';
import { list } from '../../../../src/features/monitoring-agents/routes/agents.ts';
import type { MonitoringDeps } from '../../../../src/features/monitoring-agents/routes/deps.ts';
import { trigger } from '../../../../src/features/monitoring-agents/routes/trigger.ts';
import { createAgent, type MonitoringServiceDeps } from '../../../../src/features/monitoring-agents/service.ts';
import { createAlertLimiter } from '../../../../src/features/monitoring-agents/triggers/alerts.ts';
import type { TriggerServiceDeps } from '../../../../src/features/monitoring-agents/triggers/service.ts';
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
  deps: TriggerServiceDeps & Pick<MonitoringServiceDeps, 'orm'>;
  /** A team of its own, so that tests do not meet. */
  newTeam(): TestTeam;
  stop(): Promise<void>;
}

export interface TestTeam {
  id: string;
  key: string;
  post(body: unknown, options?: { chatId?: string; headers?: Record<string, string> }): Promise<Reply>;
  em(): ReturnType<typeof forTeam>;
  /** Asks for the team's agents. */
  list(): Promise<Reply>;
  newAgent(options?: { title?: string; active?: boolean; plan?: PlanInput }): Promise<string>;
  /** What an agent's workflow was told, in order. */
  toldTo(agentId: string): Promise<CheckNow[]>;
}

/** @param options.poolSize most connections of the API, if it is to have a pool of its own */
export async function startTriggerApi(options: { poolSize?: number } = {}): Promise<TriggerApi> {
  const database = await createTestDatabase();
  const temporal = createTemporalClient({ address: await temporalAddress(), namespace: 'default' });
  const taskQueue = `test-${randomBytes(6).toString('hex')}`;
  const clock = new ManualClock();
  const log = createLogger({ name: 'test', level: 'silent' });
  const { poolSize } = options;
  const orm = poolSize === undefined ? database.orm : await openOrm({ entities, databaseUrl: database.url, poolSize });
  const launcher = createAgentLauncher(temporal, { taskQueue });
  const monitoring = {
    orm,
    clock,
    log,
    launcher,
    findings: { orm, log, launcher: createFindingLauncher(temporal, { taskQueue }) },
    alertLimiter: createAlertLimiter(),
  };
  const keys: Parameters<typeof knownKeys>[0] = {};
  const served = [trigger, list];
  const api = await startApi<MonitoringDeps>(served, { orm, clock, monitoring, authenticator: knownKeys(keys) });

  const newTeam = (): TestTeam => {
    const [id, key] = [randomUUID(), randomUUID()];
    keys[key] = { credentialId: randomUUID(), teamId: id, scopes: ['monitoring:trigger', 'monitoring:read'] };
    const em = () => forTeam(database.orm.em, id);
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
      list: () => send(`${api.url}/api/monitoring-chat/list`, { headers: { 'x-api-key': key } }),
      async newAgent({ title = 'shop watch', active = true, plan = {} } = {}) {
        const agentId = randomUUID();
        const wanted = { id: agentId, title, active, channel: null, plan: Plan.parse(plan) };
        await em().transactional(async (tx) => void createAgent({ clock }, tx, { teamId: id, scopes: [] }, wanted));
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
      if (orm !== database.orm) await orm.close(true);
      await database.drop();
    },
  };
}
