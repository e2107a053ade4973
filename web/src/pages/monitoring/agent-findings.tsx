import { getRouteApi } from '@tanstack/react-router';
import { FindingList } from '../findings/finding-list.tsx';
import { StatusFilter } from '../findings/filters.tsx';
import { statusOf } from '../findings/filter-values.ts';

const route = getRouteApi('/signed-in/monitoring/$agentId');

export function AgentFindings({ agentId }: { agentId: string }) {
  const { status: written, page = 1 } = route.useSearch();
  const navigate = route.useNavigate();
  const status = statusOf(written);
  return (
    <div className="flex flex-col gap-4">
      <h2 className="sr-only">Findings</h2>
      <div className="flex flex-wrap gap-3">
        <StatusFilter
          value={status}
          onChange={(next) => void navigate({ search: { tab: 'findings', ...(next && { status: next }) } })}
        />
      </div>
      <FindingList
        filter={{ agent: agentId, page, ...(status && { status }) }}
        headingLevel={3}
        onPage={(next) => void navigate({ search: (now) => ({ ...now, page: next }) })}
      />
    </div>
  );
}
