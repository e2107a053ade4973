/** A proposed change of a repository, as a model writes it. */
import { z } from 'zod';

/** The tool's name, unless there are so many tools that they are searched for. */
export const SUGGEST_PR = 'suggest_pr';

const MAX_EDITS = 200;
const MAX_TEXT = 1_048_576;

const path = z.string().min(1).max(1_024).describe('A file, from the root of the repository.');

const edit = z.union([
  z.strictObject({
    path,
    search: z.string().min(1).max(MAX_TEXT).describe('The piece to replace, exactly as it is in the file.'),
    replace: z.string().max(MAX_TEXT).describe('What comes in its place; empty removes it.'),
    all: z.boolean().optional().describe('Replace every occurrence; otherwise there must be exactly one.'),
  }),
  z.strictObject({ path, content: z.string().max(MAX_TEXT).describe('The whole text of a new or replaced file.') }),
  z.strictObject({ path, delete: z.literal(true).describe('Deletes the file.') }),
]);
export type ProposedEdit = z.infer<typeof edit>;

/** A change: edits that apply in order, or the commit to revert. */
export type ProposedChange = { edits: ProposedEdit[] } | { revertCommit: string };

/** `owner/name`; GitLab's groups may be nested. */
export const repositoryName = z
  .string()
  .trim()
  .min(3)
  .max(300)
  .regex(/^[^\s/]+(?:\/[^\s/]+)+$/u, 'Value should be owner/name');

/** A branch name as Git accepts it. */
export const branchName = z
  .string()
  .min(1)
  .max(200)
  .regex(
    /^(?![-/.])(?!.*(?:\.\.|@\{|\/\/|\/\.|\.lock(?:\/|$)))[^\s~^:?*[\\\p{Cc}]+(?<![/.])$/u,
    'Value should be the name of a branch',
  );

/** The input of `suggest_pr`. */
export const proposalInput = z
  .strictObject({
    repository: repositoryName.describe('Full name of a connected repository, owner/name.'),
    base: branchName.optional().describe('The branch to merge into; the default branch if absent.'),
    title: z
      .string()
      .trim()
      .min(1)
      .max(200)
      .regex(/^\P{Cc}+$/u, 'Value should be one line')
      .describe('Title of the pull request and of its commit: one line, imperative.'),
    body: z
      .string()
      .trim()
      .max(20_000)
      .default('')
      .describe('Why, for the reviewer: what it changes, what shows that it is needed, how to verify it. Markdown.'),
    edits: z.array(edit).min(1).max(MAX_EDITS).optional().describe('The changes, applied in order.'),
    revert_commit: z
      .string()
      .regex(/^[\da-f]{7,40}$/u, 'Value should be the id of a commit')
      .optional()
      .describe('Instead of edits: the commit to revert.'),
  })
  .refine(({ edits, revert_commit: revert }) => (edits === undefined) !== (revert === undefined), {
    message: 'Give either edits or revert_commit',
  });
export type ProposalInput = z.infer<typeof proposalInput>;

export const changeOf = ({ edits = [], revert_commit: revertCommit }: ProposalInput): ProposedChange =>
  revertCommit === undefined ? { edits } : { revertCommit };
