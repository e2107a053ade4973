import { Badge, type Tone } from '../../components/ui/badge.tsx';
import type { Satellite } from './queries.ts';

interface Mark {
  tone: Tone;
  word: string;
}

const STATES: Record<Satellite['status'], Mark> = {
  online: { tone: 'good', word: 'Online' },
  degraded: { tone: 'warn', word: 'Degraded' },
  offline: { tone: 'bad', word: 'Offline' },
};

export const SatelliteBadge = ({ status }: Pick<Satellite, 'status'>) => (
  <Badge tone={STATES[status].tone}>{STATES[status].word}</Badge>
);

const CHECKS: Record<Satellite['connectors'][number]['status'], Mark> = {
  ok: { tone: 'good', word: 'OK' },
  failing: { tone: 'bad', word: 'Failing' },
  unknown: { tone: 'neutral', word: 'Not checked yet' },
};

/** Whether a connector or MCP server responds, as the satellite last saw. */
export const CheckBadge = ({ status }: Pick<Satellite['connectors'][number], 'status'>) => (
  <Badge tone={CHECKS[status].tone}>{CHECKS[status].word}</Badge>
);
