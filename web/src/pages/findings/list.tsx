import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Field, Select } from '../../components/ui/field.tsx';
import { PageHead } from '../../components/ui/panel.tsx';
import { agentsQuery } from '../monitoring/queries.ts';
import { severityOf, statusOf } from './filter-values.ts';
import { SeverityFilter, StatusFilter } from './filters.tsx';
import { FindingList } from './finding-list.tsx';

const route = getRouteApi('/signed-in/findings');

export function FindingsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { data } = useQuery({ ...agentsQuery, refetchInterval: false });
  const chats = data?.chats ?? [];
  const { agent, page = 1 } = search;
  const [status, severity] = [statusOf(search.status), severityOf(search.severity)];
  // A new filter starts at its first page.
  const filter = (change: { status?: string | undefined; severity?: string | undefined; agent?: string | undefined }) =>
    void navigate({ search: (now) => ({ ...now, page: undefined, ...change }) });
  return (
    <>
      <title>Findings · Casebook</title>
      <PageHead title="Findings" description="What agents found, and external alerts." />
      <div className="flex flex-wrap gap-3 pb-4">
        <StatusFilter value={status} onChange={(next) => filter({ status: next })} />
        <SeverityFilter value={severity} onChange={(next) => filter({ severity: next })} />
        <Field label="Agent" className="min-w-0 flex-1 basis-52 sm:max-w-80">
          {(control) => (
            <Select
              {...control}
              value={agent ?? ''}
              onChange={(event) => filter({ agent: event.target.value || undefined })}
            >
              <option value="">All</option>
              {agent !== undefined && chats.every(({ chat_id: id }) => id !== agent) && (
                <option value={agent}>Deleted agent</option>
              )}
              {chats.map(({ chat_id: id, title }) => (
                <option key={id} value={id}>
                  {title}
                </option>
              ))}
            </Select>
          )}
        </Field>
      </div>
      <FindingList
        filter={{
          page,
          ...(status && { status }),
          ...(severity && { severity }),
          ...(agent !== undefined && { agent }),
        }}
        headingLevel={2}
        namesAgents
        onPage={(next) => void navigate({ search: (now) => ({ ...now, page: next }) })}
      />
    </>
  );
}
