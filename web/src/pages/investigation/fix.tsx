import { Panel } from '../../components/ui/panel.tsx';
import { NextStep } from './report/next-step.tsx';
import { RecommendedPullRequest } from './report/recommended-pull-request.tsx';
import type { Report } from './queries.ts';

/** What to change, and how to verify it. */
export function Fix({ id, report }: { id: string; report: Report }) {
  if (report.root_cause.service === null) {
    return (
      <div className="flex flex-col gap-4">
        <Panel title="No fix proposed">
          <p>No cause to fix yet. The step below helps establish one.</p>
        </Panel>
        <NextStep change={report.recommended_change} />
      </div>
    );
  }
  return (
    <div className="flex flex-col gap-4">
      <NextStep change={report.recommended_change} />
      <RecommendedPullRequest id={id} report={report} />
    </div>
  );
}
