/** How findings are marked: how bad, and whether it goes on. */
import { Badge, type Tone } from '../../components/ui/badge.tsx';
import type { FindingStatus, FindingSummary } from './queries.ts';

type Severity = FindingSummary['severity'];

const SEVERITIES: Record<Severity, { tone: Tone; word: string }> = {
  critical: { tone: 'bad', word: 'Critical' },
  warning: { tone: 'warn', word: 'Warning' },
  info: { tone: 'accent', word: 'Info' },
};

/** The worst first. */
export const SEVERITY_ORDER: readonly Severity[] = ['critical', 'warning', 'info'];

export const SeverityBadge = ({ severity }: { severity: Severity }) => (
  <Badge tone={SEVERITIES[severity].tone}>{SEVERITIES[severity].word}</Badge>
);

const STATUSES: Record<FindingStatus, { tone: Tone; word: string; live?: true }> = {
  pending: { tone: 'neutral', word: 'Not confirmed yet' },
  open: { tone: 'bad', word: 'Open', live: true },
  resolved: { tone: 'good', word: 'Resolved' },
  closed: { tone: 'neutral', word: 'Closed' },
};

export function FindingStatusBadge({ status }: { status: FindingStatus }) {
  const { tone, word, live } = STATUSES[status];
  return (
    <Badge tone={tone} {...(live && { live })}>
      {word}
    </Badge>
  );
}

/** How many are open of each severity, in words beside the colours. */
export function OpenFindings({ counts }: { counts: Partial<Record<Severity, number>> }) {
  const shown = SEVERITY_ORDER.filter((severity) => (counts[severity] ?? 0) > 0);
  if (shown.length === 0) return <span className="text-sm text-ink-soft">No open findings</span>;
  return (
    <ul className="flex flex-wrap gap-1.5" aria-label="Open findings">
      {shown.map((severity) => (
        <li key={severity}>
          <Badge tone={SEVERITIES[severity].tone}>
            {counts[severity]} {SEVERITIES[severity].word.toLowerCase()}
          </Badge>
        </li>
      ))}
    </ul>
  );
}
