/** The endpoints under the paths and schema names of the interface, section 4.8 (but for the code host). */
import assert from 'node:assert/strict';
import { endpoints } from '../../../src/app.ts';
import { integrationsRoom } from '../../../src/features/integrations/room.ts';
import { openApiDocument } from '../../../src/http/docs/openapi.ts';

type Row = readonly [method: 'get' | 'post' | 'put' | 'delete', path: string, body: string | null, response: string];

const database = (prefix: string, [create, update, test, toggle]: string[], [status, one, removed, tested]: string[]) =>
  [
    ['get', `${prefix}/status`, null, status!],
    ['post', `${prefix}/integrations`, create!, one!],
    ['put', `${prefix}/integrations/{integration_id}`, update!, one!],
    ['delete', `${prefix}/integrations/{integration_id}`, null, removed!],
    ['post', `${prefix}/test`, test!, tested!],
    ['post', `${prefix}/integrations/{integration_id}/test`, null, tested!],
    ['post', `${prefix}/integrations/{integration_id}/toggle`, toggle!, one!],
  ] as const;

const google = (prefix: string) =>
  [
    ['post', `${prefix}/connect`, 'ConnectRequest', 'ConnectResponse'],
    ['post', `${prefix}/callback`, 'CallbackRequest', 'CallbackResponse'],
    ['get', `${prefix}/status`, null, 'StatusResponse'],
    ['delete', `${prefix}/`, null, 'RemoveResponse'],
    ['post', `${prefix}/sa/connect`, 'SAConnectRequest', 'SAConnectResponse'],
    ['get', `${prefix}/sa/status`, null, 'SAStatusResponse'],
    ['delete', `${prefix}/sa/`, null, 'RemoveResponse'],
  ] as const;

const INTERFACE: readonly Row[] = [
  ['post', '/api/onboarding/apm-a/step1', 'Step1Request', 'Step1Response'],
  ['post', '/api/onboarding/apm-a/step2', 'Step2Request', 'OnboardingCompleteResponse'],
  ['get', '/api/onboarding/apm-a/status', null, 'StatusResponse'],
  ['delete', '/api/onboarding/apm-a/', null, 'RemoveResponse'],
  ...database(
    '/api/onboarding/sql-db',
    [
      'PostgresIntegrationCreateRequest',
      'PostgresIntegrationUpdateRequest',
      'PostgresIntegrationTestRequest',
      'PostgresToggleRequest',
    ],
    ['PostgresStatusResponse', 'PostgresIntegrationResponse', 'PostgresDeleteResponse', 'PostgresTestResponse'],
  ),
  ...database(
    '/api/onboarding/analytics-db',
    ['ClickHouseCreateRequest', 'ClickHouseUpdateRequest', 'ClickHouseTestRequest', 'ClickHouseToggleRequest'],
    ['ClickHouseStatusResponse', 'ClickHouseCredentialResponse', 'ClickHouseDeleteResponse', 'ClickHouseTestResponse'],
  ),
  // The interface calls it ConnectRequest too; one document cannot have two schemas of a name.
  ['post', '/api/onboarding/cloud-monitor-a/connect', 'AzureMonitorConnectRequest', 'ConnectResponse'],
  ['get', '/api/onboarding/cloud-monitor-a/status', null, 'StatusResponse'],
  ['delete', '/api/onboarding/cloud-monitor-a/', null, 'RemoveResponse'],
  ...google('/api/onboarding/cloud-b'),
  ...google('/api/onboarding/cloud-b-official'),
  ['post', '/api/onboarding/edge-a/connect', 'EdgeConnectRequest', 'ConnectResponse'],
  ['get', '/api/onboarding/edge-a/status', null, 'StatusResponse'],
  ['delete', '/api/onboarding/edge-a/', null, 'RemoveResponse'],
];

// oxlint-disable-next-line typescript/no-explicit-any -- an OpenAPI document is looked into by path
type Json = any;

describe('the OpenAPI document of integrations', () => {
  const document: Json = structuredClone(openApiDocument(endpoints));
  const nameOf = (content: Json): string | null =>
    content?.['application/json'].schema.$ref?.replace('#/components/schemas/', '') ?? null;

  it('has the 38 endpoints of the interface, with its schema names', () => {
    assert.equal(INTERFACE.length, 38);
    for (const [method, path, body, response] of INTERFACE) {
      const operation = document.paths[path]?.[method];
      assert.ok(operation, `${method} ${path}`);
      const has = [nameOf(operation.requestBody?.content), nameOf(operation.responses['200'].content)];
      assert.deepEqual(has, [body, response], `${method} ${path}`);
    }
  });

  it('has nothing else below their prefixes', () => {
    const own = new Set(INTERFACE.map(([method, path]) => `${method} ${path}`));
    const others = integrationsRoom.endpoints
      .filter(({ path }) => path.startsWith('/api/onboarding/'))
      .map(({ method, path }) => `${method} ${path}`);
    assert.deepEqual(new Set(others), own);
  });
});
