import { PlanList } from '../../../components/plan/plan-list.tsx';
import type { PlanItem } from '../../../components/plan/plan.ts';
import { Panel } from '../../../components/ui/panel.tsx';

/** The model's todo list and its progress. */
export function Plan({ items }: { items: readonly PlanItem[] }) {
  if (items.length === 0) return null;
  const done = items.filter(({ status }) => status === 'done').length;
  return (
    <Panel
      title="Plan"
      actions={
        <span className="text-sm text-ink-soft tabular-nums">
          {done} of {items.length} done
        </span>
      }
    >
      <PlanList items={items} />
    </Panel>
  );
}
