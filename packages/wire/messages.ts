/**
 * Every message between a satellite and Casebook: JSON text, one message per WebSocket frame. A satellite speaks first
 * (`hello`), is welcomed, and sends `inventory`, `clusters`, `heartbeat` and `graph`; Casebook sends requests.
 */
import { z } from 'zod';
import { graphMessage } from './graph.ts';
import { clusters, CONNECTOR_KINDS, health, inventory, slug, wireName } from './inventory.ts';
import { MAX_ANSWER_BYTES, MAX_CONNECTORS } from './limits.ts';

/**
 * The target of a request: an operation of a connector, a tool of an MCP server, or an operation of a connector that
 * Casebook configures, for a system that a team has connected there.
 */
export const requestTarget = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('connector'),
    connector: slug,
    operation: wireName,
    parameters: z.record(z.string(), z.unknown()),
  }),
  z.object({ kind: z.literal('mcp'), server: slug, tool: wireName, arguments: z.record(z.string(), z.unknown()) }),
  z.object({
    kind: z.literal('integration'),
    /** Its name in messages. */
    integration: slug,
    connector: z.enum(CONNECTOR_KINDS),
    /** Holds secrets. Between Casebook's own processes, its only member is `sealed`. */
    config: z.record(z.string(), z.unknown()),
    operation: wireName,
    parameters: z.record(z.string(), z.unknown()),
  }),
]);

/**
 * A request. Its id is the same for every attempt: a satellite that receives it again attaches to the work in progress
 * or repeats its answer, and never does the work twice.
 */
export const requestMessage = z.object({
  type: z.literal('request'),
  id: z.uuid(),
  timeoutMs: z.number().int().min(1).max(600_000),
  maxBytes: z.number().int().min(1).max(MAX_ANSWER_BYTES),
  target: requestTarget,
});

/** From Casebook. */
export const serverMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('welcome'), satelliteId: z.uuid(), heartbeatMs: z.number().int().min(100) }),
  /** Answers every heartbeat, so the satellite knows that it is heard. */
  z.object({ type: z.literal('ack') }),
  requestMessage,
  /** The caller has given up. */
  z.object({ type: z.literal('cancel'), id: z.uuid() }),
  /** Send a snapshot of the graph. */
  z.object({ type: z.literal('graph.wanted') }),
]);

/** Why there is no answer. */
export const ANSWER_ERRORS = [
  'bad_request',
  'not_found',
  'timeout',
  'cancelled',
  'too_large',
  'busy',
  'failed',
] as const;

/** From a satellite. */
export const satelliteMessage = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('hello'),
    name: slug,
    version: wireName,
    /** Random, made when the process starts. */
    instance: z.uuid(),
    /** The satellite's clock, unix ms. */
    sentAt: z.number(),
  }),
  z.object({ type: z.literal('inventory'), inventory }),
  z.object({ type: z.literal('clusters'), clusters }),
  z.object({ type: z.literal('heartbeat'), sentAt: z.number(), health: z.array(health).max(2 * MAX_CONNECTORS) }),
  graphMessage,
  /** A piece of an answer's text; index 0, 1, 2 … */
  z.object({ type: z.literal('answer.part'), id: z.uuid(), index: z.number().int().min(0), text: z.string() }),
  /** The answer is complete: the concatenated texts of its parts are JSON. */
  z.object({
    type: z.literal('answer.end'),
    id: z.uuid(),
    parts: z.number().int().min(1),
    /** Length of the whole text in UTF-8. */
    bytes: z.number().int().min(0).max(MAX_ANSWER_BYTES),
    tookMs: z.number().min(0),
  }),
  z.object({
    type: z.literal('answer.error'),
    id: z.uuid(),
    code: z.enum(ANSWER_ERRORS),
    message: z.string().max(4_000),
  }),
]);

export type RequestTarget = z.output<typeof requestTarget>;
export type RequestMessage = z.output<typeof requestMessage>;
export type ServerMessage = z.output<typeof serverMessage>;
export type SatelliteMessage = z.output<typeof satelliteMessage>;
export type AnswerError = (typeof ANSWER_ERRORS)[number];
