import { z } from 'zod';
import { count, oneLine, timeField, toIso, type Offer } from '../../tools/index.ts';
import { directoryPath, workspacePath } from '../../workspace/index.ts';
import { log, type Commit } from '../mirrors/log.ts';
import {
  CodeProblem,
  codeTool,
  placeOf,
  repositoryField,
  revisionField,
  staleNote,
  textOutput,
  type CodeDeps,
  type CodePlace,
} from './code-tool.ts';

const TIMEOUT_MS = 30_000;
const MAX_FILES = 8;
const MAX_BLAMED = 400;
const SUBJECT_CHARACTERS = 200;
const LINE_CHARACTERS = 200;

const word = z
  .string()
  .min(1)
  .max(300)
  .refine((text) => !/[\0\n]/u.test(text), 'It must not contain line breaks');

/** `code_history`: who changed what, and when: commits, or the last commit of each line. */
export const codeHistory = (deps: CodeDeps): Offer =>
  codeTool(deps, {
    name: 'code_history',
    description:
      'Lists the commits of a connected Git repository, newest first, with the files that each changed; filtered by path, author, time, message, or text that they added or removed. With blame_from and blame_to: for each of these lines of the file, the commit that wrote it.',
    input: z.strictObject({
      repository: repositoryField,
      at: revisionField,
      path: z.string().min(1).max(1_024).default('.').describe('File or directory. Default: the whole repository.'),
      author: word.optional().describe("Part of the author's name or address."),
      since: timeField.optional().describe('Only commits from then on, ISO 8601 or unix seconds.'),
      until: timeField.optional().describe('Only commits until then, ISO 8601 or unix seconds.'),
      message: word.optional().describe('Part of the commit message.'),
      text: word.optional().describe('Text that the commit added or removed; slow on long histories.'),
      skip: z.number().int().min(0).max(100_000).default(0).describe('Commits to skip, to read on.'),
      limit: z.number().int().min(1).max(100).default(20).describe('Most commits to return, 20 by default.'),
      blame_from: z.number().int().min(1).optional().describe('First line to blame, from 1; needs a path of a file.'),
      blame_to: z.number().int().min(1).optional().describe('Last line to blame.'),
    }),
    async run({ repository, at, path, blame_from: from, blame_to: to, ...query }, call) {
      const place = await placeOf(call, repository, at);
      if (from !== undefined || to !== undefined) return blame(place, path, from ?? 1, to ?? from! + 20, call.signal);
      const directory = directoryPath(path);
      const { commits, truncated } = await log(place.mirror, {
        ...query,
        range: [place.commit],
        paths: directory === '' ? [] : [directory],
        withFiles: true,
        timeoutMs: TIMEOUT_MS,
        signal: call.signal,
      });
      const where = `${place.repository.fullName}${directory === '' ? '' : ` ${directory}`} at ${place.commit}`;
      const more = truncated ? `; read on with skip ${query.skip + commits.length}` : '';
      const heading = `${where}: ${count(commits.length, 'commit')}, newest first${more}`;
      return textOutput(
        [`${heading}:${staleNote(place.repository)}`, ...commits.flatMap(linesOf)].join('\n'),
        `${where}: ${count(commits.length, 'commit')}`,
        commits.length > 0 ? 'data' : 'nothing',
      );
    },
  });

/** A commit in one line: `ID TIME AUTHOR: SUBJECT`. */
export const commitLine = ({ id, at, author, subject, parents }: Commit): string =>
  `${id} ${toIso(at)} ${oneLine(author, 60)}: ${oneLine(subject, SUBJECT_CHARACTERS)}${parents.length > 1 ? ' (merge)' : ''}`;

function linesOf(commit: Commit): string[] {
  const { files } = commit;
  if (files.length === 0) return [commitLine(commit)];
  const named = files.slice(0, MAX_FILES).map(({ change, path }) => `${change} ${path}`);
  const more = files.length > named.length ? ` and ${files.length - named.length} more` : '';
  return [commitLine(commit), `  ${named.join(', ')}${more}`];
}

interface Blamed {
  commit: string;
  line: string;
  text: string;
}

async function blame(
  { repository, mirror, commit }: CodePlace,
  path: string,
  from: number,
  to: number,
  signal: AbortSignal,
) {
  const file = workspacePath(path);
  if (to < from) throw new CodeProblem('blame_to must not be before blame_from.');
  const last = Math.min(to, from + MAX_BLAMED - 1);
  const { code, stdout } = await mirror.git(
    ['blame', '--line-porcelain', '-L', `${from},${last}`, commit, '--', file],
    { accept: [128], timeoutMs: TIMEOUT_MS, signal },
  );
  if (code !== 0)
    throw new CodeProblem(`${repository.fullName} has no lines ${from}-${last} of a file ${file} at ${commit}.`);
  const lines = parseBlame(stdout.toString('utf8'));
  const heading = `${repository.fullName} ${file} at ${commit}, lines ${from}-${from - 1 + lines.length}, each with the commit that wrote it`;
  return textOutput(
    [
      `${heading}:${staleNote(repository)}`,
      ...lines.map(({ commit: by, line, text }) => `${by} ${line}: ${text}`),
    ].join('\n'),
    `${repository.fullName} ${file}: ${count(lines.length, 'line')} blamed`,
  );
}

/** `--line-porcelain`: for each line a heading with the id and the final line number, details, and the line after a tab. */
function parseBlame(output: string): Blamed[] {
  const blamed: Blamed[] = [];
  let by = '';
  let number = '';
  let author = '';
  let at = 0;
  for (const line of output.split('\n')) {
    const heading = /^([0-9a-f]{40}) \d+ (\d+)/u.exec(line);
    if (line.startsWith('\t')) {
      const who = `${by.slice(0, 12)} ${toIso(at)} ${oneLine(author, 40)}`;
      blamed.push({ commit: who, line: number, text: line.slice(1, LINE_CHARACTERS + 1) });
    } else if (heading) [, by = '', number = ''] = heading;
    else if (line.startsWith('author ')) author = line.slice('author '.length);
    else if (line.startsWith('committer-time ')) at = Number(line.slice('committer-time '.length));
  }
  return blamed;
}
