/** What the tools over mirrors have in common: their offers, and how problems become answers. */
import { CodeHostError } from '@casebook/connectors';
import { z } from 'zod';
import { untilReachable } from '../../../db/reach.ts';
import { forTeam } from '../../../db/team-filter.ts';
import type { EntityManager, Orm } from '../../../db/orm.ts';
import { NotFound } from '../../../http/errors.ts';
import { GitStopped } from '../../../platform/git/index.ts';
import { errorOutput, oneLine, type Offer, type ToolContext, type ToolOutput } from '../../tools/index.ts';
import { gitFiles, WorkspaceError, type GitFiles } from '../../workspace/index.ts';
import type { Repository } from '../entities.ts';
import type { CodeHosts, Mirror } from '../port.ts';

export interface CodeDeps {
  orm: Orm;
  codeHosts: Pick<CodeHosts, 'find' | 'list' | 'mirrorOf' | 'hostOf'>;
}

/** A call that cannot be answered, in words that say what would work. */
export class CodeProblem extends Error {
  override name = 'CodeProblem';
  readonly details: object;
  constructor(message: string, details: object = {}) {
    super(message);
    this.details = details;
  }
}

/** What a call works with. */
export interface CodeCall extends CodeDeps {
  em: EntityManager;
  context: ToolContext;
  signal: AbortSignal;
}

const MAX_NAMED = 20;
const DIGEST_CHARACTERS = 200;

export const repositoryField = z.string().trim().min(1).max(300).describe('The repository, as owner/name.');
export const revisionField = z
  .string()
  .trim()
  .min(1)
  .max(255)
  .optional()
  .describe("A branch, a tag or a commit's id. Default: the newest commit of the default branch.");

/** Offers a tool whose input is validated here. */
export function codeTool<Input>(
  deps: CodeDeps,
  {
    name,
    description,
    input,
    run,
  }: {
    name: string;
    description: string;
    input: z.ZodType<Input>;
    run: (input: Input, call: CodeCall) => Promise<ToolOutput>;
  },
): Offer {
  const { $schema: _dialect, ...inputSchema } = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' });
  return {
    parts: [name],
    system: 'code',
    what: name,
    description,
    inputSchema,
    readOnly: true,
    async run(given, context) {
      const parsed = input.safeParse(given);
      if (!parsed.success)
        return errorOutput(`The input of ${name} is not valid: ${z.prettifyError(parsed.error)}`, {
          accepts: Object.keys(inputSchema.properties ?? {}),
        });
      const em = forTeam(deps.orm.em, context.teamId);
      try {
        return await run(parsed.data, { ...deps, em, context, signal: context.signal });
      } catch (error) {
        context.signal.throwIfAborted();
        return problemOutput(error, deps, em);
      }
    },
  };
}

async function problemOutput(error: unknown, { codeHosts }: CodeDeps, em: EntityManager): Promise<ToolOutput> {
  if (error instanceof CodeProblem) return { ...errorOutput(error.message, error.details), answer: 'refused' };
  if (error instanceof WorkspaceError)
    return { ...errorOutput(error.message, { code: error.code }), answer: 'refused' };
  if (error instanceof GitStopped)
    return { ...errorOutput(`${error.message}. Narrow the question: a path, or fewer commits.`), answer: 'refused' };
  if (error instanceof CodeHostError) return { ...errorOutput(error.message), answer: 'unavailable' };
  if (!(error instanceof NotFound)) throw error;
  const repositories = (await codeHosts.list(em)).slice(0, MAX_NAMED).map(({ fullName }) => fullName);
  return { ...errorOutput(error.message, { repositories }), answer: 'refused' };
}

/** A repository at a commit. */
export interface CodePlace {
  repository: Repository;
  mirror: Mirror;
  files: GitFiles;
  /** A full id. */
  commit: string;
}

/** @throws {NotFound | CodeProblem} in words for a model */
export async function placeOf(call: CodeCall, fullName: string, revision: string | undefined): Promise<CodePlace> {
  const { em, codeHosts, signal } = call;
  const repository = await untilReachable(() => codeHosts.find(em, fullName), signal);
  return placeIn(call, repository, revision);
}

export async function placeIn(
  { codeHosts, signal }: CodeCall,
  repository: Repository,
  revision: string | undefined,
  searchTimeoutMs?: number,
): Promise<CodePlace> {
  const mirror = copied(codeHosts, repository);
  const commit = await mirror.resolve(revision ?? repository.defaultBranch, signal);
  if (commit === undefined) {
    if (revision === undefined) throw new CodeProblem(`${repository.fullName} has no commits on its default branch.`);
    throw new CodeProblem(`${repository.fullName} has no branch, tag or commit ${JSON.stringify(revision)}.`, {
      default_branch: repository.defaultBranch,
    });
  }
  return { repository, mirror, files: filesOf(mirror, searchTimeoutMs), commit };
}

export const filesOf = ({ gitDir, git }: Mirror, searchTimeoutMs?: number): GitFiles =>
  gitFiles({ path: gitDir, git }, { ...(searchTimeoutMs !== undefined && { searchTimeoutMs }) });

/** @throws {CodeProblem} when there is no copy yet */
export function copied(codeHosts: Pick<CodeHosts, 'mirrorOf'>, repository: Repository): Mirror {
  const { fullName, syncedAt, error } = repository;
  if (syncedAt === null)
    throw new CodeProblem(
      error === null
        ? `${fullName} is still being copied: try again in a moment.`
        : `${fullName} could not be copied: ${error}`,
    );
  return codeHosts.mirrorOf(repository);
}

/** A note for answers from a mirror that is behind its host; empty otherwise. */
export const staleNote = ({ error, syncedAt }: Repository): string =>
  error === null ? '' : `\n(The copy is from ${syncedAt?.toISOString() ?? 'never'}: ${oneLine(error, 200)})`;

/** Text for the model, and one line for the operator. */
export const textOutput = (content: string, digest: string, answer: 'data' | 'nothing' = 'data'): ToolOutput => ({
  content,
  digest: oneLine(digest, DIGEST_CHARACTERS),
  answer,
});
