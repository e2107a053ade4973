/** Queries a satellite from any process: API nodes and workers. */
import type { AnswerError, RequestTarget } from '@casebook/wire';
import type { OnWait } from '../../sources/port.ts';

/** How long a call waits, in all, for a satellite that restarts or loses its API node, in ms. */
export const RECONNECT_MS = 90_000;

export interface SatelliteCall {
  teamId: string;
  satelliteId: string;
  target: RequestTarget;
  /** Timeout of the system behind the satellite, in ms; the call as a whole may take a little longer. */
  timeoutMs: number;
  /** Maximum size of the answer in bytes; the protocol's maximum by default. */
  maxBytes?: number;
  /**
   * Equal for every attempt at the same request (a tool call's id): an answer that arrived while no process listened is
   * found again, and nothing is asked twice. A new request by default.
   */
  requestId?: string;
  /**
   * The call may change something: after a lost connection it is repeated only to the same process, which knows what it
   * did under this id, and never to one started since.
   */
  acts?: boolean;
  /**
   * Called when the signal fires: whether the caller no longer wants the answer, so that the satellite should stop. A
   * run that merely loses its worker still wants it. By default, it does not.
   */
  isGivenUp?: () => boolean;
  onWait?: OnWait;
}

export interface SatelliteAnswer {
  /** JSON, as the satellite sent it. */
  text: string;
  /** How long the satellite took, in ms. */
  tookMs: number;
}

export interface SatelliteCalls {
  /**
   * Sends a request and waits for the whole answer. If the satellite loses its connection, the request is repeated once
   * it is back within the timeout. With `onWait`, an absent satellite that was seen in the last ten minutes is waited for
   * up to {@link RECONNECT_MS} more, as often as it takes.
   * @throws {SatelliteUnknown} the team has no such satellite
   * @throws {SatelliteOffline} it is not connected, did not come back in time, or came back as a process that cannot
   *   know whether it acted
   * @throws {SatelliteRefused} the satellite answered that it cannot
   * @throws {SatelliteTimeout} there was no answer in time
   * @throws the signal's reason when it fires; the satellite is asked to stop
   */
  ask(call: SatelliteCall, signal: AbortSignal): Promise<SatelliteAnswer>;
}

/** There is no answer; `message` is for the caller: a program, a model, a person. */
export abstract class SatelliteCallError extends Error {}

export class SatelliteUnknown extends SatelliteCallError {
  override name = 'SatelliteUnknown';
}

export class SatelliteOffline extends SatelliteCallError {
  override name = 'SatelliteOffline';
  /** When it was last seen; undefined if never. */
  readonly lastSeenAt: Date | undefined;
  constructor(message: string, lastSeenAt: Date | undefined) {
    super(message);
    this.lastSeenAt = lastSeenAt;
  }
}

export class SatelliteTimeout extends SatelliteCallError {
  override name = 'SatelliteTimeout';
}

export class SatelliteRefused extends SatelliteCallError {
  override name = 'SatelliteRefused';
  readonly code: AnswerError;
  constructor(code: AnswerError, message: string) {
    super(message);
    this.code = code;
  }
}
