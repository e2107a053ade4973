/** The tool `suggest_pr`, for teams with repositories. */
import { createHash } from 'node:crypto';
import { CodeHostError } from '@casebook/connectors';
import { z } from 'zod';
import type { Orm } from '../../db/orm.ts';
import { forTeam } from '../../db/team-filter.ts';
import { NotFound } from '../../http/errors.ts';
import { untilReachable } from '../../db/reach.ts';
import type { CodeHosts, Repository } from '../code-hosts/index.ts';
import type { StoredSuggestion } from '../investigations/index.ts';
import {
  count,
  errorOutput,
  oneLine,
  type LoadSystems,
  type Offer,
  type ToolContext,
  type ToolOutput,
} from '../tools/index.ts';
import { ChangeRefused } from './proposal/refused.ts';
import { proposalInput, SUGGEST_PR } from './proposal/schema.ts';
import { suggestionOf } from './proposal/suggestion.ts';

const DIGEST_CHARACTERS = 200;
const MAX_NAMED = 20;

export interface SuggestDeps {
  orm: Orm;
  codeHosts: Pick<CodeHosts, 'find' | 'list' | 'mirrorOf'>;
}

/** Offers `suggest_pr` to the runs of a team that has connected repositories. */
export function suggestionSystems(deps: SuggestDeps): LoadSystems {
  return async (teamId) => {
    const repositories = (await deps.codeHosts.list(forTeam(deps.orm.em, teamId))).filter((one) => !one.isArchived);
    const isOffered = repositories.length > 0;
    return {
      digest: createHash('sha256')
        .update(JSON.stringify(repositories.map(({ fullName }) => fullName)))
        .digest('base64url'),
      offers: () => (isOffered ? [suggestPr(deps)] : []),
      instructions: (search) => (isOffered ? instructionsFor(repositories, search) : undefined),
      sources: () => [],
    };
  };
}

function instructionsFor(repositories: readonly Repository[], search: string | undefined): string {
  const names = repositories.slice(0, MAX_NAMED).map(({ fullName }) => fullName);
  const more = repositories.length > names.length ? ` and ${repositories.length - names.length} more` : '';
  const found = search === undefined ? '' : ` (find it with ${search})`;
  return [
    'Pull requests',
    `- Pull requests can be suggested for: ${names.join(', ')}${more}.`,
    `- When the evidence names a change in one of them (a commit, a line, a setting) and the repair is to revert or edit it, propose that with ${SUGGEST_PR}${found}. It checks the change and opens nothing: a person does. Propose the smallest change that repairs the fault; where a whole commit is at fault, revert it.`,
    `- Do not propose a change to a repository whose part in the problem nothing shows.`,
    `- In a report, recommended_pr names the evidence number of the proposal.`,
  ].join('\n');
}

const inputSchema = (): Record<string, unknown> => {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(proposalInput, { io: 'input', target: 'draft-2020-12' });
  return schema;
};

function suggestPr(deps: SuggestDeps): Offer {
  return {
    parts: [SUGGEST_PR],
    system: 'code',
    what: 'suggest a pull request',
    description:
      'Proposes a pull request to a connected repository, which a person may open from the report or chat. Give edits (search and replace with the exact text of the file, whole files, deletions), or revert_commit. The change is checked against the newest commit of the base branch: if it does not apply, the answer says where, and what the file has instead. Changes nothing. Returns the files and the unified diff.',
    inputSchema: inputSchema(),
    readOnly: true,
    run: (input, context) => suggest(deps, input, context),
  };
}

async function suggest(
  { orm, codeHosts }: SuggestDeps,
  given: Record<string, unknown>,
  { teamId, signal }: ToolContext,
): Promise<ToolOutput> {
  const input = proposalInput.safeParse(given);
  if (!input.success)
    return errorOutput(`The input of ${SUGGEST_PR} is not valid: ${z.prettifyError(input.error)}`, {
      accepts: Object.keys(proposalInput.shape),
    });
  const em = forTeam(orm.em, teamId);
  try {
    const repository = await untilReachable(() => codeHosts.find(em, input.data.repository), signal);
    if (repository.isArchived) return errorOutput(`${repository.fullName} is archived: it takes no changes.`);
    if (repository.syncedAt === null)
      return errorOutput(`${repository.fullName} is still being copied: try again in a moment.`);
    const suggested = await suggestionOf(codeHosts, repository, input.data, signal);
    return { content: JSON.stringify(suggested), digest: oneLine(digestOf(suggested), DIGEST_CHARACTERS) };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ChangeRefused)
      return errorOutput('The change does not apply. Correct it and call the tool again.', {
        problems: error.problems,
      });
    if (error instanceof CodeHostError) return errorOutput(error.message);
    if (!(error instanceof NotFound)) throw error;
    const repositories = (await codeHosts.list(em)).slice(0, MAX_NAMED).map(({ fullName }) => fullName);
    return errorOutput(error.message, { repositories });
  }
}

function digestOf({ title, repository, files }: StoredSuggestion): string {
  const sum = (of: 'additions' | 'deletions'): number => files.reduce((total, file) => total + file[of], 0);
  return `Suggested for ${repository}: ${title} (${count(files.length, 'file')}, +${sum('additions')} -${sum('deletions')})`;
}
