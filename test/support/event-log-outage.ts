/** An event log that cannot be appended to for a while, as one whose server is away; what is in it can be read. */
import { EventLogError, type EventLog, type NewEvent } from '../../src/platform/event-log/index.ts';

/** @returns ends the outage */
export function takeAway(log: EventLog): () => void {
  const usual = log.append;
  log.append = () => Promise.reject(new EventLogError('unavailable', 'The event log is away.'));
  return () => {
    log.append = usual;
  };
}

/** Keeps back every append with an event of this kind. @returns lets them go, and those to come */
export function holdBack(log: EventLog, held: (event: NewEvent) => boolean): () => void {
  const usual = log.append;
  const gate = Promise.withResolvers<void>();
  log.append = async (stream, events) => {
    if (events.some(held)) await gate.promise;
    await usual.call(log, stream, events);
  };
  return () => {
    log.append = usual;
    gate.resolve();
  };
}
