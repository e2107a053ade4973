import { z } from 'zod';
import { jsonOutput, defineTool } from './tool.ts';
import type { UpdatePlanResult } from './results.ts';
import { count } from './text.ts';

/** `update_plan`: the run's todo list, which the operator sees. */
export const updatePlan = defineTool({
  name: 'update_plan',
  description:
    'Replaces your todo list, which the operator sees. Call it early with the hypotheses and checks you intend, and again when an item is begun, done or no longer worth doing. Always give the whole list; at most one item should be in_progress.',
  input: z.strictObject({
    items: z
      .array(
        z.strictObject({
          text: z.string().trim().min(1).max(300).describe('What to do, in a few words.'),
          status: z.enum(['pending', 'in_progress', 'done', 'skipped']),
        }),
      )
      .min(1)
      .max(30),
  }),
  summarize: ({ items }) =>
    `Plan: ${items.find(({ status }) => status === 'in_progress')?.text ?? count(items.length, 'item')}`,
  run({ items }) {
    const done = items.filter(({ status }) => status === 'done' || status === 'skipped').length;
    const result: UpdatePlanResult = { items: items.length, done };
    return Promise.resolve(jsonOutput(result, `Plan: ${done} of ${items.length} done`, { kind: 'plan', items }));
  },
});
