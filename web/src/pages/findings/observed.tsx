/** The checks that report a finding, and their values over recent runs. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { QUIET_MS } from '../../api/polling.ts';
import { Badge } from '../../components/ui/badge.tsx';
import { Time, wholeTime } from '../../components/ui/time.tsx';
import { clock, zoneOf } from '../../components/chart/clock.ts';
import { sessionsQuery } from '../monitoring/queries.ts';
import { measured } from '../monitoring/sessions/words.ts';
import type { Finding } from './queries.ts';
import { ScrollBox } from '../../components/ui/scroll-box.tsx';
import { valuesOf } from './values.ts';

type Source = Finding['sources'][number];

export function Observed({ finding }: { finding: Finding }) {
  const { sources, chat_id: agentId } = finding;
  const worstFirst = sources.toSorted((a, b) => Number(b.failing) - Number(a.failing));
  return (
    <ul className="mt-3 divide-y rounded-md border">
      {worstFirst.map((source) => (
        <li key={source.source} className="px-3 py-2 text-sm">
          <div className="flex flex-wrap items-center gap-2">
            <span className="min-w-0 font-medium break-all">{source.source}</span>
            <Badge tone={source.failing ? 'bad' : 'good'}>{source.failing ? 'Failing' : 'OK'}</Badge>
            <span className="ml-auto text-ink-soft">
              <Time at={source.at} />
            </span>
          </div>
          <p className="break-words">{source.text}</p>
          <p className="text-ink-soft">
            {source.streak === 1 ? 'In the last run' : `In ${source.streak} consecutive runs`}
            {agentId !== null && source.session_id !== null && (
              <>
                {' · '}
                <Link
                  to="/monitoring/$agentId"
                  params={{ agentId }}
                  search={{ tab: 'sessions', open: source.session_id }}
                  className="text-accent underline"
                >
                  Open session
                </Link>
              </>
            )}
          </p>
          {agentId !== null && finding.origin === 'check' && (
            <Values agentId={agentId} source={source} isOpen={finding.status === 'open'} />
          )}
        </li>
      ))}
    </ul>
  );
}

/** The values of recent runs, newest first, as long as sessions are kept. */
function Values({ agentId, source, isOpen }: { agentId: string; source: Source; isOpen: boolean }) {
  const [check = ''] = source.source.split('/');
  const subject = source.source.slice(check.length + 1);
  const { data } = useQuery({
    ...sessionsQuery(agentId, { check, count: 30 }),
    // A closed finding gets no more of them.
    refetchInterval: isOpen ? QUIET_MS : false,
  });
  const values = valuesOf(data?.sessions ?? [], subject);
  if (values.length < 2) return null;
  const times = values.map(({ at }) => Date.parse(at));
  const shown = clock((Math.max(...times) - Math.min(...times)) / 1_000);
  const most = Math.max(...values.flatMap(({ value, expected }) => [Math.abs(value), Math.abs(expected ?? 0)]), 0);
  return (
    <details className="pt-1">
      <summary className="text-ink-soft">Values of the last {values.length} runs</summary>
      <ScrollBox label="Values of the last runs" className="mt-1 max-h-72">
        <table className="w-full text-left">
          <thead className="text-ink-soft">
            <tr>
              <th className="py-1 pr-3 font-medium">Time ({zoneOf(new Date(Math.max(...times)))})</th>
              <th className="py-1 pr-3 text-right font-medium">Value</th>
              <th className="py-1 pr-3 text-right font-medium">Reference</th>
              <th className="w-1/3 py-1 font-medium">
                <span className="sr-only">Result</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {values.map(({ sessionId, at, value, expected, unit, isFinding }) => (
              <tr key={sessionId}>
                <td className="py-0.5 pr-3">
                  <time dateTime={at} title={wholeTime(new Date(at))}>
                    {shown(new Date(at))}
                  </time>
                </td>
                <td className="py-0.5 pr-3 text-right tabular-nums">{measured(value, unit)}</td>
                <td className="py-0.5 pr-3 text-right text-ink-soft tabular-nums">
                  {expected === null ? '' : measured(expected, unit)}
                </td>
                <td className="py-0.5">
                  <span className="sr-only">{isFinding ? 'Finding' : 'OK'}</span>
                  <div
                    aria-hidden
                    className={`h-2 rounded-full ${isFinding ? 'bg-bad' : 'bg-line-strong'}`}
                    style={{ width: `${most === 0 ? 0 : (100 * Math.abs(value)) / most}%` }}
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollBox>
    </details>
  );
}
