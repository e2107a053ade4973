import { CircleCheck, CircleDashed, CircleSlash, TriangleAlert, type LucideIcon } from 'lucide-react';
import type { Schema } from '../../../api/client.ts';
import { RecordedMark } from '../../../components/evidence/recorded-mark.tsx';
import { count } from '../../../components/ui/numbers.ts';
import { Panel } from '../../../components/ui/panel.tsx';

type CoverageOf = Schema<'InvestigationCoverage'>;
type Signal = CoverageOf['signals'][number];

const TITLES: Record<Signal['signal'], string> = {
  metrics: 'Metrics',
  logs: 'Logs',
  traces: 'Traces',
  changes: 'Changes',
  dependencies: 'Dependencies',
};

const STATES: Record<Signal['status'], { icon: LucideIcon; word: string; tone: string }> = {
  answered: { icon: CircleCheck, word: 'Answered', tone: 'text-good' },
  empty: { icon: CircleDashed, word: 'Nothing found', tone: 'text-ink-soft' },
  failed: { icon: TriangleAlert, word: 'Failed', tone: 'text-bad' },
  not_asked: { icon: CircleDashed, word: 'Not checked', tone: 'text-ink-soft' },
  not_connected: { icon: CircleSlash, word: 'Not connected', tone: 'text-ink-soft' },
};

/** What was asked, what answered, and what that leaves open. */
export function Coverage({ coverage }: { coverage: CoverageOf }) {
  const asked = coverage.sources.filter((source) => source.asked > 0 || source.error !== null);
  return (
    <Panel title="Coverage">
      <ul aria-label="Kinds of evidence" className="flex flex-col gap-2 text-sm">
        {coverage.signals.map((signal) => (
          <SignalRow key={signal.signal} signal={signal} />
        ))}
      </ul>
      {asked.length > 0 && (
        <ul aria-label="Sources" className="mt-4 flex flex-col gap-2 border-t pt-3 text-sm">
          {asked.map(({ source, recorded, error, ...made }) => (
            <li key={source} className="min-w-0 wrap-anywhere">
              <bdi className="font-mono text-xs">{source}</bdi> {recorded && <RecordedMark />}{' '}
              {error === null ? (
                <span className="text-ink-soft">
                  {made.answered} of {count(made.asked, 'query', 'queries')} with data
                </span>
              ) : (
                <span className="text-bad">no response: {error}</span>
              )}
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function SignalRow({ signal: { signal, status, asked, answered, leaves_open: open } }: { signal: Signal }) {
  const { icon: Icon, word, tone } = STATES[status];
  return (
    <li className="flex gap-2">
      <Icon role="img" aria-label={word} size={16} className={`mt-0.5 shrink-0 ${tone}`} />
      <span className="min-w-0 break-words">
        <span className="font-medium">{TITLES[signal]}</span>{' '}
        <span className="text-ink-soft">
          {status === 'answered' && `${answered} of ${count(asked, 'query', 'queries')} with data. `}
          {open}
        </span>
      </span>
    </li>
  );
}
