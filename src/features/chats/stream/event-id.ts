/** Event ids of a turn's stream. They name the turn, so that a repeated request can resume it. */

/** A position in a turn's stream: after this many chunks of a log event. */
export interface StreamPosition {
  logId: string;
  /** From 1. */
  index: number;
  /**
   * How many log events came before; a log that has lost some gives another number. Undefined in ids issued before this
   * existed.
   */
  place: number | undefined;
}

/** Stands for what precedes the first log event. */
export const START = 'start';

const ID = /^([0-9a-f]{32})\.(start|[0-9-]{1,40})\.(\d{1,6})(?:\.(\d{1,9}))?$/;

export function eventId(turnId: string, { logId, index, place }: StreamPosition): string {
  return [turnId.replaceAll('-', ''), logId, index, ...(place === undefined ? [] : [place])].join('.');
}

/**
 * Parses an id that a client sent back.
 * @param isLogId whether a text has the form of the log's ids
 * @returns undefined if it is not one of ours
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
