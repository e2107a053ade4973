/** The interface of a connector: one of the customer's systems, and the questions it answers. Read-only. */
import type { z } from 'zod';
import type { ClusterState, ConnectorKind, EdgeSource } from '@casebook/wire';

/** Receives a connector's messages for its operator. */
export interface Log {
  debug(details: object, message: string): void;
  warn(details: object, message: string): void;
}

export interface OperationContext {
  /** Fires when the caller gives up, and when the query times out. */
  signal: AbortSignal;
  /** Maximum size in bytes of the system's answer; beyond it, a {@link QueryError} `too_large`. */
  maxBytes: number;
  /** Time left for the query, in ms, for systems that enforce a limit themselves; `signal` fires in any case. */
  remainingMs?: number;
}

/** One question that a connector answers. */
export interface ConnectorOperation<Parameters = Record<string, unknown>> {
  /** snake_case. */
  name: string;
  /** For a model and for people: what it answers, and in which units. */
  description: string;
  /** A strict object, validated before `run`. */
  parameters: z.ZodType<Parameters>;
  /** Whether a model gets it as a separate tool. */
  tool: boolean;
  /**
   * @returns plain JSON, as the system's own API gives it if that is JSON
   * @throws {QueryError} when there is no answer, with a message that says what would work
   */
  run(parameters: Parameters, context: OperationContext): Promise<unknown>;
}

/** A service that called another in the last `windowSeconds`, as one system saw it. */
export interface ObservedEdge {
  caller: string;
  callee: string;
  source: EdgeSource;
  callsPerSecond?: number;
  /** 0 to 1. */
  errorRatio?: number;
  p50Seconds?: number;
  p95Seconds?: number;
}

export interface Connector {
  /** From the configuration: lower-case letters, digits, hyphens; unique within the satellite. */
  readonly id: string;
  readonly kind: ConnectorKind;
  readonly title: string;
  readonly operations: readonly ConnectorOperation[];
  /** Sends the system a cheap request. @throws when it does not answer */
  check(signal: AbortSignal): Promise<void>;
  /** The cluster behind it, for systems that have one. */
  cluster?(signal: AbortSignal): Promise<ClusterState>;
  /** Calls between services seen in the last `windowSeconds`, for systems that know them. */
  edges?(windowSeconds: number, signal: AbortSignal): Promise<ObservedEdge[]>;
  close(): Promise<void>;
}

/** Dependencies that connectors of every kind receive. */
export interface ConnectorOptions {
  id: string;
  title: string;
  log: Log;
}

/** A kind of connector: the schema of its part of the YAML file, and its factory. */
export interface ConnectorKindDefinition<Config = unknown> {
  kind: ConnectorKind;
  /** Strict; secrets from the environment (`${NAME}` in the YAML file) are already substituted. */
  config: z.ZodType<Config>;
  /** Opens nothing that can fail: `check` detects a system that is down. */
  create(config: Config, options: ConnectorOptions): Connector;
}

/** Ties a kind's configuration to its schema. */
export function defineConnectorKind<Config>(
  definition: ConnectorKindDefinition<Config>,
): ConnectorKindDefinition<Config> {
  return definition;
}

/** Ties an operation's parameters to their schema. */
export function defineOperation<Parameters>(operation: ConnectorOperation<Parameters>): ConnectorOperation {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the runner has parsed the parameters with this very schema
  return operation as unknown as ConnectorOperation;
}

/** A query that cannot be answered. `message` is for the caller. */
export class QueryError extends Error {
  override name = 'QueryError';
  readonly code: 'bad_request' | 'not_found' | 'timeout' | 'too_large' | 'busy' | 'failed';
  constructor(code: QueryError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
