/** What clients of the workspace's WebSocket receive, as JSON texts, and how it is closed. */
import type { z } from 'zod';
import type * as schemas from '../schemas.ts';

export type LiveMessage = z.output<typeof schemas.LiveMessage>;

export const SOCKET_PATH = '/api/workspace/ws';

/** Close codes (RFC 6455, 7.4.1, and the range for applications). */
export const CLOSE = {
  /** This node is stopping: reconnect at once, to another. */
  restarting: 1012,
  /** Nothing went wrong here; try again in a moment. */
  later: 1013,
  /** The key or the session is no longer valid. */
  unauthorized: 4401,
} as const;
