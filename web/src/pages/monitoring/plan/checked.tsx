import { CircleCheck } from 'lucide-react';
import type { AgentPlan } from '../queries.ts';

/** A plan the API has validated: it can be carried out, and this is what would happen. */
export function Checked({ plan }: { plan: AgentPlan }) {
  return (
    <div className="rounded-lg border border-good bg-good-soft px-4 py-3">
      <p role="status" className="flex items-center gap-2 font-medium text-good">
        <CircleCheck aria-hidden size={18} /> The plan is valid. Not saved yet.
      </p>
      <ul className="mt-1 list-disc pl-6 text-sm">
        {plan.checks.map(({ id, title, description }) => (
          <li key={id} className="line-clamp-3 break-words">
            <span className="font-medium">{title}</span>: {description}
          </li>
        ))}
      </ul>
    </div>
  );
}
