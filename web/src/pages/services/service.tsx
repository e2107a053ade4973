/** One service: its findings, runs, changes and neighbours, and what sources say about it. */
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { may, sessionQuery } from '../../api/session.ts';
import { NotFoundPage } from '../../app/fallbacks.tsx';
import { formatValue } from '../../components/chart/units.ts';
import { PageHead, Panel } from '../../components/ui/panel.tsx';
import { Failed, Loading } from '../../components/ui/states.tsx';
import { Time } from '../../components/ui/time.tsx';
import { safeUrl } from '../findings/detail-rows.ts';
import { FindingList } from '../findings/finding-list.tsx';
import { investigationsQuery } from '../investigations/queries.ts';
import { InvestigationRow } from '../investigations/row.tsx';
import { NotAnswered, SourcesFailed, Truncated } from './not-answered.tsx';
import { useCalls, useChanges, useServices, type Call, type Change } from './queries.ts';

const route = getRouteApi('/signed-in/service');
const SHOWN = 5;
const MAX_CHANGES = 20;

export function ServicePage() {
  const { name } = route.useSearch();
  if (name === undefined) return <NotFoundPage title="Service" list="services" />;
  return <Service key={name} name={name} />;
}

function Service({ name }: { name: string }) {
  const { data: session } = useQuery(sessionQuery);
  const services = useServices();
  const calls = useCalls();
  const descriptions = services.items.find((service) => service.name === name)?.descriptions ?? [];
  return (
    <>
      <title>{`${name.slice(0, 200)} · Casebook`}</title>
      <nav aria-label="Breadcrumb" className="pb-1 text-sm">
        <Link to="/services" className="text-ink-soft hover:text-accent">
          Services
        </Link>
      </nav>
      <PageHead title={<bdi className="wrap-anywhere">{name}</bdi>} />
      <SourcesFailed />
      <NotAnswered titles={[...services.failed, ...calls.failed]} />
      <Truncated what="services or calls" titles={[...services.truncated, ...calls.truncated]} />
      <div className="grid items-start gap-4 lg:grid-cols-2">
        {may(session, 'monitoring:read') && (
          <Panel
            title="Findings"
            actions={
              <Link to="/findings" search={{ service: name }} className="text-sm text-accent underline">
                All findings
              </Link>
            }
          >
            <FindingList filter={{ service: name, count: SHOWN }} headingLevel={3} isShort />
          </Panel>
        )}
        {may(session, 'investigations:read') && <Investigations service={name} />}
        <Changes service={name} />
        <Panel title="Calls">
          <Neighbours
            service={name}
            calls={calls.items}
            isPending={calls.isPending}
            isOffered={calls.offered.length > 0}
          />
        </Panel>
        <Panel title="Description and owner">
          {services.isPending && <Loading />}
          {!services.isPending && descriptions.length === 0 && (
            <p className="text-ink-soft">No connected source provides its owner.</p>
          )}
          {descriptions.map((text) => (
            <p key={text} className="break-words">
              {text}
            </p>
          ))}
        </Panel>
      </div>
    </>
  );
}

function Investigations({ service }: { service: string }) {
  const { data, error, refetch } = useQuery(investigationsQuery({ service: service.slice(0, 200) }));
  const items = data?.items.slice(0, SHOWN) ?? [];
  return (
    <Panel
      title="Investigations"
      actions={
        <Link to="/investigations" search={{ service }} className="text-sm text-accent underline">
          All investigations
        </Link>
      }
    >
      {error !== null && <Failed error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Loading lines={4} />}
      {data !== undefined && items.length === 0 && <p className="text-ink-soft">None yet.</p>}
      {items.length > 0 && (
        <ul aria-label="Investigations" className="-m-4 divide-y">
          {items.map((investigation) => (
            <InvestigationRow key={investigation.id} investigation={investigation} />
          ))}
        </ul>
      )}
    </Panel>
  );
}

function Changes({ service }: { service: string }) {
  const { items, isPending, offered, failed, truncated } = useChanges(service);
  const isCut = truncated.length > 0 || items.length > MAX_CHANGES;
  return (
    <Panel title="Changes">
      <NotAnswered titles={failed} />
      {items.length === 0 && isPending && <Loading lines={3} />}
      {items.length === 0 && !isPending && (
        <p className="text-ink-soft">{offered.length === 0 ? 'No change source connected.' : 'No changes known.'}</p>
      )}
      <ol className="flex flex-col gap-2">
        {items.slice(0, MAX_CHANGES).map((change) => (
          <li key={`${change.at} ${change.id}`}>
            <OneChange change={change} />
          </li>
        ))}
      </ol>
      {isCut && (
        <p className="mt-2 text-sm text-ink-soft">Showing the latest {Math.min(items.length, MAX_CHANGES)} changes.</p>
      )}
    </Panel>
  );
}

function OneChange({ change: { at, id, kind, summary, author, url } }: { change: Change }) {
  const href = url === null ? undefined : safeUrl(url);
  return (
    <>
      <p className="break-words">
        {href === undefined ? (
          <bdi>{summary}</bdi>
        ) : (
          <a href={href} target="_blank" rel="noopener noreferrer nofollow" className="text-accent underline">
            <bdi>{summary}</bdi>
          </a>
        )}
      </p>
      <p className="text-sm break-words text-ink-soft">
        <Time at={at} /> · {kind} <bdi className="font-mono">{id}</bdi>
        {author !== null && (
          <>
            {' '}
            by <bdi>{author}</bdi>
          </>
        )}
      </p>
    </>
  );
}

interface NeighboursProps {
  service: string;
  calls: readonly Call[];
  isPending: boolean;
  isOffered: boolean;
}

function Neighbours({ service, calls, isPending, isOffered }: NeighboursProps) {
  const callers = calls.filter(({ callee }) => callee === service);
  const callees = calls.filter(({ caller }) => caller === service);
  if (callers.length + callees.length === 0) {
    if (isPending) return <Loading />;
    return (
      <p className="text-ink-soft">
        {isOffered ? 'No calls seen.' : 'No connected source provides service dependencies.'}
      </p>
    );
  }
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Ends title="Called by">
        {callers.map(({ caller, calls_per_second: rate }) => (
          <End key={caller} name={caller} rate={rate} />
        ))}
      </Ends>
      <Ends title="Calls">
        {callees.map(({ callee, calls_per_second: rate }) => (
          <End key={callee} name={callee} rate={rate} />
        ))}
      </Ends>
    </div>
  );
}

function Ends({ title, children }: { title: string; children: ReactNode[] }) {
  return (
    <div>
      <h3 className="text-sm font-medium text-ink-soft">{title}</h3>
      {children.length === 0 ? <p className="text-ink-soft">None seen</p> : <ul>{children}</ul>}
    </div>
  );
}

const End = ({ name, rate }: { name: string; rate: number | null }) => (
  <li className="flex flex-wrap items-baseline gap-x-2 py-1">
    <Link to="/service" search={{ name }} className="wrap-anywhere text-accent underline">
      <bdi>{name}</bdi>
    </Link>
    {rate !== null && <span className="text-sm text-ink-soft tabular-nums">{formatValue(rate, '{calls}/s')}</span>}
  </li>
);
