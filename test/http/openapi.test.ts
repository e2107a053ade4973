import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { after, before, describe, it } from 'mocha';
import { z } from 'zod';
import { endpoints } from '../../src/app.ts';
import { apiKeyVia } from '../../src/http/authenticate.ts';
import { docsEndpoints } from '../../src/http/docs/index.ts';
import { endpoint } from '../../src/http/endpoint.ts';
import { openApiDocument } from '../../src/http/docs/openapi.ts';
import { send, startApi, type TestApi } from './support/api.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- the tests look into a document of unknown shape
type Json = any;

const sample = endpoint({
  method: 'post',
  path: '/things/{thing_id}',
  operationId: 'postThing',
  summary: 'A thing',
  tags: ['Things'],
  auth: apiKeyVia('x-api-key', 'things:write'),
  params: z.object({ thing_id: z.uuid() }),
  query: z.object({ page: z.number().int().min(1).default(1) }),
  body: z.object({ name: z.string().max(5) }).meta({ id: 'ThingRequest' }),
  response: z.object({ id: z.uuid() }).meta({ id: 'ThingResponse' }),
  errors: [404, 409],
  handler: async ({ params }) => ({ id: params.thing_id }),
});

describe('the OpenAPI document', () => {
  it('begins with what people use, and ends with what serves operators', async () => {
    const shown = endpoints.find(({ operationId }) => operationId === 'getOpenApi');
    assert.ok(shown);
    const { tags, paths }: Json = await shown.handler({} as never);
    assert.deepEqual(
      tags
        .map(({ name }: Json) => name)
        .filter((_: string, at: number, { length }: Json) => at < 3 || at === length - 1),
      ['Investigations', 'Chats', 'Monitoring agents', 'Service'],
    );
    assert.equal(Object.keys(paths)[0], '/api/v1/investigate');
  });

  it('describes an endpoint by the schemas that validate it', () => {
    const document: Json = openApiDocument([sample]);
    assert.equal(document.openapi, '3.1.0');
    assert.equal(document.info.version, '0.1.0');
    const operation = document.paths['/things/{thing_id}'].post;
    assert.deepEqual(operation.security, [{ ApiKey: [] }, { Session: [] }]);
    assert.deepEqual(
      operation.parameters.map(({ in: place, name, required }: Json) => [place, name, required ?? false]),
      [
        ['path', 'thing_id', true],
        ['query', 'page', false],
      ],
    );
    assert.equal(operation.parameters[1].schema.minimum, 1);
    assert.equal(operation.parameters[1].schema.default, 1);
    assert.deepEqual(operation.requestBody.content['application/json'].schema, {
      $ref: '#/components/schemas/ThingRequest',
    });
    assert.equal(operation.requestBody.required, true);
    const statuses = ['200', '401', '403', '404', '409', '413', '422', '429', '500', '503'];
    assert.deepEqual(Object.keys(operation.responses), statuses);
    const schemaOf = (status: string) => operation.responses[status].content['application/json'].schema;
    assert.deepEqual(schemaOf('200'), { $ref: '#/components/schemas/ThingResponse' });
    assert.deepEqual(schemaOf('422'), { $ref: '#/components/schemas/HTTPValidationError' });
    assert.equal(document.components.schemas.ThingRequest.properties.name.maxLength, 5);
    assert.deepEqual(document.components.schemas.HTTPValidationError.properties.detail.items, {
      $ref: '#/components/schemas/ValidationError',
    });
    assert.equal(document.components.securitySchemes.ApiKey.name, 'X-API-Key');
  });

  describe('of the whole API', () => {
    const document: Json = structuredClone(openApiDocument(endpoints));

    it('holds every endpoint once, under an operation id of its own', () => {
      const ids = Object.values<Json>(document.paths).flatMap((item) =>
        Object.values<Json>(item).map(({ operationId }) => operationId),
      );
      assert.equal(new Set(ids).size, ids.length);
      const documented = endpoints.filter(({ undocumented }) => undocumented !== true);
      assert.deepEqual(new Set(ids), new Set(documented.map(({ operationId }) => operationId)));
    });

    it('has schemas that are valid JSON Schema 2020-12 and no reference to nowhere', () => {
      const ajv = new Ajv2020({ strict: false, validateFormats: false });
      ajv.addSchema({ $id: 'api', ...document });
      for (const name of Object.keys(document.components.schemas)) {
        assert.ok(ajv.getSchema(`api#/components/schemas/${name}`), name);
      }
      for (const [, name] of JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)) {
        assert.ok(Object.hasOwn(document.components.schemas, name!), name);
      }
    });

    it('names every request and response schema', () => {
      for (const [path, item] of Object.entries<Json>(document.paths)) {
        for (const [method, { requestBody, responses }] of Object.entries<Json>(item)) {
          for (const part of [requestBody, responses['200']]) {
            const schema = part?.content?.['application/json']?.schema;
            if (schema)
              assert.ok(
                schema.$ref,
                `${method} ${path} has a schema without a name: ${JSON.stringify(schema).slice(0, 100)}`,
              );
          }
        }
      }
    });

    describe('of chats', () => {
      const schemaOf = (name: string): Json => document.components.schemas[name];
      const jsonOf = (part: Json): string => part.content['application/json'].schema.$ref.split('/').at(-1);

      it('has the fields of the interface for what is said and answered', () => {
        const request = schemaOf('ChatRequest');
        assert.deepEqual(request.required, ['messages']);
        assert.equal(request.properties.messages.minItems, 1);
        for (const field of ['chat_id', 'model', 'system_prompt'])
          assert.equal(request.properties[field].type, 'string');
        const message = schemaOf('ChatMessage');
        assert.deepEqual(message.required, ['role', 'content']);
        assert.deepEqual(message.properties.role.enum, ['user', 'assistant']);
        assert.deepEqual(schemaOf('ChatResponse').required, ['chat_id', 'response', 'usage']);
        assert.deepEqual(Object.keys(schemaOf('ChatUsage').properties), [
          'input_tokens',
          'output_tokens',
          'cache_creation_input_tokens',
          'cache_read_input_tokens',
          'cost',
          'model',
          'api_calls_count',
        ]);
      });

      it('says how the chat endpoint is called, and what it may answer', () => {
        const { post } = document.paths['/api/v1/chat'];
        assert.deepEqual(post.security, [{ Bearer: [] }, { Session: [] }]);
        assert.equal(jsonOf(post.requestBody), 'ChatRequest');
        const [stream] = post.parameters.filter(({ name }: Json) => name === 'stream');
        assert.deepEqual([stream.in, stream.schema.type, stream.schema.default], ['query', 'boolean', false]);
        assert.deepEqual(Object.keys(post.responses['200'].content), ['application/json', 'text/event-stream']);
        for (const status of ['401', '403', '404', '409', '422', '429', '502', '503'])
          assert.ok(post.responses[status]);
      });

      it('has the paths and schemas of the interface, with the limits of the list', () => {
        for (const [path, methods] of [
          ['/api/chat', ['options', 'get']],
          ['/api/chat/{chat_id}', ['get', 'delete']],
          ['/api/chat/{chat_id}/title', ['patch']],
          ['/api/chat/{chat_id}/stream', ['get']],
          ['/api/chat/{chat_id}/cancel', ['post']],
          ['/api/chat/search', ['get']],
          ['/api/tool-results/{tool_id}', ['get']],
          ['/api/chat-viz', ['post']],
          ['/api/chat-editor', ['post']],
          ['/api/extract-citation', ['post']],
        ] as const) {
          assert.deepEqual(Object.keys(document.paths[path]), methods, path);
        }
        const { get } = document.paths['/api/chat'];
        assert.equal(jsonOf(get.responses['200']), 'ChatListResponse');
        assert.equal(jsonOf(document.paths['/api/chat/{chat_id}/title'].patch.requestBody), 'ChatTitleUpdateRequest');
        const extract = document.paths['/api/extract-citation'].post;
        assert.equal(jsonOf(extract.requestBody), 'CitationExtractionRequest');
        assert.equal(jsonOf(extract.responses['200']), 'CitationExtractionResponse');
        const parameters = Object.fromEntries(get.parameters.map((parameter: Json) => [parameter.name, parameter]));
        const bounds = ({ schema }: Json) => [schema.minimum, schema.maximum, schema.default];
        assert.deepEqual(bounds(parameters.page).toSpliced(1, 1), [1, 1]);
        assert.deepEqual(bounds(parameters.count), [1, 100, 20]);
        assert.deepEqual(bounds(parameters.limit), [1, 100, undefined]);
        assert.equal(parameters.limit.deprecated ?? parameters.limit.schema.deprecated, true);
        assert.equal(parameters.my_chats.schema.default, false);
      });
    });

    it('describes the 422 bodies that are sent', async () => {
      const api = await startApi([{ ...sample, auth: 'none' }]);
      const { json } = await send(`${api.url}/things/x?page=0`, { method: 'POST' });
      await api.stop();
      const ajv = new Ajv2020({ strict: false, validateFormats: false });
      ajv.addSchema({ $id: 'api', ...document });
      const validate = ajv.getSchema('api#/components/schemas/HTTPValidationError')!;
      assert.ok(validate(json), JSON.stringify(validate.errors));
    });
  });
});

describe('/docs', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi([sample, ...docsEndpoints(() => [sample])]);
  });
  after(() => api.stop());

  it('is a page whose parts all come from here, under its policy', async () => {
    const page = await send(`${api.url}/docs`);
    assert.equal(page.status, 200);
    assert.match(String(page.headers['content-type']), /^text\/html/);
    assert.match(String(page.headers['content-security-policy']), /script-src 'self';/);
    const parts = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1]!);
    assert.equal(parts.length, 4);
    for (const part of parts) {
      const target = new URL(part, `${api.url}/docs`);
      assert.equal(target.origin, api.url);
      const reply = await send(target.href);
      assert.equal(reply.status, 200, part);
      assert.equal(reply.headers['x-content-type-options'], 'nosniff');
    }
    assert.ok(!/<script>|<style>|\son\w+=/.test(page.text), 'nothing inline, which the policy would block');
    const start = await send(`${api.url}/docs/assets/start.js`);
    assert.match(start.text, /openapi\.json/);
    assert.equal(
      (await send(`${api.url}/openapi.json`)).json.paths['/things/{thing_id}'].post.operationId,
      'postThing',
    );
  });

  it('serves no other file', async () => {
    for (const file of [
      'package.json',
      '..%2f..%2fpackage.json',
      '%2e%2e%2fpackage.json',
      'constructor',
      'index.html',
    ]) {
      assert.equal((await send(`${api.url}/docs/assets/${file}`)).status, 404, file);
    }
  });
});
