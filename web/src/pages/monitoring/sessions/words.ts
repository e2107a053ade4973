import { formatValue } from '../../../components/chart/units.ts';
import { count } from '../../../components/ui/numbers.ts';
import type { SessionSummary } from '../queries.ts';

/** A measured value for people: "57.8 MB", "1 line". @param unit as the source states it */
export const measured = (value: number, unit: string | null): string =>
  unit === 'lines' ? count(value, 'line') : formatValue(value, unit);

export const TRIGGERS: Record<SessionSummary['trigger'], string> = {
  schedule: 'Schedule',
  now: 'Manual',
  deploy: 'Deploy',
  alert: 'Alert',
};
