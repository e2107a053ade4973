import assert from 'node:assert/strict';
import { readMcpResult } from '../../../../src/features/tools/systems/mcp-result.ts';

const read = (result: unknown) => readMcpResult(JSON.stringify(result));

describe('results of MCP tools', () => {
  it('are their texts, then the structured content', () => {
    const content = [
      { type: 'text', text: 'First.' },
      { type: 'text', text: 'Second.' },
    ];
    assert.deepEqual(read({ content, structuredContent: { n: 1 } }), {
      content: 'First.\n\nSecond.\n\n{"n":1}',
      isError: false,
    });
  });

  it('do not say the same twice', () => {
    const content = [{ type: 'text', text: '{ "b": 2, "a": 1 }' }];
    assert.equal(read({ content, structuredContent: { a: 1, b: 2 } }).content, '{ "b": 2, "a": 1 }');
  });

  it('name what is no text', () => {
    const { content } = read({
      content: [
        { type: 'image', data: 'AAAA', mimeType: 'image/png' },
        { type: 'resource', resource: { uri: 'file:///a', text: 'inside' } },
        { type: 'resource_link', uri: 'file:///b', name: 'b' },
        { type: 'novelty', value: 1 },
      ],
    });
    assert.equal(
      content,
      '[image image/png, 4 characters of base64, not shown]\n\n[resource file:///a]\ninside\n\n[resource b file:///b]\n\n{"type":"novelty","value":1}',
    );
  });

  it('are errors where the server says so', () => {
    assert.deepEqual(read({ content: [{ type: 'text', text: 'No such file' }], isError: true }), {
      content: 'No such file',
      isError: true,
    });
  });

  it('stay as they are in a form that is not known', () => {
    assert.deepEqual(read({ content: 'text' }), { content: '{"content":"text"}', isError: false });
    assert.deepEqual(read([1]), { content: '[1]', isError: false });
  });
});
