/** PostgreSQL and ClickHouse: the same seven endpoints. */
import type { z } from 'zod';
import { endpointFor, type Endpoint } from '../../../http/endpoint.ts';
import type { IntegrationDeps } from '../deps.ts';
import type { Target } from '../connections.ts';
import type { FamilyName, Integration } from '../entities.ts';
import { families, type Settings } from '../families.ts';
import { presentTest } from '../presenter.ts';
import * as schemas from '../schemas/databases.ts';
import { clickhouseUrl } from '@casebook/connectors';
import { IntegrationParams } from '../schemas/shared.ts';
import { connect, draftOf, remove, testStored, toggle, update, type Wanted } from '../service.ts';
import { listIntegrations, present, presentAll, reading, serviceDeps, tags, writing } from './shared.ts';

const endpoint = endpointFor<IntegrationDeps>();

/** What is common to the requests of both; the rest are settings. */
type Body = { name?: string | undefined; password?: string | undefined; via?: string | null | undefined } & Settings;

interface Database {
  family: FamilyName;
  /** The family in operation ids. */
  id: string;
  requests: Record<'create' | 'update' | 'test', z.ZodType<Body>> & { toggle: z.ZodType<{ enabled: boolean }> };
  responses: Record<'one' | 'status' | 'deleted' | 'test', z.ZodType>;
  /** The settings of the family, as responses show them. */
  shown(settings: Settings): object;
}

/** A request without what is not a setting, and without what it leaves out. */
function wantedOf({ name, password, via, ...settings }: Body): Omit<Wanted, 'family' | 'name'> & { name?: string } {
  const given = Object.entries(settings).filter(([, value]) => value !== undefined && value !== null);
  return {
    settings: Object.fromEntries(given),
    secrets: password === undefined ? {} : { password },
    ...(name !== undefined && { name }),
    ...(via !== undefined && { via }),
  };
}

/** One form of an address replaces the other. */
const PLACE = ['url', 'host', 'port', 'secure'];

/** A connection after a request to change it: null takes a setting away. */
export function reached(
  current: Target,
  { password, via = current.via, ...given }: Body,
): Pick<Target, 'settings' | 'secrets' | 'via'> {
  const replaced = given['url'] !== undefined ? PLACE : given['host'] !== undefined ? ['url'] : [];
  const kept = Object.entries(current.settings).filter(([setting]) => !replaced.includes(setting));
  const changed = Object.entries(given).filter(([, value]) => value !== undefined);
  const all = Object.entries(Object.fromEntries([...kept, ...changed])).filter(([, value]) => value !== null);
  return {
    settings: Object.fromEntries(all),
    secrets: { ...current.secrets, ...(password !== undefined && { password }) },
    via,
  };
}

function databaseEndpoints({ family, id, requests, responses, shown }: Database): Endpoint<IntegrationDeps>[] {
  const { vendor } = families[family];
  const path = `/api/onboarding/${family}` as const;
  const withSettings = (base: object, { settings }: Integration) => ({ ...base, ...shown(settings) });
  return [
    endpoint({
      method: 'get',
      path: `${path}/status`,
      operationId: `get${id}Status`,
      summary: `List the ${vendor} databases that are connected`,
      tags,
      auth: reading,
      response: responses.status,
      handler: async ({ em, deps: { integrations } }) => {
        const rows = await listIntegrations(em, family);
        const all = await presentAll(integrations, em, rows);
        const connected = rows.some(({ enabled, status }) => enabled && status === 'connected');
        return { connected, integrations: all.map((base, index) => withSettings(base, rows[index]!)) };
      },
    }),
    endpoint({
      method: 'post',
      path: `${path}/integrations`,
      operationId: `create${id}Integration`,
      summary: `Connect a ${vendor} database`,
      description:
        'It is tested before it is stored: a setting that it refuses is a 422 that names the field, and no answer a 503. Repeating the request changes nothing.',
      tags,
      auth: writing,
      body: requests.create,
      response: responses.one,
      errors: [409, 503],
      handler: async ({ em, body, principal, deps, signal }) => {
        const { name = '', ...rest } = wantedOf(body);
        const row = await connect(serviceDeps(deps), em, principal, { family, name, ...rest }, signal);
        return withSettings(await present(deps.integrations, em, row), row);
      },
    }),
    endpoint({
      method: 'put',
      path: `${path}/integrations/{integration_id}`,
      operationId: `update${id}Integration`,
      summary: `Change a connected ${vendor} database`,
      description: 'It is tested with the new settings before they are stored; a new name alone needs no test.',
      tags,
      auth: writing,
      params: IntegrationParams,
      body: requests.update,
      response: responses.one,
      errors: [404, 409, 503],
      handler: async ({ em, params, body, principal, deps, signal }) => {
        const { name, ...rest } = body;
        const changes = {
          ...(name !== undefined && { name }),
          ...(Object.keys(rest).length > 0 && { reach: (current: Target) => reached(current, rest) }),
        };
        const row = await update(serviceDeps(deps), em, principal, family, params.integration_id, changes, signal);
        return withSettings(await present(deps.integrations, em, row), row);
      },
    }),
    endpoint({
      method: 'delete',
      path: `${path}/integrations/{integration_id}`,
      operationId: `delete${id}Integration`,
      summary: `Remove a ${vendor} database and its password`,
      tags,
      auth: writing,
      params: IntegrationParams,
      response: responses.deleted,
      errors: [404],
      handler: async ({ em, params, principal, deps }) => {
        await remove(serviceDeps(deps), em, principal, family, params.integration_id);
        return { id: params.integration_id, removed: true };
      },
    }),
    endpoint({
      method: 'post',
      path: `${path}/test`,
      operationId: `test${id}Connection`,
      summary: `Test a connection to ${vendor} without storing it`,
      description: 'The result says which setting is at fault, and which privileges the user has.',
      tags,
      auth: writing,
      body: requests.test,
      response: responses.test,
      handler: async ({ body, principal, deps: { integrations }, signal }) => {
        const { name = 'test', ...rest } = wantedOf(body);
        const draft = draftOf(principal.teamId, { family, name, ...rest });
        const { test } = await integrations.service.probe(draft, signal);
        return presentTest(family, test);
      },
    }),
    endpoint({
      method: 'post',
      path: `${path}/integrations/{integration_id}/test`,
      operationId: `test${id}Integration`,
      summary: `Test a connected ${vendor} database now`,
      tags,
      auth: writing,
      params: IntegrationParams,
      response: responses.test,
      errors: [404],
      handler: async ({ em, params, deps, signal }) =>
        presentTest(family, await testStored(serviceDeps(deps), em, family, params.integration_id, signal)),
    }),
    endpoint({
      method: 'post',
      path: `${path}/integrations/{integration_id}/toggle`,
      operationId: `toggle${id}Integration`,
      summary: `Turn a connected ${vendor} database off or on`,
      tags,
      auth: writing,
      params: IntegrationParams,
      body: requests.toggle,
      response: responses.one,
      errors: [404],
      handler: async ({ em, params, body, principal, deps }) => {
        const row = await toggle(deps, em, principal, family, params.integration_id, body.enabled);
        return withSettings(await present(deps.integrations, em, row), row);
      },
    }),
  ];
}

const postgres = databaseEndpoints({
  family: 'sql-db',
  id: 'Postgres',
  requests: {
    create: schemas.PostgresIntegrationCreateRequest,
    update: schemas.PostgresIntegrationUpdateRequest,
    test: schemas.PostgresIntegrationTestRequest,
    toggle: schemas.PostgresToggleRequest,
  },
  responses: {
    one: schemas.PostgresIntegrationResponse,
    status: schemas.PostgresStatusResponse,
    deleted: schemas.PostgresDeleteResponse,
    test: schemas.PostgresTestResponse,
  },
  shown: ({ host, port, database, username, ssl_mode, ca_certificate }) => ({
    host,
    port,
    database,
    username,
    ssl_mode,
    has_ca_certificate: ca_certificate !== undefined,
  }),
});

const clickhouse = databaseEndpoints({
  family: 'analytics-db',
  id: 'ClickHouse',
  requests: {
    create: schemas.ClickHouseCreateRequest,
    update: schemas.ClickHouseUpdateRequest,
    test: schemas.ClickHouseTestRequest,
    toggle: schemas.ClickHouseToggleRequest,
  },
  responses: {
    one: schemas.ClickHouseCredentialResponse,
    status: schemas.ClickHouseStatusResponse,
    deleted: schemas.ClickHouseDeleteResponse,
    test: schemas.ClickHouseTestResponse,
  },
  shown: ({ url, database, username, ca_certificate, ...place }) => ({
    url: url ?? clickhouseUrl(place),
    database: database ?? null,
    username,
    has_ca_certificate: ca_certificate !== undefined,
  }),
});

export const databases = [...postgres, ...clickhouse];
