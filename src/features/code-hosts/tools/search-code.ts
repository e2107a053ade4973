import pMap from 'p-map';
import { z } from 'zod';
import { untilReachable } from '../../../db/reach.ts';
import { count, type Offer } from '../../tools/index.ts';
import type { SearchMatch } from '../../workspace/index.ts';
import type { Repository } from '../entities.ts';
import {
  CodeProblem,
  codeTool,
  placeIn,
  repositoryField,
  revisionField,
  staleNote,
  textOutput,
  type CodeCall,
  type CodeDeps,
} from './code-tool.ts';

/** Of one repository, and of all together. */
const ONE_MS = 15_000;
const ALL_MS = 40_000;
/** Git searches with several threads itself. */
const CONCURRENCY = 2;
const MAX_LEFT_OUT = 20;

const input = z.strictObject({
  pattern: z.string().min(1).max(500).describe('Text to find within a line; with regex a POSIX extended expression.'),
  regex: z.boolean().default(false),
  ignore_case: z.boolean().default(false),
  whole_word: z.boolean().default(false),
  repository: repositoryField.optional().describe('Only this repository, as owner/name. Default: all.'),
  at: revisionField,
  path: z.string().min(1).max(1_024).default('.').describe('File or directory to search in. Default: everything.'),
  limit: z.number().int().min(1).max(200).default(60).describe('Most lines to return, 60 by default.'),
});

interface Found {
  repository: Repository;
  commit: string;
  matches: SearchMatch[];
  truncated: boolean;
}

/** `search_code`: lines of the connected repositories, by `git grep`. */
export const searchCode = (deps: CodeDeps): Offer =>
  codeTool(deps, {
    name: 'search_code',
    description:
      "Finds lines in the team's connected Git repositories, by text or regular expression, in one or in all of them, at the newest commit or any other. Returns owner/name path:line: text.",
    input,
    async run(wanted, call) {
      const { found, leftOut } = await search(wanted, call);
      const shares = sharesOf(
        found.map(({ matches }) => matches.length),
        wanted.limit,
      );
      const shown = found.flatMap(({ repository: { fullName }, matches }, index) =>
        matches.slice(0, shares[index]).map(({ path, line, text }) => `${fullName} ${path}:${line}: ${text}`),
      );
      const isMore = found.some(({ matches, truncated }, index) => truncated || shares[index]! < matches.length);
      const searched = found.map(({ repository, commit }) => `${repository.fullName}@${commit.slice(0, 12)}`);
      // Without the pattern: a model must not be able to cite its own search text.
      const digest = `${count(shown.length, 'line')} in ${count(found.length, 'repository', 'repositories')}${isMore ? ', and there are more' : ''}`;
      const notes = [
        `Searched: ${searched.slice(0, MAX_LEFT_OUT).join(', ')}${searched.length > MAX_LEFT_OUT ? ' …' : ''}`,
        ...leftOut.slice(0, MAX_LEFT_OUT).map((why) => `Not searched: ${why}`),
        ...found.map(({ repository }) => staleNote(repository).trim()).filter(Boolean),
      ];
      return textOutput(
        [`${digest}.`, ...shown, '', ...notes].join('\n'),
        digest,
        shown.length > 0 ? 'data' : 'nothing',
      );
    },
  });

/** How many lines of each repository are shown: as evenly as they have them, so that none hides the others. */
function sharesOf(counts: readonly number[], limit: number): number[] {
  const shares = counts.map(() => 0);
  let left = limit;
  for (const [rank, index] of [...counts.keys()].sort((a, b) => counts[a]! - counts[b]!).entries()) {
    shares[index] = Math.min(counts[index]!, Math.ceil(left / (counts.length - rank)));
    left -= shares[index];
  }
  return shares;
}

async function search(wanted: z.output<typeof input>, call: CodeCall): Promise<{ found: Found[]; leftOut: string[] }> {
  const { codeHosts, em } = call;
  const { pattern, path, at, limit, repository: one } = wanted;
  const flags = `${wanted.ignore_case ? 'i' : ''}${wanted.whole_word ? 'w' : ''}${wanted.regex ? '' : 'F'}`;
  const repositories = await untilReachable(
    async () => (one === undefined ? codeHosts.list(em) : [await codeHosts.find(em, one)]),
    call.signal,
  );
  const overall = AbortSignal.timeout(ALL_MS);
  const signal = AbortSignal.any([call.signal, overall]);
  const leftOut: string[] = [];
  const all = await pMap(
    repositories,
    async (repository): Promise<Found | undefined> => {
      try {
        signal.throwIfAborted();
        const { commit, files } = await placeIn({ ...call, signal }, repository, at, ONE_MS);
        return { repository, commit, ...(await files.search(pattern, { at: commit, path, flags, limit, signal })) };
      } catch (error) {
        call.signal.throwIfAborted();
        // One alone: what is wrong with it is the answer.
        if (one !== undefined && !overall.aborted) throw error;
        leftOut.push(`${repository.fullName}: ${overall.aborted ? 'the time was over' : whyNot(error)}`);
        return undefined;
      }
    },
    { concurrency: CONCURRENCY },
  );
  const found = all.filter((each) => each !== undefined);
  if (found.length === 0 && leftOut.length > 0)
    throw new CodeProblem('No repository could be searched.', { why: leftOut.slice(0, MAX_LEFT_OUT) });
  return { found, leftOut };
}

/** @throws what no model can act on */
function whyNot(error: unknown): string {
  if (error instanceof Error && /^(CodeProblem|WorkspaceError|CodeHostError|GitStopped)$/u.test(error.name))
    return error.message;
  throw error;
}
