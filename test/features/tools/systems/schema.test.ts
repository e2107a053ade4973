import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { ANY_OBJECT, offeredSchema } from '../../../../src/features/tools/systems/schema.ts';

const object = (properties: Record<string, unknown>, more: object = {}) => ({ type: 'object', properties, ...more });

const SOUND: Record<string, Record<string, unknown>> = {
  'a plain one': object(
    { path: { type: 'string', minLength: 1 }, depth: { type: ['integer', 'null'], minimum: 0 } },
    {
      required: ['path'],
      additionalProperties: false,
    },
  ),
  'one with definitions': object(
    { node: { $ref: '#/$defs/node' } },
    {
      $defs: { node: object({ next: { $ref: '#/$defs/node' }, kind: { enum: ['a', 1, null] } }) },
    },
  ),
  'one with choices within': object({ at: { anyOf: [{ type: 'string', format: 'date-time' }, { type: 'number' }] } }),
  'an empty one': { type: 'object' },
  'one of an older draft': { $schema: 'http://json-schema.org/draft-07/schema#', ...object({ a: true }) },
};

const UNSOUND: Record<string, Record<string, unknown>> = {
  'no object': { type: 'string' },
  'a choice at the top': { type: 'object', anyOf: [{ required: ['a'] }] },
  'a type that there is not': object({ a: { type: 'text' } }),
  'no type at all': object({ a: { type: [] } }),
  'content of no kind': object({ a: { contentEncoding: 5 } }),
  'a name that the API refuses': object({ 'a b': { type: 'string' } }),
  'properties that are none': object({}, { properties: [] }),
  'required as in draft 3': object({ a: { type: 'string', required: true } }),
  'required twice': object({ a: {} }, { required: ['a', 'a'] }),
  'a reference elsewhere': object({ a: { $ref: 'https://example.com/schema.json' } }),
  'a reference to nothing': object({ a: { $ref: '#/$defs/a' } }),
  'a tuple of an older draft': object({ a: { type: 'array', items: [{ type: 'string' }] } }),
  'a pattern that is none': object({ a: { type: 'string', pattern: '(' } }),
  'a length that is none': object({ a: { minLength: -1 } }),
  'depth without end': object(
    Array.from({ length: 50 }).reduce<Record<string, unknown>>((inner) => ({ a: object(inner) }), {}),
  ),
};

describe('schemas of satellites’ tools', () => {
  for (const [what, schema] of Object.entries(SOUND)) {
    it(`go to the model as they came: ${what}`, () => {
      assert.deepEqual(offeredSchema(schema), schema);
      const { $schema: _dialect, ...rest } = schema;
      // What is taken for sound is: a validator of the draft agrees.
      new Ajv2020({ strict: false, validateFormats: false }).compile(rest);
    });
  }

  for (const [what, schema] of Object.entries(UNSOUND)) {
    it(`are replaced by one that takes any object: ${what}`, () => {
      assert.equal(offeredSchema(schema), ANY_OBJECT);
    });
  }

  it('are of an object even where that was left out', () => {
    assert.deepEqual(offeredSchema({ properties: { a: {} } }), { type: 'object', properties: { a: {} } });
  });
});
