import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useCallback } from 'react';
import { may, sessionQuery } from '../../api/session.ts';
import { MayNotRead } from '../../app/fallbacks.tsx';
import { useListKeys } from '../../app/list-keys.ts';
import { Filter } from '../../components/ui/filter.tsx';
import { Pager } from '../../components/ui/pager.tsx';
import { PageHead } from '../../components/ui/panel.tsx';
import { SearchField } from '../../components/ui/search-field.tsx';
import { Empty, Failed, Loading } from '../../components/ui/states.tsx';
import { ConnectSource } from '../../components/connect-source.tsx';
import { NewInvestigation } from './new-investigation.tsx';
import { addressOf, countMore, filterIn, type ListFilter } from './list-filter.ts';
import { MoreFilters } from './more-filters.tsx';
import { outcomeIn, OUTCOMES } from './outcome.ts';
import { investigationsQuery, PAGE_SIZE } from './queries.ts';
import { InvestigationRow } from './row.tsx';

const route = getRouteApi('/signed-in/investigations');

export function InvestigationsPage() {
  const { page = 1, ...address } = route.useSearch();
  const navigate = route.useNavigate();
  const filter = filterIn(address);
  const { search, outcome } = filter;
  const { data: session } = useQuery(sessionQuery);
  const mayRead = may(session, 'investigations:read');
  const { data, error, refetch, isPlaceholderData } = useQuery({
    ...investigationsQuery(filter, page),
    placeholderData: keepPreviousData,
    enabled: mayRead,
  });
  // A new investigation appears in the list, so it takes both scopes.
  const mayStart = mayRead && may(session, 'investigations:write');
  const list = useListKeys<HTMLUListElement>();
  const isFiltered = search !== undefined || outcome !== undefined || countMore(filter) > 0;
  // A new filter starts at its first page.
  const onFilter = (change: ListFilter): void => void navigate({ search: addressOf({ ...filter, ...change }) });
  const onSearch = useCallback(
    (text: string) =>
      void navigate({
        search: (now) => ({ ...now, page: undefined, q: text === '' ? undefined : text }),
        replace: true,
      }),
    [navigate],
  );
  const first = (page - 1) * PAGE_SIZE + 1;
  if (!mayRead) return <MayNotRead title="Investigations" what="investigations" scope="investigations:read" />;
  return (
    <>
      <title>Investigations · Casebook</title>
      <PageHead title="Investigations" />
      <ConnectSource />
      {mayStart && <NewInvestigation />}
      <div className="mb-3 flex flex-wrap items-center justify-between gap-2">
        <Filter
          label="Outcome"
          value={outcome}
          options={OUTCOMES}
          onFilter={(value) => onFilter({ outcome: outcomeIn(value) })}
        />
        <SearchField label="Search investigations" value={search ?? ''} onSearch={onSearch} />
      </div>
      <MoreFilters filter={filter} onFilter={onFilter} />
      {error !== null && <Failed error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Loading lines={8} />}
      {data?.items.length === 0 &&
        (data.total > 0 ? (
          <Empty title="This page is empty">
            <Link to="/investigations" search={addressOf(filter)} className="text-accent underline">
              Go to the first page
            </Link>
          </Empty>
        ) : isFiltered ? (
          <Empty title="No matching investigations">
            <Link to="/investigations" className="text-accent underline">
              Show all investigations
            </Link>
          </Empty>
        ) : (
          <Empty title="No investigations yet">{mayStart && 'Describe a problem above to start the first one.'}</Empty>
        ))}
      {data !== undefined && data.items.length > 0 && (
        <>
          <ul
            ref={list}
            aria-label="Investigations"
            aria-busy={isPlaceholderData}
            className="divide-y overflow-hidden rounded-lg border bg-surface"
          >
            {data.items.map((investigation) => (
              <InvestigationRow key={investigation.id} investigation={investigation} />
            ))}
          </ul>
          <Pager
            page={page}
            hasMore={data.total > page * PAGE_SIZE}
            summary={`${first}–${first + data.items.length - 1} of ${data.total}`}
            onPage={(to) => void navigate({ search: { ...addressOf(filter), page: to } })}
          />
        </>
      )}
    </>
  );
}
