import assert from 'node:assert/strict';
import {
  ClickHouseUpdateRequest,
  PostgresIntegrationUpdateRequest,
} from '../../../src/features/integrations/schemas/databases.ts';
import { McpIntegrationCreateRequest } from '../../../src/features/integrations/schemas/mcp.ts';
import { bodyOf, changesOf, fieldsFor, initialOf } from '../../../web/src/pages/integrations/form-values.ts';
import type { Integration } from '../../../web/src/pages/integrations/queries.ts';
import type { Vendor } from '../../../web/src/pages/integrations/vendors.ts';

describe('web: the form of an integration', () => {
  let vendors: readonly Vendor[];
  before(async () => {
    // Some vendors' words name the page itself.
    Object.assign(globalThis, { location: { origin: 'https://casebook.example.com' } });
    ({ VENDORS: vendors } = await import('../../../web/src/pages/integrations/vendors.ts'));
  });
  after(() => {
    Reflect.deleteProperty(globalThis, 'location');
  });

  const integration = (values: Partial<Integration>) =>
    ({ name: 'Renamed', source_id: 'integration:first-name', via: null, settings: {}, ...values }) as Integration;
  const vendorOf = (id: string): Vendor => vendors.find((one) => one.id === id)!;

  it('takes away what was cleared, in a form that the API accepts, and sends nothing else', () => {
    const settings = { database: 'shop', ca_certificate: 'PEM', host: 'db', url: 'https://ch' };
    for (const [id, request] of [
      ['sql-db', PostgresIntegrationUpdateRequest],
      ['analytics-db', ClickHouseUpdateRequest],
    ] as const) {
      const connected = integration({ settings, via: 'near' });
      const fields = fieldsFor(vendorOf(id), connected, true);
      assert.deepEqual(changesOf(fields, { name: 'Renamed', via: 'near', password: '' }, connected), {});
      const cleared = fields.filter((field) => field.isOptional === true && initialOf(field, connected) !== '');
      const changes = changesOf(fields, Object.fromEntries(cleared.map(({ name }) => [name, ''])), connected);
      const names = id === 'sql-db' ? ['ca_certificate', 'via'] : ['database', 'ca_certificate', 'via'];
      assert.deepEqual(changes, Object.fromEntries(names.map((name) => [name, null])));
      assert.deepEqual(request.parse(changes), changes);
    }
  });

  it('connects a renamed MCP server again under its first name, without asking what it is', () => {
    const url = 'https://mcp.example.com/mcp';
    const connected = integration({ settings: { url } });
    const vendor = vendorOf('mcp');
    assert.deepEqual(
      fieldsFor(vendor, connected, false).map(({ name }) => name),
      ['headers.Authorization'],
    );
    const body = bodyOf(vendor, (field) => initialOf(field, connected), connected);
    assert.deepEqual(body, { name: 'first-name', url });
    assert.deepEqual(McpIntegrationCreateRequest.parse(body), body);
  });
});
