/** Every run of an agent's checks. */
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Field, Select } from '../../../components/ui/field.tsx';
import { Pager } from '../../../components/ui/pager.tsx';
import { Empty, Failed, Loading } from '../../../components/ui/states.tsx';
import { planQuery, sessionsQuery, type SessionSummary } from '../queries.ts';
import { SESSION_WORDS } from './session-badge.tsx';
import { SessionDialog } from './session-dialog.tsx';
import { SessionList } from './session-list.tsx';

const route = getRouteApi('/signed-in/monitoring/$agentId');

export function Sessions({ agentId }: { agentId: string }) {
  const { status: written, check, page = 1, open } = route.useSearch();
  const navigate = route.useNavigate();
  const status = statusOf(written);
  const { data, isPending, isError, error, refetch } = useQuery(sessionsQuery(agentId, { status, check, page }));
  const filter = (change: { status?: string | undefined; check?: string | undefined }) =>
    void navigate({ search: (now) => ({ ...now, page: undefined, open: undefined, ...change }) });
  return (
    <div className="flex flex-col gap-4">
      <h2 className="sr-only">Sessions</h2>
      <div className="flex flex-wrap gap-3">
        <Field label="Result" className="min-w-40">
          {(control) => (
            <Select
              {...control}
              value={status ?? ''}
              onChange={(event) => filter({ status: event.target.value || undefined })}
            >
              <option value="">All</option>
              {Object.entries(SESSION_WORDS).map(([value, { word }]) => (
                <option key={value} value={value}>
                  {word}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <CheckFilter agentId={agentId} value={check} onChange={(next) => filter({ check: next })} />
      </div>
      {isPending && <Loading lines={6} />}
      {isError && <Failed error={error} onRetry={() => void refetch()} />}
      {data?.sessions.length === 0 && (
        <Empty title="No sessions">Runs of checks that match the filters appear here.</Empty>
      )}
      {data && data.sessions.length > 0 && (
        <div className="rounded-lg border bg-surface p-4">
          <SessionList sessions={data.sessions} />
        </div>
      )}
      {data && (
        <Pager
          page={page}
          hasMore={data.has_more}
          summary={`Page ${page}`}
          onPage={(next) => void navigate({ search: (now) => ({ ...now, page: next }) })}
        />
      )}
      {open !== undefined && (
        <SessionDialog
          agentId={agentId}
          sessionId={open}
          onClose={() => void navigate({ search: (now) => ({ ...now, open: undefined }), resetScroll: false })}
        />
      )}
    </div>
  );
}

interface CheckFilterProps {
  agentId: string;
  value: string | undefined;
  onChange: (check: string | undefined) => void;
}

function CheckFilter({ agentId, value, onChange }: CheckFilterProps) {
  const { data } = useQuery(planQuery(agentId));
  const checks = data?.plan.checks ?? [];
  return (
    <Field label="Check" className="min-w-0 flex-1 basis-48 sm:max-w-80">
      {(control) => (
        <Select {...control} value={value ?? ''} onChange={(event) => onChange(event.target.value || undefined)}>
          <option value="">All</option>
          {/* Sessions outlive the checks that they were of. */}
          {value !== undefined && checks.every(({ id }) => id !== value) && <option value={value}>{value}</option>}
          {checks.map(({ id, title }) => (
            <option key={id} value={id}>
              {title}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}

const statusOf = (written: string | undefined): SessionSummary['status'] | undefined =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it is one of the names
  written !== undefined && Object.hasOwn(SESSION_WORDS, written) ? (written as SessionSummary['status']) : undefined;
