import { CircleAlert } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { IssueMap, PlanIssue } from './issues.ts';

/** Everything wrong with a plan, each linked to its field. Takes focus when a plan is refused. */
export function IssueSummary({ issues, onGoTo }: { issues: IssueMap; onGoTo: (issue: PlanIssue) => void }) {
  const box = useRef<HTMLDivElement>(null);
  // oxlint-disable-next-line react/exhaustive-effect-dependencies, react-hooks/exhaustive-deps -- a plan that is refused again is told again
  useEffect(() => box.current?.focus(), [issues]);
  const { all } = issues;
  return (
    <div ref={box} tabIndex={-1} role="alert" className="rounded-lg border border-bad bg-bad-soft px-4 py-3 text-bad">
      <p className="flex items-center gap-2 font-medium">
        <CircleAlert aria-hidden size={18} />
        {all.length === 1 ? 'The plan was not saved: 1 problem.' : `The plan was not saved: ${all.length} problems.`}
      </p>
      <ul className="mt-1 flex max-h-60 list-disc flex-col gap-1 overflow-y-auto pl-6 text-sm">
        {all.map((issue) => (
          <li key={`${issue.checkKey} ${issue.path} ${issue.message}`} className="break-words">
            <button type="button" className="text-left font-medium break-words underline" onClick={() => onGoTo(issue)}>
              {issue.place.slice(0, 200)}
            </button>
            <span className="block">{issue.message}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
