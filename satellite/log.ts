/** The satellite's own log: JSON lines on standard error, never queries or answers. */
import { pino, destination } from 'pino';

export type Log = Pick<ReturnType<typeof pino>, 'debug' | 'info' | 'warn' | 'error'>;

/** @param level lowest level written; `silent` for none */
export function createLog(level: string): Log {
  return pino({ name: 'satellite', level }, destination(2));
}
