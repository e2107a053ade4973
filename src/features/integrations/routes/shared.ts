import type { EntityManager } from '../../../db/orm.ts';
import { apiKey } from '../../../http/authenticate.ts';
import type { z } from 'zod';
import type { ConnectorOperation } from '@casebook/connectors';
import { QueryError } from '@casebook/connectors';
import { SecretError } from '../../../platform/secrets.ts';
import type { IntegrationDeps, Integrations } from '../deps.ts';
import { Integration, type FamilyName } from '../entities.ts';
import { creatorsOf, presentIntegration, type Opened } from '../presenter.ts';
import type { IntegrationResponse } from '../schemas/shared.ts';
import type { IntegrationServiceDeps } from '../service.ts';

export const tags = ['Integrations'];
export const reading = apiKey('integrations:read');
export const writing = apiKey('integrations:write');

export const serviceDeps = ({ integrations }: IntegrationDeps): IntegrationServiceDeps => integrations.service;

/** Integrations as responses show them. */
export async function presentAll(
  { opened, connections, toolsOf }: Integrations,
  em: EntityManager,
  rows: readonly Integration[],
): Promise<z.input<typeof IntegrationResponse>[]> {
  const creators = await creatorsOf(em.fork(), rows);
  const openedOf = async (row: Integration): Promise<Opened> => {
    const tools = await toolsOf(row);
    const operationsOf = (target: Parameters<typeof connections.operations>[0]): readonly ConnectorOperation[] => {
      try {
        return row.family === 'mcp' ? [] : connections.operations(target);
      } catch (error) {
        if (error instanceof QueryError) return [];
        throw error;
      }
    };
    try {
      const target = opened(row);
      return { secrets: target.secrets, operations: operationsOf(target), tools };
    } catch (error) {
      if (error instanceof SecretError) return { operations: [], tools };
      throw error;
    }
  };
  return Promise.all(
    rows.map(async (row) => presentIntegration(row, await openedOf(row), creators.get(row.id) ?? null)),
  );
}

export async function present(
  integrations: Integrations,
  em: EntityManager,
  row: Integration,
): Promise<z.input<typeof IntegrationResponse>> {
  const [one] = await presentAll(integrations, em, [row]);
  return one!;
}

/** A team's integrations of one family, or all; without those that still wait for consent. */
export const listIntegrations = (em: EntityManager, family?: FamilyName): Promise<Integration[]> =>
  em.find(
    Integration,
    { status: { $ne: 'pending' }, ...(family && { family }) },
    { orderBy: { family: 'asc', slug: 'asc' } },
  );
