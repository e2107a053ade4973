/** What reads the workspace. */
import { apiKey } from '../../../http/authenticate.ts';
import { endpointFor } from '../../../http/endpoint.ts';
import { HttpError, InvalidRequest } from '../../../http/errors.ts';
import { answering } from '../errors.ts';
import { countConnections } from '../live/connections.ts';
import { pageOf } from '../lines.ts';
import { SOCKET_PATH } from '../live/messages.ts';
import { directoryPath, isMirrored } from '../path.ts';
import { WorkspaceError, type WorkspaceEntry } from '../port.ts';
import { entityTag } from '../preconditions.ts';
import * as schemas from '../schemas.ts';
import type { WorkspaceDeps } from './deps.ts';

const endpoint = endpointFor<WorkspaceDeps>();
export const tags = ['Workspace'];
export const READ = apiKey('workspace:read');

/** Maximum characters of a file in one response, whole lines. */
const PAGE_CHARACTERS = 1_048_576;
const MAX_MATCHES = 200;

const tree = endpoint({
  method: 'get',
  path: '/api/workspace/tree',
  operationId: 'getWorkspaceTree',
  summary: 'List a directory of the workspace',
  description: 'One level, in byte order, at most 1,000 entries. Below `repos` are mirrors of connected repositories.',
  tags,
  auth: READ,
  query: schemas.TreeQuery,
  response: schemas.WorkspaceTree,
  errors: [404, 409],
  handler: ({ query, principal, deps, signal }) =>
    answering(['query', 'path'], async () => {
      const workspace = deps.workspaces.forTeam(principal.teamId);
      const path = directoryPath(query.path);
      const at = await workspace.head({ signal });
      const { entries, truncated } = await workspace.list(query.path, { at, signal });
      return { path: path || '.', commit: at, entries: entries.map(presentEntry), truncated };
    }),
});

const presentEntry = ({ path, type, size }: WorkspaceEntry) => ({
  path,
  name: path.slice(path.lastIndexOf('/') + 1),
  type,
  size,
  read_only: isMirrored(path),
});

const file = endpoint({
  method: 'get',
  path: '/api/workspace/file',
  operationId: 'getWorkspaceFile',
  summary: 'Read a file of the workspace',
  description:
    'Whole lines from an offset on, at most a million characters. `ETag` and `id` identify the content of the whole file; give them back in `If-Match` to change what you have read and nothing newer.',
  tags,
  auth: READ,
  query: schemas.FileQuery,
  response: schemas.WorkspaceFileResponse,
  errors: [404, 409],
  handler: ({ query, principal, deps, signal, ctx }) =>
    answering(['query', 'path'], async () => {
      const workspace = deps.workspaces.forTeam(principal.teamId);
      const at = query.at ?? (await workspace.head({ signal }));
      const { path, id, kind, size, text } = await workspace.read(query.path, { at, signal });
      ctx.set('ETag', entityTag(id));
      const { offset, limit } = query;
      const about = { path, id, commit: at, kind, size, offset, read_only: isMirrored(path) };
      if (kind !== 'text' || text === null)
        return { ...about, content: text, lines: 0, total_lines: null, truncated: false };
      const { page, lines, shown } = pageOf(text, { offset, limit, maxCharacters: PAGE_CHARACTERS });
      return { ...about, content: page, lines: shown, total_lines: lines, truncated: offset + shown < lines };
    }),
});

const search = endpoint({
  method: 'get',
  path: '/api/workspace/search',
  operationId: 'searchWorkspace',
  summary: 'Find lines in the files of the workspace',
  description: `At most ${MAX_MATCHES} lines. A search that takes longer than five seconds is ended, with a 422.`,
  tags,
  auth: READ,
  query: schemas.SearchQuery,
  response: schemas.SearchResponse,
  handler: ({ query, principal, deps, signal }) =>
    answering(['query', 'path'], async () => {
      const workspace = deps.workspaces.forTeam(principal.teamId);
      const { pattern, path, flags } = query;
      const at = await workspace.head({ signal });
      try {
        return await workspace.search(pattern, { at, path, flags, limit: MAX_MATCHES, signal });
      } catch (error) {
        if (!(error instanceof WorkspaceError) || !['invalid', 'timeout'].includes(error.code)) throw error;
        throw InvalidRequest.at(['query', 'pattern'], `Value error, ${error.message}`, pattern);
      }
    }),
});

const history = endpoint({
  method: 'get',
  path: '/api/workspace/history',
  operationId: 'getWorkspaceHistory',
  summary: 'List the commits that changed a file or directory',
  description: 'Newest first. Read a file as it was with `at` of `GET /api/workspace/file`.',
  tags,
  auth: READ,
  query: schemas.HistoryQuery,
  response: schemas.HistoryResponse,
  errors: [403, 404],
  handler: ({ query, principal, deps, signal }) =>
    answering(['query', 'path'], async () => {
      const { path, before, limit } = query;
      const found = await deps.workspaces.forTeam(principal.teamId).history(path, { before, limit, signal });
      const commits = found.commits.map(({ commit, author, at, message }) => ({
        id: commit,
        author,
        at: at.toISOString(),
        message,
      }));
      return { commits, truncated: found.truncated };
    }),
});

const diff = endpoint({
  method: 'get',
  path: '/api/workspace/diff',
  operationId: 'getWorkspaceDiff',
  summary: 'Get uncommitted changes: always none',
  description: 'Every write is a commit of its own.',
  tags,
  auth: READ,
  response: schemas.DiffResponse,
  handler: async () => ({ diff: '' as const, files: [] }),
});

const connections = endpoint({
  method: 'get',
  path: '/api/workspace/connections',
  operationId: 'getWorkspaceConnections',
  summary: 'Count the WebSockets that follow the workspace',
  description: 'Those of the team, over all API nodes; a node that died counts for half a minute at most.',
  tags,
  auth: READ,
  response: schemas.ConnectionsResponse,
  handler: async ({ em, principal }) => ({ connections: await countConnections(em, principal.teamId) }),
});

/** Requests for a WebSocket do not get this far. */
const follow = endpoint({
  method: 'get',
  path: SOCKET_PATH,
  operationId: 'followWorkspace',
  summary: 'Follow the changes of the workspace on a WebSocket',
  description:
    'A WebSocket that sends these messages, each as a JSON text: commits as they are made, and before, with `after`, those that were missed. Pages of other origins are refused, unless CORS allows them and they come with a key. A node that shuts down closes with 1012: reconnect at once. Any other request is a 426.',
  tags,
  auth: READ,
  query: schemas.FollowQuery,
  response: schemas.LiveMessage,
  errors: [426],
  handler: async () => {
    throw new HttpError(426, 'upgrade_required', 'This is a WebSocket.', { headers: { Upgrade: 'websocket' } });
  },
});

export const readEndpoints = [tree, file, search, history, diff, connections, follow];
