import { CircleAlert, CircleCheck, CircleDashed, CircleDot, CircleSlash, type LucideIcon } from 'lucide-react';
import type { PlanItem } from './plan.ts';

const STATES: Record<PlanItem['status'], { icon: LucideIcon; word: string; tone: string }> = {
  pending: { icon: CircleDashed, word: 'To do', tone: 'text-ink-soft' },
  in_progress: { icon: CircleDot, word: 'In progress', tone: 'text-accent' },
  done: { icon: CircleCheck, word: 'Done', tone: 'text-good' },
  no_data: { icon: CircleAlert, word: 'No data', tone: 'text-warn' },
  skipped: { icon: CircleSlash, word: 'Skipped', tone: 'text-ink-soft' },
};

/** The model's todo list and its progress. */
export const PlanList = ({ items }: { items: readonly PlanItem[] }) => (
  <ol className="flex flex-col gap-2 text-sm">
    {items.map(({ text, status }, index) => {
      const { icon: Icon, word, tone } = STATES[status];
      return (
        // oxlint-disable-next-line react/no-array-index-key -- items have no id, and a plan is replaced as a whole
        <li key={index} className="flex gap-2">
          <Icon role="img" aria-label={word} size={16} className={`mt-0.5 shrink-0 ${tone}`} />
          <span className={`min-w-0 break-words ${status === 'skipped' ? 'line-through' : ''}`}>{text}</span>
        </li>
      );
    })}
  </ol>
);
