/** Badges of findings: severity and status. */
import { Badge, type Tone } from '../../components/ui/badge.tsx';
import type { FindingStatus, FindingSummary } from './queries.ts';

type Severity = FindingSummary['severity'];

const SEVERITIES: Record<Severity, { tone: Tone; word: string }> = {
  critical: { tone: 'bad', word: 'Critical' },
  warning: { tone: 'warn', word: 'Warning' },
  info: { tone: 'accent', word: 'Info' },
};

/** Worst first. */
const SEVERITY_ORDER: readonly Severity[] = ['critical', 'warning', 'info'];

export const SeverityBadge = ({ severity }: { severity: Severity }) => (
  <Badge tone={SEVERITIES[severity].tone}>{SEVERITIES[severity].word}</Badge>
);

const STATUSES: Record<FindingStatus, { tone: Tone; word: string; live?: true }> = {
  pending: { tone: 'neutral', word: 'Unconfirmed' },
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

type Cared = Pick<FindingSummary, 'flapping' | 'acknowledged' | 'muted_until' | 'assignee'>;

/** What else is to be known at a glance: how it behaves, and who takes care of it. */
export const CareBadges = ({ flapping, acknowledged, muted_until: mutedUntil, assignee }: Cared) => (
  <>
    {flapping && <Badge tone="warn">Flapping</Badge>}
    {acknowledged !== null && <Badge tone="accent">Acknowledged</Badge>}
    {mutedUntil !== null && <Badge tone="neutral">Muted</Badge>}
    {assignee !== null && (
      <Badge tone={assignee.member ? 'neutral' : 'warn'}>
        <span className="max-w-48 truncate">
          <bdi>{assignee.name}</bdi>
          {!assignee.member && ' (left the team)'}
        </span>
      </Badge>
    )}
  </>
);

/**
 * The number of open findings by severity, in words as well as colours.
 * @param total as the API counts them
 * @param counts of those that are loaded; if incomplete, only the total is shown
 */
export function OpenFindings({ total, counts }: { total: number; counts: Partial<Record<Severity, number>> }) {
  if (total === 0) return <span className="text-sm text-ink-soft">No open findings</span>;
  const shown = SEVERITY_ORDER.filter((severity) => (counts[severity] ?? 0) > 0);
  if (shown.reduce((sum, severity) => sum + (counts[severity] ?? 0), 0) !== total) {
    return (
      <div>
        <Badge tone="bad">{total === 1 ? '1 open finding' : `${total} open findings`}</Badge>
      </div>
    );
  }
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
