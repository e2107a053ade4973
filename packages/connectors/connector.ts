/** What a connector is: one system of the customer's, and the questions it answers. Reading only. */
import type { z } from 'zod';
import type { ClusterState, ConnectorKind, EdgeSource } from '@casebook/wire';

/** Where a connector says what its operator should know. */
export interface Log {
  debug(details: object, message: string): void;
  warn(details: object, message: string): void;
}

export interface OperationContext {
  /** Fires when nobody waits any more, and when the query's time is over. */
  signal: AbortSignal;
  /** Most bytes that the system may send as its answer; more is a {@link QueryError} `too_large`. */
  maxBytes: number;
  /** How long the query may still take, in ms, for systems that keep to a limit themselves; `signal` fires in any case. */
  remainingMs?: number;
}

/** One question that a connector answers. */
export interface ConnectorOperation<Parameters = Record<string, unknown>> {
  /** snake_case. */
  name: string;
  /** For a model and for people: what it answers, and in which units. */
  description: string;
  /** A strict object. Checked before `run`. */
  parameters: z.ZodType<Parameters>;
  /** Whether a model is offered it as a tool of its own. */
  tool: boolean;
  /**
   * @returns plain JSON, as the system's own API gives it wherever that is JSON
   * @throws {QueryError} when there is no answer, in words that say what would work
   */
  run(parameters: Parameters, context: OperationContext): Promise<unknown>;
}

/** A service called another in the last `windowSeconds`, as one system saw it. */
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
  /** Asks the system something cheap. @throws when it does not answer */
  check(signal: AbortSignal): Promise<void>;
  /** The cluster behind it, where there is one. */
  cluster?(signal: AbortSignal): Promise<ClusterState>;
  /** Calls between services seen in the last `windowSeconds`, where the system knows them. */
  edges?(windowSeconds: number, signal: AbortSignal): Promise<ObservedEdge[]>;
  close(): Promise<void>;
}

/** What connectors of every kind are made with. */
export interface ConnectorOptions {
  id: string;
  title: string;
  log: Log;
}

/** A kind of connector: what its part of the YAML file may say, and how one is made of it. */
export interface ConnectorKindDefinition<Config = unknown> {
  kind: ConnectorKind;
  /** Strict; secrets in it come from the environment (`${NAME}` in the YAML file), already put in. */
  config: z.ZodType<Config>;
  /** Opens nothing that can fail: a system that is down is a matter of `check`. */
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

/** A query that cannot be answered. `message` is for whoever asked. */
export class QueryError extends Error {
  override name = 'QueryError';
  readonly code: 'bad_request' | 'not_found' | 'timeout' | 'too_large' | 'busy' | 'failed';
  constructor(code: QueryError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
