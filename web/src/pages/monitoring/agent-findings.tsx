import { getRouteApi } from '@tanstack/react-router';
import { FindingList } from '../findings/finding-list.tsx';
import { SelectFilter } from '../../components/ui/select-filter.tsx';
import { STATUSES, statusOf } from '../findings/filter-values.ts';

const route = getRouteApi('/signed-in/monitoring/$agentId');

export function AgentFindings({ agentId }: { agentId: string }) {
  const { status: written, page = 1 } = route.useSearch();
  const navigate = route.useNavigate();
  const status = statusOf(written);
  return (
    <div className="flex flex-col gap-4">
      <h2 className="sr-only">Findings</h2>
      <div className="flex flex-wrap gap-3">
        <SelectFilter
          label="Status"
          value={status}
          options={STATUSES}
          onFilter={(to) => void navigate({ search: { tab: 'findings', ...(to && { status: to }) } })}
          all="Confirmed"
        />
      </div>
      <FindingList
        filter={{ agent: agentId, page, status }}
        headingLevel={3}
        onPage={(next) => void navigate({ search: (now) => ({ ...now, page: next }) })}
      />
    </div>
  );
}
