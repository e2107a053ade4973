/** Ids of the events of a turn's stream. They say which turn it is, so that a repeated request can go on with it. */

/** A place in a turn's stream: after so many chunks of an event of the log. */
export interface StreamPosition {
  logId: string;
  /** From 1. */
  index: number;
  /**
   * How many events of the log came until then: a log that has lost some of them gives another number. Undefined in ids
   * that were given before they had it.
   */
  place: number | undefined;
}

/** Stands for what comes before the first event of the log. */
export const START = 'start';

const ID = /^([0-9a-f]{32})\.(start|[0-9-]{1,40})\.(\d{1,6})(?:\.(\d{1,9}))?$/;

export function eventId(turnId: string, { logId, index, place }: StreamPosition): string {
  return [turnId.replaceAll('-', ''), logId, index, ...(place === undefined ? [] : [place])].join('.');
}

/**
 * Reads an id that a client sent back.
 * @param isLogId whether a text has the form of the log's ids
 * @returns undefined when it is none of ours
 */
export function parseEventId(
  id: string,
  isLogId: (id: string) => boolean,
): { turnId: string; position: StreamPosition } | undefined {
  const [, turn, logId, index, place] = ID.exec(id) ?? [];
  if (turn === undefined || logId === undefined || (logId !== START && !isLogId(logId))) return undefined;
  const turnId = turn.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return { turnId, position: { logId, index: Number(index), place: place === undefined ? undefined : Number(place) } };
}
