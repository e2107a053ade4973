/** Limits that both ends enforce. They are part of the protocol: changing one requires a new version. */

/** WebSocket subprotocol; the number is the protocol's version. */
export const SUBPROTOCOL = 'casebook-satellite.v1';
/** Where satellites connect, below the API's base URL. */
export const CONNECT_PATH = '/satellite/connect';

/** Maximum size in bytes of one WebSocket message, either way. */
export const MAX_FRAME_BYTES = 1_048_576;
/**
 * Maximum size in bytes of the text of one part of an answer, as JSON: a part must fit into one event of the event log.
 */
export const MAX_PART_BYTES = 192 * 1024;
/** Maximum number of parts of one answer: many times what the largest answer needs. */
export const MAX_PARTS = 10_000;
/** Maximum size in bytes of a whole answer; a request may ask for less, never more. */
export const MAX_ANSWER_BYTES = 32 * 1_048_576;
/** Maximum number of edges in one graph message. */
export const MAX_EDGES_PER_MESSAGE = 2_000;
/** Maximum number of edges of one satellite's graph. */
export const MAX_EDGES = 200_000;
/** Maximum number of tools, connectors and clusters a satellite may announce. */
export const MAX_TOOLS = 300;
export const MAX_CONNECTORS = 100;
export const MAX_CLUSTERS = 50;
/** Maximum length of a tool's or operation's schema as JSON; a larger one is replaced by one that allows any object. */
export const MAX_SCHEMA_CHARACTERS = 8_000;
/** Maximum length of the name of a service, tool or connector. */
export const MAX_NAME_CHARACTERS = 200;

/** How often a satellite sends a heartbeat, in ms. */
export const HEARTBEAT_MS = 5_000;
/** Time without any message after which a side considers the connection lost, in ms. */
export const SILENCE_MS = 20_000;

/** WebSocket close codes, in addition to those of RFC 6455. The reason is a sentence for the operator. */
export const CLOSE = {
  /** The token is unknown, expired or revoked. */
  unauthorized: 4401,
  /** Another connection with the same name has taken over. */
  replaced: 4409,
  /** The peer violated the protocol. */
  protocolError: 4400,
  /** The peer sent more than is allowed. */
  tooMuch: 4429,
  /** The node is going away; reconnect at once. */
  restarting: 1012,
} as const;
