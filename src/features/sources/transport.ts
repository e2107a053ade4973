/** Those that are undefined are left out. */
export type TransportParameters = Record<string, string | number | string[] | undefined>;

/**
 * How questions reach a telemetry system. There are two ways: HTTP, for a system that this installation reaches itself,
 * and a satellite, for one that only the satellite does. Operations have the names and parameters of the satellite's
 * connectors: times in unix seconds.
 */
export interface TelemetryTransport {
  /** Where the system is, for people: `host:port`. */
  readonly place: string;
  /**
   * @returns the `data` member of the system's answer
   * @throws {SourceError} when there is no answer
   * @throws the signal's reason when it fires
   */
  ask(operation: string, parameters: TransportParameters, signal: AbortSignal): Promise<unknown>;
}
