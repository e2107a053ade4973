/**
 * How questions reach a telemetry system. There are two ways: HTTP, for a system that this installation reaches itself,
 * and a satellite, for one that only the satellite does. Operations have the names and parameters of the satellite's
 * connectors: times in unix seconds.
 */
export interface TelemetryTransport {
  /** Where the system is, for people: `host:port`. */
  readonly place: string;
  /**
   * @param parameters those that are undefined are left out
   * @returns the `data` member of the system's answer
   * @throws {SourceError} when there is no answer
   * @throws the signal's reason when it fires
   */
  ask(operation: string, parameters: Record<string, unknown>, signal: AbortSignal): Promise<unknown>;
}
