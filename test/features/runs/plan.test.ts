import assert from 'node:assert/strict';
import { tickPlan } from '../../../src/features/runs/plan.ts';
import type { PlanItem } from '../../../src/features/tools/index.ts';

const item = (text: string, status: PlanItem['status']): PlanItem => ({ text, status });

describe('the plan of a run', () => {
  const before = [item('List', 'done'), item('Metrics', 'in_progress'), item('Logs', 'pending')];
  const done = [item('List', 'done'), item('Metrics', 'done'), item('Logs', 'in_progress')];

  it('ticks what brought data', () => {
    assert.deepEqual(tickPlan(done, before, ['unavailable', 'data']), done);
  });

  it('does not tick what brought none, and leaves alone what was ticked before', () => {
    for (const answers of [['unavailable'], ['nothing', 'refused']] as const)
      assert.deepEqual(tickPlan(done, before, answers), [done[0], item('Metrics', 'no_data'), done[2]]);
  });

  it('ticks what needed no query', () => {
    assert.deepEqual(tickPlan(done, before, []), done);
  });

  it('keeps to its verdict until the item is worked on again', () => {
    const vain = [item('Metrics', 'no_data')];
    assert.deepEqual(tickPlan([item('Metrics', 'done')], vain, ['data']), vain);
    assert.deepEqual(tickPlan([item('Metrics', 'done')], [item('Metrics', 'in_progress')], ['data']), [
      item('Metrics', 'done'),
    ]);
  });
});
