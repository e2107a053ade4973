import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { z } from 'zod';
import { endpoint } from '../../src/http/endpoint.ts';
import { InvalidRequest } from '../../src/http/errors.ts';
import { send, sendJson, startApi, type TestApi } from './support/api.ts';

const Body = z.strictObject({
  text: z.string().min(2).max(5),
  count: z.number().int().min(1).max(9),
  kind: z.enum(['a', 'b']),
  ratio: z.number().gt(0).lt(1).optional(),
  id: z.uuid().optional(),
  at: z.iso.datetime().optional(),
  list: z.array(z.string()).min(1).max(2).optional(),
  flag: z.boolean().optional(),
  nested: z.object({ name: z.string() }).optional(),
  choice: z.discriminatedUnion('type', [z.object({ type: z.literal('x'), value: z.string() })]).optional(),
  either: z.union([z.string(), z.object({ name: z.string(), size: z.number() })]).optional(),
  pattern: z.string().regex(/^a+$/).optional(),
  step: z.number().multipleOf(5).optional(),
  checked: z
    .string()
    .refine((value) => value !== 'no', 'must not be no')
    .optional(),
  own: z.string().min(3, 'tell us more').optional(),
});

const echoed = z.object({ params: z.unknown(), query: z.unknown(), headers: z.unknown(), body: z.unknown() });

const endpoints = [
  endpoint({
    method: 'post',
    path: '/things/{thing_id}',
    operationId: 'postThing',
    summary: 'Everything at once',
    tags: [],
    auth: 'none',
    params: z.object({ thing_id: z.uuid() }),
    query: z.object({ page: z.number().int().min(1).default(1) }),
    headers: z.object({ 'x-count': z.number().int() }),
    body: Body,
    response: echoed,
    handler: async ({ params, query, headers, body }) => ({ params, query, headers, body }),
  }),
  endpoint({
    method: 'post',
    path: '/body',
    operationId: 'postBody',
    summary: 'A body',
    tags: [],
    auth: 'none',
    body: Body,
    response: z.object({ body: z.unknown() }),
    handler: async ({ body }) => ({ body }),
  }),
  endpoint({
    method: 'post',
    path: '/optional',
    operationId: 'postOptional',
    summary: 'A body that may be left out',
    tags: [],
    auth: 'none',
    body: z.object({ name: z.string() }).optional(),
    response: z.object({ given: z.boolean() }),
    handler: async ({ body }) => ({ given: body !== undefined }),
  }),
  endpoint({
    method: 'get',
    path: '/search',
    operationId: 'search',
    summary: 'Parameters',
    tags: [],
    auth: 'none',
    query: z.object({
      page: z.number().int().min(1).default(1),
      ratio: z.number().optional(),
      mine: z.boolean().default(false),
      limit: z.number().int().max(100).nullable().optional(),
      tag: z.array(z.string()).default([]),
      size: z.array(z.number().int()).optional(),
      text: z.string().max(10).optional(),
      api_key: z.uuid().optional(),
    }),
    response: z.object({ query: z.unknown() }),
    handler: async ({ query }) => ({ query }),
  }),
];

const good = { text: 'abc', count: 3, kind: 'a' };
const ID = '7d9f6c4e-0f1c-4a57-9f43-0e6b8d6a2c11';

describe('request validation', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi(endpoints);
  });
  after(() => api.stop());

  const issuesOf = async (body: unknown) => {
    const reply = await sendJson(`${api.url}/body`, body);
    assert.equal(reply.status, 422);
    assert.deepEqual(Object.keys(reply.json), ['detail']);
    return reply.json.detail;
  };

  it('reports every issue of path, query, header and body together', async () => {
    const reply = await sendJson(`${api.url}/things/nope?page=0`, { count: 99 }, { headers: { 'x-count': 'many' } });
    assert.equal(reply.status, 422);
    assert.deepEqual(
      reply.json.detail.map(({ type, loc }: { type: string; loc: unknown[] }) => [type, ...loc]),
      [
        ['uuid_parsing', 'path', 'thing_id'],
        ['greater_than_equal', 'query', 'page'],
        ['int_parsing', 'header', 'x-count'],
        ['missing', 'body', 'text'],
        ['less_than_equal', 'body', 'count'],
        ['missing', 'body', 'kind'],
      ],
    );
    for (const issue of reply.json.detail) {
      assert.equal(typeof issue.msg, 'string');
      assert.ok('input' in issue);
    }
  });

  it('hands the converted parts to the handler', async () => {
    const reply = await sendJson(`${api.url}/things/${ID}?page=2`, good, { headers: { 'x-count': '7' } });
    assert.equal(reply.status, 200);
    assert.deepEqual(reply.json, {
      params: { thing_id: ID },
      query: { page: 2 },
      headers: { 'x-count': 7 },
      body: good,
    });
  });

  const cases: [string, Record<string, unknown>, string, unknown[], unknown?][] = [
    ['text instead of a number', { count: '3' }, 'float_type', ['body', 'count'], '3'],
    ['a fraction for an integer', { count: 1.5 }, 'int_from_float', ['body', 'count'], 1.5],
    ['number instead of text', { text: 12 }, 'string_type', ['body', 'text'], 12],
    ['null for text', { text: null }, 'string_type', ['body', 'text'], null],
    ['too short', { text: 'a' }, 'string_too_short', ['body', 'text'], 'a'],
    ['too long', { text: 'abcdef' }, 'string_too_long', ['body', 'text'], 'abcdef'],
    ['outside an enum', { kind: 'c' }, 'literal_error', ['body', 'kind'], 'c'],
    ['at an open lower bound', { ratio: 0 }, 'greater_than', ['body', 'ratio'], 0],
    ['at an open upper bound', { ratio: 1 }, 'less_than', ['body', 'ratio'], 1],
    ['not a UUID', { id: 'x' }, 'uuid_parsing', ['body', 'id'], 'x'],
    ['not a time', { at: 'noon' }, 'datetime_parsing', ['body', 'at'], 'noon'],
    ['an empty list', { list: [] }, 'too_short', ['body', 'list'], []],
    ['a long list', { list: ['a', 'b', 'c'] }, 'too_long', ['body', 'list'], ['a', 'b', 'c']],
    ['text for a list with bounds', { list: 'abc' }, 'list_type', ['body', 'list'], 'abc'],
    ['a long list for a short text', { text: Array(9).fill(1) }, 'string_type', ['body', 'text'], Array(9).fill(1)],
    ['a wrong item', { list: ['a', 2] }, 'string_type', ['body', 'list', 1], 2],
    ['not a list', { list: 'a' }, 'list_type', ['body', 'list'], 'a'],
    ['not a boolean', { flag: 'yes' }, 'bool_type', ['body', 'flag'], 'yes'],
    ['not an object', { nested: 3 }, 'model_attributes_type', ['body', 'nested'], 3],
    ['a missing inner member', { nested: {} }, 'missing', ['body', 'nested', 'name'], {}],
    ['an unknown discriminator', { choice: { type: 'y' } }, 'union_tag_invalid', ['body', 'choice', 'type'], 'y'],
    ['no alternative', { either: 3 }, 'union_error', ['body', 'either'], 3],
    ['the nearest alternative', { either: { name: 'n' } }, 'missing', ['body', 'either', 'size'], { name: 'n' }],
    ['a wrong pattern', { pattern: 'b' }, 'string_pattern_mismatch', ['body', 'pattern'], 'b'],
    ['not a multiple', { step: 3 }, 'multiple_of', ['body', 'step'], 3],
    ['a rule of our own', { checked: 'no' }, 'value_error', ['body', 'checked'], 'no'],
    ['an unknown member', { extra: 1 }, 'extra_forbidden', ['body', 'extra'], 1],
  ];
  for (const [name, part, type, loc, input] of cases) {
    it(`names ${name} ${type}`, async () => {
      const issues = await issuesOf({ ...good, ...part });
      assert.equal(issues.length, 1, JSON.stringify(issues));
      assert.equal(issues[0].type, type);
      assert.deepEqual(issues[0].loc, loc);
      assert.deepEqual(issues[0].input, input);
    });
  }

  it('keeps a message that the schema gives', async () => {
    const [issue] = await issuesOf({ ...good, own: 'x' });
    assert.equal(issue.msg, 'tell us more');
    assert.equal(issue.type, 'string_too_short');
  });

  it('reports each unknown member on its own', async () => {
    const issues = await issuesOf({ ...good, one: 1, two: 2 });
    assert.deepEqual(
      issues.map(({ loc }: { loc: unknown[] }) => loc),
      [
        ['body', 'one'],
        ['body', 'two'],
      ],
    );
  });

  it('reports a body that is not an object', async () => {
    for (const body of [[], 'text', 3, true]) {
      const [issue] = await issuesOf(body);
      assert.equal(issue.type, 'model_attributes_type');
      assert.deepEqual(issue.loc, ['body']);
    }
    const [issue] = await issuesOf(null);
    assert.equal(issue.type, 'model_attributes_type');
  });

  it('reports an empty body as missing, unless it may be left out', async () => {
    const empty = await send(`${api.url}/body`, { method: 'POST' });
    assert.equal(empty.status, 422);
    assert.deepEqual(empty.json.detail, [{ type: 'missing', loc: ['body'], msg: 'Field required', input: null }]);
    const optional = await send(`${api.url}/optional`, { method: 'POST' });
    assert.deepEqual(optional.json, { given: false });
    const given = await sendJson(`${api.url}/optional`, { name: 'n' });
    assert.deepEqual(given.json, { given: true });
  });

  describe('parameters', () => {
    const search = async (query: string) => send(`${api.url}/search?${query}`);

    it('become what the schema asks for', async () => {
      const reply = await search('page=2&ratio=.5e1&mine=TRUE&limit=7&tag=a&tag=b&size=1&size=2&text=12');
      assert.deepEqual(reply.json.query, {
        page: 2,
        ratio: 5,
        mine: true,
        limit: 7,
        tag: ['a', 'b'],
        size: [1, 2],
        text: '12',
      });
    });

    it('have defaults, and unknown ones are ignored', async () => {
      const reply = await search('other=1&__proto__=x&constructor=y');
      assert.deepEqual(reply.json.query, { page: 1, mine: false, tag: [] });
    });

    it('count with their last value when they are repeated', async () => {
      assert.equal((await search('page=2&page=5')).json.query.page, 5);
    });

    for (const [query, type, input] of [
      ['page=two', 'int_parsing', 'two'],
      ['page=1.5', 'int_parsing', '1.5'],
      ['page=', 'int_parsing', ''],
      ['page=0x10', 'int_parsing', '0x10'],
      ['page=Infinity', 'int_parsing', 'Infinity'],
      ['page=1e999', 'int_parsing', '1e999'],
      ['page=1e3', 'int_parsing', '1e3'],
      ['limit=99999999999999999999', 'less_than_equal', '99999999999999999999'],
      [`page=${'9'.repeat(60)}`, 'int_parsing', '9'.repeat(60)],
      ['page=0', 'greater_than_equal', '0'],
      ['limit=101', 'less_than_equal', '101'],
      ['ratio=much', 'float_parsing', 'much'],
      ['mine=perhaps', 'bool_parsing', 'perhaps'],
      ['page=1&page=two', 'int_parsing', 'two'],
    ] as const) {
      it(`${query.slice(0, 20)} is ${type}`, async () => {
        const reply = await search(query);
        assert.equal(reply.status, 422);
        assert.equal(reply.json.detail.length, 1, reply.text);
        assert.equal(reply.json.detail[0].type, type);
        assert.equal(reply.json.detail[0].input, input);
        assert.equal(reply.json.detail[0].loc[0], 'query');
      });
    }
  });

  describe('what is echoed', () => {
    it('is bounded', async () => {
      const [issue] = await issuesOf({ ...good, text: 'x'.repeat(100_000) });
      assert.ok(issue.input.length < 300);
      const many = await sendJson(`${api.url}/body`, { ...good, list: Array.from({ length: 5_000 }, (_, i) => i) });
      assert.ok(many.text.length < 30_000, `${many.text.length} characters`);
      assert.ok(many.json.detail.length <= 101);
    });

    it('holds no credentials', async () => {
      const body = { ...good, text: undefined, nested: { password: 'hunter22' }, api_key: 's3cret', token: 's3cret' };
      const reply = await sendJson(`${api.url}/body?secret=s3cret`, body, {
        headers: { authorization: 'Bearer s3cret' },
      });
      assert.equal(reply.status, 422);
      assert.ok(!reply.text.includes('s3cret') && !reply.text.includes('hunter22'), reply.text);
      const query = await send(`${api.url}/search?api_key=s3cret`);
      assert.equal(query.status, 422);
      assert.ok(!query.text.includes('s3cret'), query.text);
      const url = await sendJson(`${api.url}/body`, { ...good, list: 'https://user:s3cret@example.com' });
      assert.match(url.text, /\[redacted\]@example\.com/);
      const headers = await sendJson(`${api.url}/body`, {
        ...good,
        text: undefined,
        headers: { 'Bad Name': 's3cret' },
      });
      assert.ok(!headers.text.includes('s3cret'), headers.text);
      const { issues } = InvalidRequest.at(['body', 'url'], 'Value error', 'https://user:s3cret@example.com');
      assert.equal(issues[0]!.input, 'https://[redacted]@example.com');
    });
  });
});
