import assert from 'node:assert/strict';
import { clustersOf, healthOf, inventoryOf, redactGraph } from '../../../satellite/connection/index.ts';
import { createRedactor, redactionConfig } from '../../../satellite/redaction/index.ts';
import { clusters, graphMessage, health, inventory } from '@casebook/wire';

/** Whose replacements are longer than what they stand for, as the usual ones are for `pwd=x`. */
const patterns = [
  { name: 'customer', pattern: 'customer-7', replacement: '[customer]'.repeat(30) },
  { name: 'none', pattern: 'nobody', replacement: '' },
];
const redactor = createRedactor(redactionConfig.parse({ patterns }));

describe('satellite: what it says about itself', () => {
  it('keeps a tool whose words grow by redaction, and redacts its schema', () => {
    const tool = {
      server: 'docs',
      name: 'read',
      title: `pwd=x ${'t'.repeat(990)}`,
      description: `pwd=x ${'d'.repeat(1_990)}`,
      inputSchema: { type: 'object', properties: { password: { type: 'string', default: 'AKIAIOSFODNN7EXAMPLE' } } },
      outputSchema: { description: 'pwd=x' },
      readOnly: true,
    };
    const found = { version: '1', labels: {}, connectors: [], tools: [tool], omitted: 0, redactor };
    const { tools, omittedTools } = inventory.parse(inventoryOf(found));
    assert.deepEqual([tools.length, omittedTools], [1, 0]);
    assert.ok(tools[0]?.description.startsWith('pwd=[redacted] d'));
    assert.deepEqual(tools[0]?.inputSchema, {
      type: 'object',
      properties: { password: { type: 'string', default: '[redacted]' } },
    });
    assert.deepEqual(tools[0]?.outputSchema, { description: 'pwd=[redacted]' });
  });

  it('keeps a cluster whose problems grow by redaction', () => {
    const problem = { kind: 'Pod', name: 'customer-7', reason: 'customer-7', message: `pwd=x ${'m'.repeat(990)}` };
    const cluster = {
      name: 'c',
      connector: 'k',
      nodes: { total: 1, ready: 1 },
      namespaces: 1,
      workloads: { total: 0, available: 0 },
      pods: { total: 0, running: 0, pending: 0, failed: 0, restarts: 0 },
      problems: [problem],
      observedAgoMs: 0,
    };
    const [said] = clusters.parse(clustersOf([cluster], redactor));
    assert.equal(said?.problems.length, 1);
    assert.doesNotMatch(JSON.stringify(said), /customer-7|pwd=x/);
  });

  it('sends health and a graph that the protocol has, whatever redaction makes of them', () => {
    const [said] = healthOf(
      [{ id: 'a', of: 'mcp', status: 'failing', message: `pwd=x ${'😀'.repeat(500)}` }],
      redactor,
    );
    assert.ok(health.parse(said).message?.isWellFormed());
    const edge = (caller: string) => ({ caller, callee: 'b', sources: ['spans' as const], seenAgoMs: 0, stale: false });
    const graph = redactGraph(
      {
        type: 'graph',
        epoch: crypto.randomUUID(),
        seq: 0,
        kind: 'delta',
        last: true,
        edges: [edge('customer-7'), edge('nobody')],
        gone: [
          ['customer-7', 'b'],
          ['nobody', 'b'],
        ],
      },
      redactor,
    );
    const { edges, gone } = graphMessage.parse(graph);
    assert.deepEqual([edges.length, gone.length], [1, 1]);
    assert.equal(edges[0]?.caller, gone[0]?.[0], 'an edge goes by the name it came by');
  });
});
