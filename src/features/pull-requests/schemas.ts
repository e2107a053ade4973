import { z } from 'zod';
import { pageFields } from '../../http/fields.ts';
import { STATUSES } from './contract.ts';
import { branchName, repositoryName } from './proposal/schema.ts';

const time = z.iso.datetime();
const id = z.guid().meta({ format: 'uuid' });

const choices = {
  repository: repositoryName.optional().describe('Another repository of the team than the proposal names.'),
  base: branchName.optional().describe('Another branch to merge into than the proposal names.'),
  draft: z.boolean().default(false).describe('Open it as a draft.'),
};

export const ChatCreatePRRequest = z
  .object({
    chat_id: id,
    tool_call_id: id.optional().describe("A suggest_pr call of the chat; the chat's newest one if absent."),
    ...choices,
  })
  .meta({ id: 'ChatCreatePRRequest' });

export const InvestigationCreatePRRequest = z
  .object({ investigation_id: id, ...choices })
  .meta({ id: 'InvestigationCreatePRRequest' });

const createdFields = {
  status: z
    .enum(STATUSES)
    .describe(
      'pending until it is open at the host. conflict and failed can be asked for again; the others are final or follow the host.',
    ),
  pull_request_id: z.uuid(),
  url: z.string().nullable().describe('At the host; null while pending.'),
  number: z.int().nullable(),
  repository: z.string(),
  branch: z.string().describe('The branch that holds the change.'),
  base: z.string(),
  draft: z.boolean(),
  error: z.string().nullable().describe('What it waits for while pending; why it failed.'),
  follow: z.string().describe('Where to read its state.'),
};

export const CreatePRResponse = z.object(createdFields).meta({ id: 'CreatePRResponse' });

export const ChangeConflict = z.object({
  path: z.string().optional(),
  problem: z.string(),
  nearest: z.array(z.object({ line: z.int(), text: z.string() })).optional(),
});

export const PullRequestResponse = z
  .object({
    ...createdFields,
    title: z.string(),
    commit: z.string().nullable().describe('At the head of the branch.'),
    checks: z.enum(['none', 'pending', 'passing', 'failing']).describe('What CI says of the commit.'),
    review: z.enum(['none', 'approved', 'changes_requested']),
    merge_commit: z.string().nullable(),
    merged_at: time.nullable(),
    conflicts: z.array(ChangeConflict).describe('Where the change does not apply, if its status is conflict.'),
    investigation_id: z.uuid().nullable(),
    chat_id: z.uuid().nullable(),
    tool_call_id: z.uuid().describe('The suggest_pr call that it was opened from.'),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: 'PullRequestResponse' });

export const PullRequestParams = z.object({ pull_request_id: id });

export const PullRequestListQuery = z.object({
  ...pageFields,
  investigation_id: id.optional().describe('Only those opened from this investigation.'),
  chat_id: id.optional().describe('Only those opened from this chat.'),
  status: z.enum(STATUSES).optional(),
});

export const PullRequestListResponse = z
  .object({ items: z.array(PullRequestResponse), page: z.int(), count: z.int(), total: z.int() })
  .meta({ id: 'PullRequestListResponse' });

export const BranchesQuery = z.object({ repo: repositoryName.describe('Full repository name in owner/repo form.') });

export const BranchesResponse = z
  .object({
    repository: z.string(),
    default_branch: z.string(),
    branches: z
      .array(z.object({ name: z.string(), commit: z.string(), is_default: z.boolean() }))
      .describe('The default branch first, then the most recently changed.'),
    truncated: z.boolean(),
  })
  .meta({ id: 'PullRequestBranchesResponse' });
