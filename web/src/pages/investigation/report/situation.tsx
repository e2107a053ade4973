import { Panel } from '../../../components/ui/panel.tsx';
import { Time, wholeTime } from '../../../components/ui/time.tsx';
import { Prose } from '../evidence/prose.tsx';
import type { Report } from '../queries.ts';

/** What is felt, since when, and whether it lasts. */
export function Situation({ report: { impact, symptom } }: { report: Report }) {
  return (
    <Panel title="What is going on">
      <div className="text-base">
        <Prose text={impact} />
      </div>
      {symptom !== null && <Duration symptom={symptom} />}
    </Panel>
  );
}

function Duration({ symptom: { since, ongoing, as_of: asOf, recorded } }: { symptom: NonNullable<Report['symptom']> }) {
  return (
    <p className="mt-1.5 flex flex-wrap gap-x-3 gap-y-1 text-sm text-ink-soft">
      {since !== null && (
        <span>
          Since <span className="font-medium text-ink tabular-nums">{wholeTime(new Date(since))}</span> (
          <Time at={since} />)
        </span>
      )}
      {ongoing !== null && asOf !== null && (
        <span>
          <span className={ongoing ? 'font-medium text-bad' : 'font-medium text-good'}>
            {ongoing ? 'Ongoing' : 'Recovered'}
          </span>{' '}
          {recorded ? 'at the end of the recording' : 'as of'} {wholeTime(new Date(asOf))}
        </span>
      )}
    </p>
  );
}
