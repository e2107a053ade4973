/** Requests whose path and body a form or a row knows as data. */
import { api, dataOf } from '../../api/client.ts';
import type { Schema } from '../../api/client.ts';
import type { Integration } from './queries.ts';

/** What connecting may answer, whichever vendor it is. */
export interface ConnectAnswer {
  status?: string;
  authorization_url?: string | null;
  accounts?: { id: number; name: string }[];
}

/** @param path of the vendor @param body as its form built it; the API says what is wrong with it */
export const connectVendor = (path: string, body: Record<string, unknown>): Promise<ConnectAnswer> =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each vendor has a path and a body of its own
  dataOf<ConnectAnswer>(api.POST(path as '/api/onboarding/edge-a/connect', { body: body as never }));

/** Databases have an endpoint each for a test and for turning them off; they are the same for both. */
export const isDatabase = ({ family }: Pick<Integration, 'family'>): boolean =>
  family === 'sql-db' || family === 'analytics-db';

type DatabasePath = '/api/onboarding/sql-db/integrations/{integration_id}';

const pathOf = <Rest extends '' | '/test' | '/toggle'>({ family }: Integration, rest: Rest): `${DatabasePath}${Rest}` =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the other database has the same paths
  `/api/onboarding/${family}/integrations/{integration_id}${rest}` as `${DatabasePath}${Rest}`;

const params = ({ id }: Integration) => ({ path: { integration_id: id } });

export const testDatabase = (integration: Integration): Promise<Schema<'PostgresTestResponse'>> =>
  dataOf(api.POST(pathOf(integration, '/test'), { params: params(integration) }));

export const toggleDatabase = (integration: Integration): Promise<unknown> =>
  dataOf(
    api.POST(pathOf(integration, '/toggle'), { params: params(integration), body: { enabled: !integration.enabled } }),
  );

/** A database by its id; the only integration of another vendor by its family. */
export function removeIntegration(integration: Integration): Promise<unknown> {
  if (isDatabase(integration)) return dataOf(api.DELETE(pathOf(integration, ''), { params: params(integration) }));
  const { family, source_id: source } = integration;
  const part = source.endsWith('-service-account') ? `${family}/sa` : family;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every such family is removed in the same way
  return dataOf(api.DELETE(`/api/onboarding/${part}/` as '/api/onboarding/edge-a/'));
}
