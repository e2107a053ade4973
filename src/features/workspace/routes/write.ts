/** What changes the workspace. */
import { apiKey, type ApiKeyAuth } from '../../../http/authenticate.ts';
import { endpointFor, type Call } from '../../../http/endpoint.ts';
import { editText } from '../edit.ts';
import { alreadyThere, answering, changedSince, doesNotApply, notAsExpected } from '../errors.ts';
import { fileIfThere, filesAt } from '../lookups.ts';
import { writablePath } from '../path.ts';
import { MAX_CHANGE_BYTES, MAX_DELETIONS, MAX_FILE_BYTES, WorkspaceError, type CommitResult } from '../port.ts';
import { checkPreconditions, contentId, entityTag } from '../preconditions.ts';
import * as schemas from '../schemas.ts';
import { writeChanges, type Wanted } from '../write.ts';
import type { WorkspaceDeps } from './deps.ts';
import { tags } from './read.ts';

const endpoint = endpointFor<WorkspaceDeps>();
export const WRITE = apiKey('workspace:write');

/** JSON needs two characters for a line break or a quotation mark. */
const JSON_BYTES = 2;
const OTHER_BYTES = 65_536;
const FILE_BODY = { bodyLimitBytes: JSON_BYTES * MAX_FILE_BYTES + OTHER_BYTES };
const EDIT_BODY = { bodyLimitBytes: 2 * JSON_BYTES * MAX_FILE_BYTES + OTHER_BYTES };
const BATCH_BODY = { bodyLimitBytes: JSON_BYTES * MAX_CHANGE_BYTES + OTHER_BYTES };

type WriteCall = Pick<
  Call<WorkspaceDeps, ApiKeyAuth, unknown, unknown, { 'idempotency-key'?: string }, unknown>,
  'deps' | 'em' | 'principal' | 'signal' | 'headers' | 'ctx'
>;

const write = (call: WriteCall, wanted: Pick<Wanted, 'request' | 'message' | 'compute'>): Promise<CommitResult> => {
  const { deps, em, principal, signal, headers } = call;
  const { workspaces, clock } = deps;
  return writeChanges({
    workspaces,
    em,
    principal,
    signal,
    now: clock.now(),
    idempotencyKey: headers['idempotency-key'],
    ...wanted,
  });
};

/**
 * The answer to a write of one file, with its ETag.
 * @param content its new content; undefined when the request was a repetition
 */
async function answerFor(
  { deps, principal, signal, ctx }: WriteCall,
  path: string,
  { commit, paths }: CommitResult,
  content: string | undefined,
) {
  const workspace = deps.workspaces.forTeam(principal.teamId);
  const written =
    content === undefined ? await fileIfThere({ workspace, at: commit }, path, signal) : contentOf(content);
  if (written) ctx.set('ETag', entityTag(written.id));
  return { path, commit, changed: presentPaths(paths), id: written?.id ?? null, size: written?.size ?? null };
}

const contentOf = (content: string): { id: string; size: number } => ({
  id: contentId(content),
  size: Buffer.byteLength(content),
});

const presentPaths = (paths: CommitResult['paths']) => paths.map(({ path, change }) => ({ path, change }));

const put = endpoint({
  method: 'put',
  path: '/api/workspace/file',
  operationId: 'writeWorkspaceFile',
  summary: 'Write a file of the workspace',
  description:
    'Creates the file, with the directories it needs, or replaces its content. Send `If-Match` with the ETag you have read: without it, what others wrote since is overwritten.',
  tags,
  auth: WRITE,
  query: schemas.PathQuery,
  headers: schemas.WriteHeaders,
  body: schemas.FileContent,
  ...FILE_BODY,
  response: schemas.FileWriteResponse,
  errors: [403, 409, 412, 413],
  handler: (call) =>
    answering(['query', 'path'], async () => {
      const { body, headers, signal } = call;
      const path = writablePath(call.query.path);
      const { content } = body;
      const made = await write(call, {
        request: ['put', path, body, headers['if-match'], headers['if-none-match']],
        message: body.message ?? `Write ${path}`,
        async compute(files) {
          const { 'if-match': match, 'if-none-match': noneMatch } = headers;
          if (match !== undefined || noneMatch !== undefined)
            checkPreconditions(path, (await fileIfThere(files, path, signal))?.id ?? null, headers);
          return [{ path, content }];
        },
      });
      return answerFor(call, path, made, content);
    }),
});

const create = endpoint({
  method: 'post',
  path: '/api/workspace/file',
  operationId: 'createWorkspaceFile',
  summary: 'Create a file in the workspace',
  description: 'With the directories it needs. If something is there already, the answer is a 409.',
  tags,
  auth: WRITE,
  headers: schemas.IdempotencyHeaders,
  body: schemas.CreateFileRequest,
  ...FILE_BODY,
  response: schemas.FileWriteResponse,
  errors: [403, 409, 413],
  handler: (call) =>
    answering(['body', 'path'], async () => {
      const { body, signal } = call;
      const path = writablePath(body.path);
      const { content } = body;
      const made = await write(call, {
        request: ['post', path, body],
        message: body.message ?? `Create ${path}`,
        async compute(files) {
          if (await fileIfThere(files, path, signal)) throw alreadyThere(path);
          return [{ path, content }];
        },
      });
      return answerFor(call, path, made, content);
    }),
});

const edit = endpoint({
  method: 'patch',
  path: '/api/workspace/file',
  operationId: 'editWorkspaceFile',
  summary: 'Replace a piece of a file of the workspace',
  description:
    'The piece must occur exactly once, unless all occurrences are to be replaced; otherwise the answer is a 409 with the number of `matches` and their `lines`. It applies to the current content, whatever others changed elsewhere in the file.',
  tags,
  auth: WRITE,
  query: schemas.PathQuery,
  headers: schemas.EditHeaders,
  body: schemas.FileEdit,
  ...EDIT_BODY,
  response: schemas.FileWriteResponse,
  errors: [403, 404, 409, 412, 413],
  handler: (call) =>
    answering(['query', 'path'], async () => {
      const { body, headers, signal } = call;
      const path = writablePath(call.query.path);
      let content: string | undefined;
      const made = await write(call, {
        request: ['patch', path, body, headers['if-match']],
        message: body.message ?? `Edit ${path}`,
        async compute({ workspace, at }) {
          const file = await workspace.read(path, { at, signal });
          checkPreconditions(path, file.id, headers);
          if (file.kind !== 'text' || file.text === null)
            throw new WorkspaceError('not_a_file', `${path} is ${file.kind}, not text: it cannot be edited.`);
          const { search: oldText, replace: newText, replace_all: replaceAll } = body;
          const edited = editText(file.text, { oldText, newText, replaceAll });
          if ('problem' in edited) throw doesNotApply(path, edited);
          content = edited.text;
          return [{ path, content }];
        },
      });
      return answerFor(call, path, made, content);
    }),
});

const remove = endpoint({
  method: 'delete',
  path: '/api/workspace/file',
  operationId: 'deleteWorkspaceFile',
  summary: 'Delete a file of the workspace, or a directory with everything in it',
  description: `At most ${MAX_DELETIONS} files.`,
  tags,
  auth: WRITE,
  query: schemas.DeleteQuery,
  headers: schemas.EditHeaders,
  response: schemas.FileWriteResponse,
  errors: [403, 404, 409, 412, 413],
  handler: (call) =>
    answering(['query', 'path'], async () => {
      const { headers, signal } = call;
      const path = writablePath(call.query.path);
      const made = await write(call, {
        request: ['delete', path, headers['if-match']],
        message: `Delete ${path}`,
        async compute(files) {
          const paths = await filesAt(files, path, { limit: MAX_DELETIONS, signal });
          if (headers['if-match'] !== undefined) {
            // A directory has no content of its own.
            if (paths[0] !== path) throw changedSince(path, null);
            checkPreconditions(path, (await fileIfThere(files, path, signal))?.id ?? null, headers);
          }
          return paths.map((each) => ({ path: each, content: null }));
        },
      });
      return { path, commit: made.commit, changed: presentPaths(made.paths), id: null, size: null };
    }),
});

const batch = endpoint({
  method: 'post',
  path: '/api/workspace/batch',
  operationId: 'writeWorkspaceBatch',
  summary: 'Change several files of the workspace in one commit',
  description:
    'All or nothing. Give the `id` that each change is based on as `expected`: if any file has another content, the answer is a 409 with these `paths`, and nothing is written.',
  tags,
  auth: WRITE,
  headers: schemas.IdempotencyHeaders,
  body: schemas.BatchWriteRequest,
  ...BATCH_BODY,
  response: schemas.WriteResponse,
  errors: [403, 404, 409, 413],
  handler: (call) =>
    answering(['body', 'files'], async () => {
      const { body, signal } = call;
      const changes = body.files.map((file) => ({ ...file, path: writablePath(file.path) }));
      const { commit, paths } = await write(call, {
        request: ['batch', body],
        message: body.message ?? `Change ${changes.length === 1 ? changes[0]!.path : `${changes.length} files`}`,
        async compute(files) {
          const conflicts: string[] = [];
          for (const { path, content, expected } of changes) {
            if (expected === undefined) continue;
            const id = (await fileIfThere(files, path, signal))?.id ?? null;
            // What is there already as it is wanted is no conflict.
            if (id !== expected && id !== (content === null ? null : contentId(content))) conflicts.push(path);
          }
          if (conflicts.length > 0) throw notAsExpected(conflicts);
          return changes.map(({ path, content }) => ({ path, content }));
        },
      });
      return { commit, changed: presentPaths(paths) };
    }),
});

const commit = endpoint({
  method: 'post',
  path: '/api/workspace/commit',
  operationId: 'commitWorkspace',
  summary: 'Commit the changes: nothing to do',
  description: 'Every write is a commit of its own.',
  tags,
  auth: WRITE,
  response: schemas.CommitResponse,
  handler: ({ principal, deps, signal }) =>
    answering(['query'], async () => {
      const newest = await deps.workspaces.forTeam(principal.teamId).head({ signal });
      return { commit: newest, changed: [] };
    }),
});

export const writeEndpoints = [put, create, edit, remove, batch, commit];
