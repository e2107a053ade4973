import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { SinceFilter } from '../../components/since-filter.tsx';
import { sinceIn } from '../../components/time-filter.ts';
import { PageHead } from '../../components/ui/panel.tsx';
import { SelectFilter } from '../../components/ui/select-filter.tsx';
import { TextFilter } from '../../components/ui/text-filter.tsx';
import { agentsQuery } from '../monitoring/queries.ts';
import { ORIGINS, originOf, SEVERITIES, severityOf, STATUSES, statusOf } from './filter-values.ts';
import { FindingList } from './finding-list.tsx';

const route = getRouteApi('/signed-in/findings');
const IS_ID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

export function FindingsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { data } = useQuery({ ...agentsQuery, refetchInterval: false });
  const { page = 1 } = search;
  const [status, severity, since] = [statusOf(search.status), severityOf(search.severity), sinceIn(search.since)];
  const origin = originOf(search.trigger);
  const service = search.service?.slice(0, 200);
  const agent = search.agent !== undefined && IS_ID.test(search.agent) ? search.agent : undefined;
  const known = data?.chats.map(({ chat_id: value, title }) => ({ value, title })) ?? [];
  const agents =
    agent === undefined || known.some(({ value }) => value === agent)
      ? known
      : [...known, { value: agent, title: 'Deleted agent' }];
  // A new filter starts at its first page.
  const filter = (change: Partial<typeof search>) =>
    void navigate({ search: (now) => ({ ...now, page: undefined, ...change }) });
  return (
    <>
      <title>Findings · Casebook</title>
      <PageHead title="Findings" description="What agents found, and external alerts." />
      <div className="flex flex-wrap gap-3 pb-4">
        <SelectFilter
          label="Status"
          value={status}
          options={STATUSES}
          onFilter={(to) => filter({ status: to })}
          all="Confirmed"
        />
        <SelectFilter
          label="Severity"
          value={severity}
          options={SEVERITIES}
          onFilter={(to) => filter({ severity: to })}
        />
        <SelectFilter
          label="Opened by"
          value={origin}
          options={ORIGINS}
          onFilter={(to) => filter({ trigger: to })}
          all="Any"
        />
        <SelectFilter label="Agent" value={agent} options={agents} onFilter={(to) => filter({ agent: to })} />
        <TextFilter label="Service" value={service} onFilter={(to) => filter({ service: to })} />
        <SinceFilter label="Opened" value={since} onFilter={(to) => filter({ since: to })} />
      </div>
      <FindingList
        filter={{ page, status, severity, origin, agent, service, since }}
        headingLevel={2}
        namesAgents
        onPage={(next) => void navigate({ search: (now) => ({ ...now, page: next }) })}
      />
    </>
  );
}
