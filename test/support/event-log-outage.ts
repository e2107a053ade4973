/** An event log that cannot be appended to for a while, as one whose server is away; what is in it can be read. */
import { EventLogError, type EventLog } from '../../src/platform/event-log/index.ts';

/** @returns ends the outage */
export function takeAway(log: EventLog): () => void {
  const usual = log.append;
  log.append = () => Promise.reject(new EventLogError('unavailable', 'The event log is away.'));
  return () => {
    log.append = usual;
  };
}
