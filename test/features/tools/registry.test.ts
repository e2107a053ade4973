import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { z } from 'zod';
import { submitReport } from '../../../src/features/investigations/report/index.ts';
import { createToolRegistry, defineTool, sharedTools } from '../../../src/features/tools/index.ts';
import { toolContext } from '../../support/tool-context.ts';

const echo = defineTool({
  name: 'echo',
  description: 'Says it again.',
  input: z.strictObject({ text: z.string(), items: z.array(z.strictObject({ n: z.number().int() })).default([]) }),
  summarize: ({ text }) => `Echo ${text}`,
  run: ({ text }) => {
    if (text === 'explode') throw new TypeError('boom');
    return Promise.resolve({ content: text, digest: `said ${text}` });
  },
});
const registry = createToolRegistry([echo]);
const contentOf = async (name: string, input: unknown) => {
  const output = await registry.invoke(name, input, toolContext());
  assert.equal(output.isError, true);
  assert.ok(output.digest.length <= 200);
  const refusal: { error: string; issues: { path: string }[] } = JSON.parse(String(output.content));
  return refusal;
};

describe('tool registry', () => {
  it('lists every issue of an invalid input with its path', async () => {
    const { error, issues } = await contentOf('echo', { items: [{ n: 1 }, { n: 'x' }], more: 1 });
    assert.deepEqual(
      issues.map(({ path }) => path),
      ['text', 'items[1].n', ''],
    );
    assert.match(error, /echo is not valid: text: .*items\[1\]\.n: .*Unrecognized key: "more"/u);
    for (const input of [undefined, null, 'text', [], 5])
      assert.match((await contentOf('echo', input)).error, /expected object/u);
  });

  it('bounds the issues it lists', async () => {
    const items = Array.from({ length: 5_000 }, () => ({ n: 'x' }));
    const { error, issues } = await contentOf('echo', { text: 'a', items });
    assert.equal(issues.length, 20);
    assert.match(error, /and 4980 more$/u);
  });

  it('names the tools there are when one is unknown', async () => {
    const output = await registry.invoke('no\nsuch"tool', {}, toolContext());
    assert.equal(output.isError, true);
    assert.deepEqual(JSON.parse(String(output.content)), {
      error: 'There is no tool "no such"tool".',
      tools: ['echo'],
    });
  });

  it('fills in defaults, bounds the digest and the summary to one line', async () => {
    const output = await registry.invoke('echo', { text: `a\n${'b'.repeat(500)}` }, toolContext());
    assert.ok(output.digest.startsWith('said a bbb') && output.digest.length <= 200);
    const summary = registry.summarize('echo', { text: 'c\n'.repeat(500) });
    assert.ok(summary.startsWith('Echo c c') && summary.length <= 120);
    assert.equal(registry.summarize('echo', { text: 1 }), 'echo (invalid call)');
    assert.equal(registry.summarize('nothing', {}), 'nothing (invalid call)');
  });

  it('lets unexpected exceptions through', async () => {
    await assert.rejects(registry.invoke('echo', { text: 'explode' }, toolContext()), TypeError);
  });

  it('refuses two tools of one name, odd names, and inputs that are no object', () => {
    assert.throws(() => createToolRegistry([echo, echo]), /Two tools are named "echo"/u);
    assert.throws(() => createToolRegistry([{ ...echo, name: 'Echo it' }]), /not a tool name/u);
    assert.throws(() => createToolRegistry([{ ...echo, input: z.string() }]), /must be an object/u);
  });

  it('defines the tools of an investigation for the Messages API', () => {
    const definitions = createToolRegistry([...sharedTools, submitReport]).definitions();
    assert.deepEqual(
      definitions.map(({ name }) => name),
      [
        'list_sources',
        'list_services',
        'search_metrics',
        'query_metric',
        'promql',
        'search_logs',
        'search_traces',
        'get_trace',
        'compare_traces',
        'service_dependencies',
        'recent_changes',
        'rank_root_causes',
        'read_tool_result',
        'update_plan',
        'submit_report',
      ],
    );
    const ajv = new Ajv2020({ strict: false });
    for (const { name, description, input_schema: schema } of definitions) {
      assert.ok((description ?? '').length > 60, name);
      assert.equal(schema.type, 'object');
      assert.ok(!('$schema' in schema));
      assert.equal(schema['additionalProperties'], false, name);
      assert.doesNotThrow(() => ajv.compile(schema), name);
    }
  });

  it('hands out definitions that cannot be changed for others', () => {
    const [definition] = registry.definitions();
    assert.ok(definition);
    definition.name = 'changed';
    assert.equal(registry.definitions()[0]?.name, 'echo');
  });
});
