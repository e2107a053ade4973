/** The health of an agent. */
import { Badge, type Tone } from '../../components/ui/badge.tsx';
import { isDrafting, type Agent } from './queries.ts';

/** What the list of agents filters by. */
export const AGENT_STATUSES: readonly { value: Agent['status']; title: string }[] = [
  { value: 'active', title: 'Active' },
  { value: 'degraded', title: 'Degraded' },
  { value: 'paused', title: 'Paused' },
];

const STANDINGS: Record<Agent['status'], { tone: Tone; word: string; live?: true }> = {
  starting: { tone: 'accent', word: 'Starting', live: true },
  active: { tone: 'good', word: 'Active' },
  paused: { tone: 'neutral', word: 'Paused' },
  degraded: { tone: 'warn', word: 'Degraded' },
};

export function HealthBadge({ agent }: { agent: Agent }) {
  if (isDrafting(agent)) {
    return (
      <Badge tone="accent" live>
        Drafting plan
      </Badge>
    );
  }
  const { tone, word, live } = STANDINGS[agent.status];
  return (
    <Badge tone={tone} {...(live && { live })}>
      {word}
    </Badge>
  );
}

/** Why it is degraded. Reasons quote telemetry, so they are shown as text. */
export function Reasons({ reasons, clamped = false }: { reasons: readonly string[]; clamped?: boolean }) {
  if (reasons.length === 0) return null;
  return (
    <ul className="flex flex-col gap-1 text-sm text-warn">
      {reasons.map((reason) => (
        <li key={reason} className={clamped ? 'line-clamp-2 break-words' : 'break-words'}>
          {reason}
        </li>
      ))}
    </ul>
  );
}
