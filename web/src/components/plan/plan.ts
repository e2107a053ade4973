/** The model's todo list, as `update_plan` takes it. */
export interface PlanItem {
  text: string;
  status: 'pending' | 'in_progress' | 'done' | 'skipped' | 'no_data';
}

const STATES: readonly unknown[] = [
  'pending',
  'in_progress',
  'done',
  'skipped',
  'no_data',
] satisfies PlanItem['status'][];

const isItem = (item: unknown): item is PlanItem =>
  typeof item === 'object' &&
  item !== null &&
  'text' in item &&
  typeof item.text === 'string' &&
  'status' in item &&
  STATES.includes(item.status);

/** @returns the items of a plan that a model wrote, skipping malformed ones */
export const planItems = (items: unknown): PlanItem[] => (Array.isArray(items) ? items.filter(isItem) : []);
