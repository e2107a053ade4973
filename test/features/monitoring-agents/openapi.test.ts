/** How the API of monitoring agents is described. */
import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { endpoints } from '../../../src/app.ts';
import { monitoringAgentsRoom } from '../../../src/features/monitoring-agents/index.ts';
import { openApiDocument } from '../../../src/http/docs/openapi.ts';
import type { Json } from './api.ts';

describe('the OpenAPI document of monitoring agents', () => {
  const document: Json = structuredClone(openApiDocument(endpoints));
  const operations: Json[] = monitoringAgentsRoom.endpoints
    .filter(({ undocumented }) => !undocumented)
    .map(({ method, path }) => document.paths[path][method]);
  const schemas: Record<string, Json> = document.components.schemas;
  /** Those that the endpoints lead to. */
  const used = new Map<string, Json>();
  const follow = (part: unknown): void => {
    for (const [, name] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (used.has(name!)) continue;
      used.set(name!, schemas[name!]);
      follow(schemas[name!]);
    }
  };
  operations.forEach(follow);

  it('has the paths of the interface', () => {
    for (const [path, methods] of [
      ['/api/monitoring-chat', ['post']],
      ['/api/monitoring-chat/list', ['get']],
      ['/api/monitoring-chat/{chat_id}', ['get', 'delete']],
      ['/api/monitoring-chat/{chat_id}/config', ['get', 'patch']],
      ['/api/monitoring-chat/{chat_id}/plan', ['get', 'patch']],
      ['/api/monitor', ['post']],
    ] as const) {
      assert.deepEqual(Object.keys(document.paths[path]), methods, path);
    }
    for (const name of [
      'MonitoringChatListResponse',
      'UpdateAgentChannelRequest',
      'UpdatePlanRequest',
      'MonitorRequest',
    ]) {
      assert.ok(used.has(name), name);
    }
    assert.deepEqual(document.paths['/api/monitor'].post.security, [{ Bearer: [] }, { Session: [] }]);
  });

  it('names every schema, and describes every parameter', () => {
    for (const name of used.keys()) assert.match(name, /^[A-Z][A-Za-z]+$/);
    for (const { operationId, summary, parameters = [] } of operations) {
      assert.ok(summary.length > 10, operationId);
      for (const { name, description, schema } of parameters) {
        assert.ok(description ?? schema.description, `${name} of ${operationId}`);
      }
    }
  });

  it('describes what is not obvious of a plan', () => {
    for (const field of ['dedup_key', 'on_finding', 'judge', 'confirmations', 'recoveries', 'cool_down_seconds']) {
      assert.ok(schemas['MonitoringCheck'].properties[field].description, field);
    }
    for (const field of ['every_seconds', 'cron', 'time_zone', 'quiet_hours']) {
      assert.ok(schemas['Schedule'].properties[field].description, field);
    }
  });

  it('has examples that are valid', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema({ $id: 'api', ...document });
    let examples = 0;
    for (const [name, schema] of used) {
      const validate = ajv.getSchema(`api#/components/schemas/${name}`)!;
      for (const example of schema.examples ?? []) {
        assert.ok(validate(example), `${name}: ${JSON.stringify(validate.errors)}`);
        examples += 1;
      }
    }
    for (const { method, path, body } of monitoringAgentsRoom.endpoints) {
      for (const example of body?.meta()?.examples ?? []) {
        const { error } = body!.safeParse(example);
        assert.equal(error, undefined, `${method} ${path}: ${error?.message}`);
      }
    }
    assert.ok(examples >= 6, `${examples} examples`);
  });
});
