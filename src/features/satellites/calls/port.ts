/** Asking a satellite, from any process: API nodes and workers. */
import type { AnswerError, RequestTarget } from '@casebook/wire';

export interface SatelliteCall {
  teamId: string;
  satelliteId: string;
  target: RequestTarget;
  /** How long the system behind the satellite may take, in ms; the call as a whole may wait a little longer. */
  timeoutMs: number;
  /** Most bytes of the answer; the protocol's most unless given. */
  maxBytes?: number;
  /**
   * Equal for every attempt at the same question (a tool call's id): an answer that came while nobody listened is found
   * again, and nothing is asked twice. Absent: a new question.
   */
  requestId?: string;
  /**
   * It may change something: after a lost connection it is asked again only of the same process, which knows what it did
   * under this id, and never of one that was started since.
   */
  acts?: boolean;
  /**
   * Asked when the signal fires: whether nobody wants the answer any more, so that the satellite is told to stop. A run
   * that only loses its worker wants it still. Absent: nobody wants it.
   */
  isGivenUp?: () => boolean;
}

export interface SatelliteAnswer {
  /** JSON, as the satellite sent it. */
  text: string;
  /** How long the satellite took, in ms. */
  tookMs: number;
}

export interface SatelliteCalls {
  /**
   * Asks, and waits for the whole answer. A question whose satellite loses its connection is asked once more when it is
   * back within the time.
   * @throws {SatelliteUnknown} the team has no such satellite
   * @throws {SatelliteOffline} it is not connected, did not come back in time, or came back as a process that cannot know
   *   whether it acted
   * @throws {SatelliteRefused} the satellite answered that it cannot
   * @throws {SatelliteTimeout} there was no answer in time
   * @throws the signal's reason when it fires; the satellite is told to stop
   */
  ask(call: SatelliteCall, signal: AbortSignal): Promise<SatelliteAnswer>;
}

/** There is no answer; `message` is for whoever asked: a program, a model, a person. */
export abstract class SatelliteCallError extends Error {}

export class SatelliteUnknown extends SatelliteCallError {
  override name = 'SatelliteUnknown';
}

export class SatelliteOffline extends SatelliteCallError {
  override name = 'SatelliteOffline';
  /** When it was last heard of; undefined: never. */
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
