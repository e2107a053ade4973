/** Requests and responses of the workspace's endpoints. */
import { z } from 'zod';
import { idempotencyKeyField } from '../../http/fields.ts';
import { MAX_CHANGES, MAX_FILE_BYTES } from './port.ts';

const MAX_PATH_CHARACTERS = 1_024;
const MAX_MESSAGE_CHARACTERS = 2_000;
const ID = /^[0-9a-f]{40}$/;

const path = z.string().max(MAX_PATH_CHARACTERS);
const directory = path.default('.').describe('From the root of the workspace; "." is the root itself.');
const file = path.min(1).describe('The file, from the root of the workspace.');
const content = z.string().max(MAX_FILE_BYTES).describe('The whole text.');
const message = z.string().max(MAX_MESSAGE_CHARACTERS).optional().describe('What the commit says about the change.');
const commit = z.string().regex(ID, 'String should be the id of a commit');
const blob = z.string().meta({ description: 'Identifies the content; also the ETag.' });
const count = z.number().int();
const time = z.iso.datetime();

export const TreeQuery = z.object({ path: directory });
export const FileQuery = z.object({
  path: file,
  offset: z.int().min(0).default(0).describe('Lines to skip.'),
  limit: z.int().min(0).default(0).describe('Maximum lines; 0 means as many as fit in one response.'),
  at: commit.optional().describe('The file as it was after this commit, instead of now.'),
});
export const PathQuery = z.object({ path: file });
export const DeleteQuery = z.object({ path: file.describe('The file or directory, from the root of the workspace.') });
export const SearchQuery = z.object({
  pattern: z.string().describe('A POSIX extended regular expression, matched within a line.'),
  path: directory.describe('A file or directory to search; the whole workspace by default.'),
  flags: z.string().default('').describe('Any of: i (in any case), w (whole words), F (the pattern is plain text).'),
});
export const HistoryQuery = z.object({
  path: directory,
  before: commit.optional().describe('Goes on after this commit of the previous page.'),
  limit: z.int().min(1).max(100).default(30),
});

const entityTags = (what: string) => z.string().max(1_000).optional().describe(what);
const idempotency = {
  'idempotency-key': idempotencyKeyField(
    "A repeated request with the same key changes nothing and returns the first one's commit.",
  ),
};
const match = {
  'if-match': entityTags('The ETag of the content that the change is based on; 412 if it is not the current one.'),
};
export const WriteHeaders = z.object({
  ...idempotency,
  ...match,
  'if-none-match': entityTags('"*" writes the file only if it does not exist.'),
});
export const EditHeaders = z.object({ ...idempotency, ...match });
export const IdempotencyHeaders = z.object(idempotency);

export const FileContent = z.object({ content, message }).meta({ id: 'FileContent' });
export const CreateFileRequest = z
  .object({ path: file, content: content.default(''), message })
  .meta({ id: 'CreateFileRequest' });
export const FileEdit = z
  .object({
    search: z.string().min(1).max(MAX_FILE_BYTES).describe('The text to replace, exactly as it is in the file.'),
    replace: z.string().max(MAX_FILE_BYTES).describe('Its replacement; empty removes it.'),
    replace_all: z
      .boolean()
      .default(false)
      .describe('Replaces every occurrence; without it there must be exactly one.'),
    message,
  })
  .meta({ id: 'FileEdit' });
export const BatchWriteRequest = z
  .object({
    files: z
      .array(
        z.object({
          path: file,
          content: content.nullable().describe('The whole text; null deletes the file.'),
          expected: z
            .string()
            .nullable()
            .optional()
            .describe('The `id` of the content that the change is based on; null if the file must not exist yet.'),
        }),
      )
      .min(1)
      .max(MAX_CHANGES),
    message,
  })
  .meta({ id: 'BatchWriteRequest' });

const Entry = z
  .object({
    path: z.string(),
    name: z.string(),
    type: z.enum(['file', 'directory', 'link', 'submodule']),
    size: count.nullable().meta({ description: 'Bytes; null for entries without a size.' }),
    read_only: z.boolean().meta({ description: 'Part of a mirrored repository.' }),
  })
  .meta({ id: 'WorkspaceEntry' });

export const WorkspaceTree = z
  .object({
    path: z.string(),
    commit: z.string(),
    entries: z.array(Entry),
    truncated: z.boolean().meta({ description: 'There are more entries.' }),
  })
  .meta({ id: 'WorkspaceTree' });

export const WorkspaceFileResponse = z
  .object({
    path: z.string(),
    id: blob,
    commit: z.string(),
    kind: z.enum(['text', 'binary', 'link', 'large']),
    size: count.meta({ description: 'Bytes of the whole file.' }),
    content: z
      .string()
      .nullable()
      .meta({ description: 'The lines asked for, or the target of a link; null unless the file is text or a link.' }),
    offset: count,
    lines: count.meta({ description: 'Lines of `content`.' }),
    total_lines: count.nullable(),
    truncated: z.boolean().meta({ description: 'The file goes on after these lines.' }),
    read_only: z.boolean().meta({ description: 'Part of a mirrored repository.' }),
  })
  .meta({ id: 'WorkspaceFile' });

const Changed = z.object({ path: z.string(), change: z.enum(['added', 'modified', 'deleted']) });

export const WriteResponse = z
  .object({
    commit: z
      .string()
      .meta({ description: 'The commit with the change, or the newest one if there was nothing to change.' }),
    changed: z.array(Changed).meta({ description: 'What the commit changed.' }),
  })
  .meta({ id: 'WorkspaceWriteResponse' });

export const FileWriteResponse = z
  .object({
    ...WriteResponse.shape,
    path: z.string(),
    id: blob.nullable().meta({ description: 'Identifies the new content; also the ETag. null if the file is gone.' }),
    size: count.nullable(),
  })
  .meta({ id: 'WorkspaceFileWriteResponse' });

export const SearchResponse = z
  .object({
    matches: z.array(
      z.object({
        path: z.string(),
        line: count.meta({ description: '1-based.' }),
        text: z.string().meta({ description: 'The line, or the surroundings of the match if it is long.' }),
      }),
    ),
    truncated: z.boolean().meta({ description: 'There are more matches.' }),
  })
  .meta({ id: 'WorkspaceSearchResponse' });

export const DiffResponse = z
  .object({ diff: z.literal(''), files: z.array(z.never()) })
  .meta({ id: 'WorkspaceDiffResponse' });

export const CommitResponse = z
  .object({ commit: z.string().meta({ description: 'The newest commit.' }), changed: z.array(z.never()) })
  .meta({ id: 'WorkspaceCommitResponse' });

export const ConnectionsResponse = z
  .object({ connections: count.meta({ description: "The team's open WebSockets, over all API nodes." }) })
  .meta({ id: 'WorkspaceConnectionsResponse' });

export const FollowQuery = z.object({
  after: commit.optional().describe('The last commit that the client knows: it is told what it has missed.'),
});
const told = z.string().meta({ description: 'A commit.' });
export const LiveMessage = z
  .discriminatedUnion('type', [
    z
      .object({ type: z.literal('ready'), commit: told })
      .meta({ description: 'Everything up to this commit was told.' }),
    z.object({
      type: z.literal('commit'),
      commit: told,
      parent: told,
      author: z.string(),
      at: time,
      message: z.string(),
      paths: z.array(Changed),
      truncated: z.boolean().meta({ description: 'There are more paths.' }),
    }),
    z
      .object({ type: z.literal('reset'), commit: told })
      .meta({ description: 'Too much has happened to be told: read the files again.' }),
    z
      .object({ type: z.literal('mirror'), path: z.string(), commit: told.nullable() })
      .meta({ description: 'A mirror shows another commit, or with null none any more.' }),
  ])
  .meta({ id: 'WorkspaceMessage' });

export const ProposalParams = z.object({ proposal_id: z.uuid() });
export const ProposalResponse = z
  .object({
    id: z.uuid(),
    status: z.enum(['proposed', 'committed', 'conflict', 'unchanged', 'discarded']).meta({
      description:
        'proposed: waits to be applied; committed: applied; conflict: others changed the same paths, and nothing is written; discarded: given up.',
    }),
    base: z.string().meta({ description: 'The commit that the changes were made against.' }),
    commit: z.string().nullable(),
    paths: z.array(z.object({ ...Changed.shape, additions: count, deletions: count })),
    conflicts: z.array(z.string()).meta({ description: 'Paths that others changed meanwhile.' }),
    diff: z.string().meta({ description: 'Unified diffs of all files; at most 200,000 characters.' }),
    truncated: z.boolean().meta({ description: 'The diff was cut.' }),
  })
  .meta({ id: 'WorkspaceProposal' });

export const HistoryResponse = z
  .object({
    commits: z.array(z.object({ id: z.string(), author: z.string(), at: time, message: z.string() })),
    truncated: z.boolean().meta({ description: 'There are older commits.' }),
  })
  .meta({ id: 'WorkspaceHistoryResponse' });
