/** What both ends of a satellite's connection hold to. Numbers are part of the protocol: changing one needs a new version of it. */

/** WebSocket subprotocol; the number is the version of the protocol. */
export const SUBPROTOCOL = 'casebook-satellite.v1';
/** Where satellites connect, below the API's base URL. */
export const CONNECT_PATH = '/satellite/connect';

/** Most bytes of one WebSocket message, either way. */
export const MOST_FRAME_BYTES = 1_048_576;
/** Most bytes of the text of one part of an answer, as JSON: a part has to fit into one event of the event log. */
export const MOST_PART_BYTES = 192 * 1024;
/** Most parts of one answer: many times what the largest answer needs. */
export const MOST_PARTS = 10_000;
/** Most bytes of a whole answer; what is asked for may be less, never more. */
export const MOST_ANSWER_BYTES = 32 * 1_048_576;
/** Most edges in one graph message. */
export const MOST_EDGES_PER_MESSAGE = 2_000;
/** Most edges of one satellite's graph. */
export const MOST_EDGES = 200_000;
/** Most tools, connectors and clusters a satellite may announce. */
export const MOST_TOOLS = 300;
export const MOST_CONNECTORS = 100;
export const MOST_CLUSTERS = 50;
/** Most characters of a tool's or operation's schema as JSON; a larger one is replaced by one that allows any object. */
export const MOST_SCHEMA_CHARACTERS = 8_000;
/** Most characters of the name of a service, a tool, a connector. */
export const MOST_NAME_CHARACTERS = 200;

/** How often a satellite sends a heartbeat, in ms. */
export const HEARTBEAT_MS = 5_000;
/** A side that has heard nothing for this long takes the connection for lost, in ms. */
export const SILENCE_MS = 20_000;

/** Close codes of the WebSocket, beside those of RFC 6455. The reason that comes with them is a sentence for the operator. */
export const CLOSE = {
  /** The token is unknown, expired or revoked. */
  unauthorized: 4401,
  /** Another connection with the same name took over. */
  replaced: 4409,
  /** What was sent is not the protocol. */
  protocolError: 4400,
  /** More was sent than is allowed. */
  tooMuch: 4429,
  /** The node is going away; come back at once. */
  restarting: 1012,
} as const;
