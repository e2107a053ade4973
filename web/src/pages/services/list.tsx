/** The team's services: which have open findings, and who calls whom. */
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { lazy, Suspense, useCallback } from 'react';
import { may, sessionQuery } from '../../api/session.ts';
import { useListKeys } from '../../app/list-keys.ts';
import { ConnectSource } from '../../components/connect-source.tsx';
import { Badge } from '../../components/ui/badge.tsx';
import { count } from '../../components/ui/numbers.ts';
import { PageHead, Panel } from '../../components/ui/panel.tsx';
import { SearchField } from '../../components/ui/search-field.tsx';
import { Empty, Loading } from '../../components/ui/states.tsx';
import { findingsQuery } from '../findings/queries.ts';
import { NotAnswered, SourcesFailed, Truncated } from './not-answered.tsx';
import { useCalls, useServices } from './queries.ts';

const ServiceGraph = lazy(async () => ({
  default: (await import('../../components/graph/service-graph.tsx')).ServiceGraph,
}));

const route = getRouteApi('/signed-in/services');
const MAX_ROWS = 200;
const HEIGHT = 520;

export function ServicesPage() {
  const { q: search = '' } = route.useSearch();
  const navigate = route.useNavigate();
  const onSearch = useCallback(
    (text: string) => void navigate({ search: text === '' ? {} : { q: text }, replace: true }),
    [navigate],
  );
  const { data: session } = useQuery(sessionQuery);
  const { data: open } = useQuery({
    ...findingsQuery({ status: 'open', count: 100 }),
    enabled: may(session, 'monitoring:read'),
  });
  const services = useServices();
  const calls = useCalls();
  const list = useListKeys<HTMLUListElement>();
  const openIn = new Map(
    [...Map.groupBy(open?.findings ?? [], ({ service }) => service ?? '')].map(([name, { length }]) => [name, length]),
  );
  // A caller may be known from its calls alone.
  const described = new Map(services.items.map((service) => [service.name, service]));
  const names = new Set([...described.keys(), ...calls.items.flatMap(({ caller, callee }) => [caller, callee])]);
  const wanted = search.toLowerCase();
  const found = [...names]
    .map((name) => described.get(name) ?? { name, descriptions: [] })
    .filter(({ name, descriptions }) => [name, ...descriptions].join('\n').toLowerCase().includes(wanted))
    .toSorted((a, b) => (openIn.get(b.name) ?? 0) - (openIn.get(a.name) ?? 0) || a.name.localeCompare(b.name));
  const shown = found.slice(0, MAX_ROWS);
  const isPending = services.isPending || calls.isPending;
  return (
    <>
      <title>Services · Casebook</title>
      <PageHead title="Services" description="Services reported by your team’s sources." />
      <ConnectSource />
      <SourcesFailed />
      <NotAnswered titles={[...services.failed, ...calls.failed]} />
      <Truncated what="services or calls" titles={[...services.truncated, ...calls.truncated]} />
      {names.size === 0 && isPending && <Loading lines={8} />}
      {names.size === 0 && !isPending && (
        <Empty title="No services known">Services appear here once a connected source reports them.</Empty>
      )}
      {names.size > 0 && (
        <div className="grid items-start gap-4 lg:grid-cols-[22rem_minmax(0,1fr)]">
          <div className="flex min-w-0 flex-col gap-3">
            <SearchField label="Search services" value={search} onSearch={onSearch} />
            {found.length === 0 && <Empty title="No matching services" />}
            {shown.length > 0 && (
              <ul ref={list} aria-label="Services" className="divide-y overflow-hidden rounded-lg border bg-surface">
                {shown.map(({ name, descriptions }) => (
                  <li
                    key={name}
                    className="relative flex items-start gap-2 px-4 py-2 hover:bg-sunken has-[a:focus-visible]:bg-accent-soft"
                  >
                    <div className="min-w-0 flex-1">
                      <Link
                        to="/service"
                        search={{ name }}
                        className="font-medium wrap-anywhere after:absolute after:inset-0"
                      >
                        <bdi>{name}</bdi>
                      </Link>
                      {descriptions[0] !== undefined && (
                        <p className="line-clamp-2 text-sm wrap-anywhere text-ink-soft">{descriptions[0]}</p>
                      )}
                    </div>
                    {openIn.has(name) && <Badge tone="bad">{count(openIn.get(name) ?? 0, 'open finding')}</Badge>}
                  </li>
                ))}
              </ul>
            )}
            {found.length > MAX_ROWS && (
              <p className="text-sm text-ink-soft">
                Showing {MAX_ROWS} of {found.length}. Search to find more.
              </p>
            )}
          </div>
          <Panel title="Calls between services">
            {/* Drawn once: with every further answer the services would move. */}
            {calls.items.length === 0 || isPending ? (
              <p className="text-ink-soft">
                {isPending
                  ? 'Loading calls…'
                  : calls.offered.length === 0
                    ? 'No connected source provides service dependencies.'
                    : 'No calls seen.'}
              </p>
            ) : (
              <Suspense fallback={<div style={{ height: HEIGHT }} />}>
                <ServiceGraph
                  label="Services and their calls"
                  services={[...names].map((name) => ({ name }))}
                  calls={calls.items.map(({ caller, callee, calls_per_second: rate }) => ({
                    caller,
                    callee,
                    ...(rate !== null && { callsPerSecond: rate }),
                  }))}
                  onOpen={(name) => void navigate({ to: '/service', search: { name } })}
                  height={HEIGHT}
                />
              </Suspense>
            )}
          </Panel>
        </div>
      )}
    </>
  );
}
