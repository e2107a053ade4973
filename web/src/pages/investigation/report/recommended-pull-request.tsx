import { SuggestedPullRequest } from '../../../components/pull-request/index.tsx';
import { Panel } from '../../../components/ui/panel.tsx';
import type { Report } from '../queries.ts';

/** The change that the report recommends, as a pull request to open. */
export function RecommendedPullRequest({ id, report: { recommended_pr } }: { id: string; report: Report }) {
  if (recommended_pr === null) return null;
  return (
    <Panel title="Recommended pull request">
      <SuggestedPullRequest origin={{ investigation_id: id }} suggestion={recommended_pr} />
    </Panel>
  );
}
