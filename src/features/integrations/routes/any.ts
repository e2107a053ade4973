/** What every integration can do, whatever its family: be tested, be turned off, and say who uses it. */
import { grants } from '../../../http/authenticate.ts';
import { endpointFor } from '../../../http/endpoint.ts';
import type { EntityManager } from '../../../db/orm.ts';
import { agentsThatName } from '../../monitoring-agents/index.ts';
import { namesFor } from '../../tools/index.ts';
import { conversationsThatQueried, readableKinds, type ReadScopes } from '../../transcripts/index.ts';
import type { IntegrationDeps } from '../deps.ts';
import { Integration } from '../entities.ts';
import { integrationNotFound } from '../errors.ts';
import { presentTest } from '../presenter.ts';
import {
  IntegrationParams,
  IntegrationResponse,
  TestResponse,
  ToggleRequest,
  UsageResponse,
} from '../schemas/shared.ts';
import { testStored, toggle } from '../service.ts';
import { present, reading, serviceDeps, tags, writing } from './shared.ts';

const endpoint = endpointFor<IntegrationDeps & { readScopes: ReadScopes }>();
const path = '/api/integrations/{integration_id}';
const MAX_RUNS = 5;
const NONE_RESERVED: ReadonlySet<string> = new Set();

/** @throws {NotFound} */
async function findAny(em: EntityManager, id: string): Promise<Integration> {
  const row = await em.findOne(Integration, { id, status: { $ne: 'pending' } });
  if (!row) throw integrationNotFound();
  return row;
}

export const any = [
  endpoint({
    method: 'post',
    path: `${path}/test`,
    operationId: 'testIntegration',
    summary: 'Test an integration now, and record the outcome',
    tags,
    auth: writing,
    params: IntegrationParams,
    response: TestResponse,
    errors: [404],
    handler: async ({ em, params: { integration_id: id }, deps, signal }) => {
      const { family } = await findAny(em.fork(), id);
      return presentTest(family, await testStored(serviceDeps(deps), em, family, id, signal));
    },
  }),
  endpoint({
    method: 'post',
    path: `${path}/toggle`,
    operationId: 'toggleIntegration',
    summary: 'Turn an integration off or on',
    tags,
    auth: writing,
    params: IntegrationParams,
    body: ToggleRequest,
    response: IntegrationResponse,
    errors: [404],
    handler: async ({ em, params: { integration_id: id }, body: { enabled }, principal, deps }) => {
      const { family } = await findAny(em.fork(), id);
      return present(deps.integrations, em, await toggle(deps, em, principal, family, id, enabled));
    },
  }),
  endpoint({
    method: 'get',
    path: `${path}/usage`,
    operationId: 'getIntegrationUsage',
    summary: 'List the runs that last used an integration, and the monitoring agents whose plans name it',
    description:
      'Leaves out what the key may not read: investigations without `investigations:read`, chats without `chats:read`, monitoring agents and their checks without `monitoring:read`.',
    tags,
    auth: reading,
    params: IntegrationParams,
    response: UsageResponse,
    errors: [404],
    handler: async ({ em, params: { integration_id: id }, principal, deps: { integrations, readScopes } }) => {
      const row = await findAny(em.fork(), id);
      const { source_id: source, tools } = await present(integrations, em.fork(), row);
      const names = namesFor(
        tools.map(({ name }) => [row.slug, name]),
        NONE_RESERVED,
      );
      const kinds = readableKinds(readScopes, principal.scopes);
      const runs = await conversationsThatQueried(em.fork(), principal.teamId, source, { kinds, limit: MAX_RUNS });
      const seesAgents = grants(principal.scopes, 'monitoring:read');
      const agents = seesAgents ? await agentsThatName(em.fork(), [source, ...names]) : [];
      return {
        runs: runs.map(({ at, ...run }) => ({ ...run, last_used_at: at.toISOString() })),
        monitoring_agents: agents.map((agent) => ({ chat_id: agent.id, title: agent.title })),
      };
    },
  }),
];
