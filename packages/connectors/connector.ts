/** The interface of a connector: one of the customer's systems, and the questions it answers. Read-only. */
import type { LookupFunction } from 'node:net';
import { z } from 'zod';
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

/**
 * Restrains where a connector connects to. The server passes one, because teams name the hosts; a satellite does not,
 * because its operator does. Problems are phrased for the person who entered the host.
 */
export interface Network {
  /** Resolves for the connection itself; fails if the host has an address that is not allowed. */
  lookup: LookupFunction;
  /** What is wrong with a host name or address as written; undefined if nothing. */
  hostProblem(host: string): string | undefined;
  /** What is wrong with a URL as written; undefined if nothing. */
  urlProblem(url: string): string | undefined;
}

/** Dependencies that connectors of every kind receive. */
export interface ConnectorOptions {
  id: string;
  title: string;
  log: Log;
  network?: Network;
  /** Unix ms; the system's clock by default. */
  now?: () => number;
}

/** The operation by which a connection is tested before it is kept, and from time to time afterwards. Not a tool. */
export const TEST_CONNECTION = 'test_connection';

/** What {@link TEST_CONNECTION} found out. It answers even when the system does not, because that is the answer. */
export const connectionTest = z.object({
  /**
   * `refused`: the system answered, and did not accept the credential or another setting. `unreachable`: it did not
   * answer, or not as such a system does.
   */
  status: z.enum(['ok', 'refused', 'unreachable']),
  /** The setting at fault, by its name in the configuration, such as `password`; absent if unknown. */
  field: z.string().optional(),
  /** For people: what is wrong, or what was reached. Never contains a secret. */
  message: z.string(),
  /** The system's version, as it gives it. */
  version: z.string().optional(),
  latencyMs: z.number().min(0),
  /** What works, but should be better: privileges beyond reading, a missing extension, and the statement that mends it. */
  warnings: z.array(z.string()).default([]),
  /** What the credential gives access to, by the vendor's own names and ids: accounts, zones, projects. */
  resources: z.array(z.object({ id: z.string(), name: z.string() })).default([]),
});
export type ConnectionTest = z.output<typeof connectionTest>;

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
