import { Badge, type Tone } from '../../components/ui/badge.tsx';
import type { Satellite } from './queries.ts';

const TONES: Record<Satellite['status'], Tone> = { online: 'good', degraded: 'warn', offline: 'bad' };

export const SatelliteBadge = ({ status }: Pick<Satellite, 'status'>) => <Badge tone={TONES[status]}>{status}</Badge>;

const CHECKS: Record<Satellite['connectors'][number]['status'], Tone> = {
  ok: 'good',
  failing: 'bad',
  unknown: 'neutral',
};

/** Whether a connector or MCP server answers, as the satellite last saw. */
export const CheckBadge = ({ status }: Pick<Satellite['connectors'][number], 'status'>) => (
  <Badge tone={CHECKS[status]}>{status}</Badge>
);
