/** What clients of the workspace's WebSocket receive, as JSON texts. */
import type { ChangedPath } from '../port.ts';

export type LiveMessage =
  /** Everything up to this commit has been told. */
  | { type: 'ready'; commit: string }
  | {
      type: 'commit';
      commit: string;
      parent: string;
      author: string;
      at: string;
      message: string;
      paths: Pick<ChangedPath, 'path' | 'change'>[];
      /** Not all paths are there. */
      truncated: boolean;
    }
  /** Too much has happened to be told: read the files again. */
  | { type: 'reset'; commit: string }
  /** A mirror shows another commit, or with null none any more. */
  | { type: 'mirror'; path: string; commit: string | null };

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
