import assert from 'node:assert/strict';
import { Plan } from '../../../src/features/monitoring-agents/plan/schema.ts';
import { plannedBy } from '../../../src/features/monitoring-agents/agent/settings.ts';

describe('the plan as the workflow sees it', () => {
  const planOf = (sql: string) =>
    Plan.parse({
      summary: 'Watches orders.',
      checks: [
        {
          id: 'orders',
          title: 'Orders are paid',
          schedule: { every_seconds: 60 },
          check: {
            type: 'mcp_tool',
            tool: 'query',
            arguments: { sql, password: 'hunter2' },
            condition: { type: 'contains', text: 'x' },
          },
        },
      ],
    });

  it('is when checks run, and not what they ask', () => {
    const told = JSON.stringify(plannedBy(planOf('select secret from orders')));
    assert.match(told, /"id":"orders","title":"Orders are paid"/);
    assert.doesNotMatch(told, /select|hunter2|Watches/);
  });

  it('tells a changed check from the same one', () => {
    const [one, same, other] = ['select 1', 'select 1', 'select 2'].map((sql) => plannedBy(planOf(sql)));
    assert.deepEqual(one, same);
    assert.notDeepEqual(one, other);
  });
});
