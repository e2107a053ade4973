import { useQuery } from '@tanstack/react-query';
import { may, sessionQuery } from '../../../api/session.ts';
import { Panel } from '../../../components/ui/panel.tsx';
import { RerunButton } from '../actions.tsx';
import { count } from '../../../components/ui/numbers.ts';
import type { Investigation } from '../queries.ts';
import { Coverage } from './coverage.tsx';
import { limitWords } from '../../../components/ui/limit-words.ts';

/** The investigation ended without a report: why, what is there anyway, and what to do. */
export function NoReport({ investigation }: { investigation: Investigation }) {
  const { id, status, explanation, limit_reached, steps, coverage } = investigation;
  const { data: session } = useQuery(sessionQuery);
  const results = steps.flatMap(({ tool_calls }) => tool_calls).filter((call) => call.status === 'completed');
  return (
    <div className="flex flex-col gap-4">
      <Panel
        title={
          <span id="result" tabIndex={-1} className="focus:outline-none">
            {status === 'cancelled' ? 'Cancelled' : 'Failed'}
          </span>
        }
        className={status === 'failed' ? 'border-bad' : ''}
      >
        <p className="break-words whitespace-pre-wrap">{explanation ?? 'The reason is unknown.'}</p>
        {limit_reached !== null && <p className="mt-2">Ended because {limitWords(limit_reached)}.</p>}
        <p className="mt-2 text-ink-soft">
          {results.length === 0
            ? 'No results were collected.'
            : `Findings so far are kept in Activity: ${count(results.length, 'tool result')}.`}
        </p>
        {may(session, 'investigations:write') && (
          <div className="mt-4">
            <RerunButton id={id} variant="primary" />
          </div>
        )}
      </Panel>
      {coverage !== null && <Coverage coverage={coverage} />}
    </div>
  );
}
