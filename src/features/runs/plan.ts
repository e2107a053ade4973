import type { PlanItem, SourceAnswer } from '../tools/tool.ts';

/**
 * A plan as the model gave it, except that an item is done only if it brought data: one that has become done although
 * sources were queried and none had any is `no_data`. Items without queries are done when the model says so.
 * @param before the plan until now, whose verdicts stay
 * @param answers of the queries since then
 */
export function tickPlan(
  items: readonly PlanItem[],
  before: readonly PlanItem[],
  answers: readonly SourceAnswer[],
): PlanItem[] {
  const known = new Map(before.map(({ text, status }) => [text, status]));
  const isVain = answers.length > 0 && !answers.includes('data');
  return items.map((item) => {
    if (item.status !== 'done') return item;
    const was = known.get(item.text);
    if (was === 'done') return item;
    return was === 'no_data' || isVain ? { ...item, status: 'no_data' } : item;
  });
}
