import { z } from 'zod';
import { untilReachable } from '../../../db/reach.ts';
import { clip, count, toIso, type Offer } from '../../tools/index.ts';
import { directoryPath } from '../../workspace/index.ts';
import { log } from '../mirrors/log.ts';
import type { Mirror } from '../port.ts';
import { commitLine } from './code-history.ts';
import {
  CodeProblem,
  codeTool,
  copied,
  repositoryField,
  staleNote,
  textOutput,
  type CodeCall,
  type CodeDeps,
} from './code-tool.ts';
import { kindOfFile, rankFiles, type ChangedFile } from './rank.ts';
import { findService, type ServicePlace } from './services.ts';
import { commitOfVersion } from './versions.ts';

const TIMEOUT_MS = 30_000;
const MAX_COMMITS = 25;
const MAX_FILES = 60;
const MAX_DIFFS = 25;
/** Files with more changed lines are named only. */
const MAX_LINES = 1_500;
const DIFF_CHARACTERS = 6_000;
const ALL_DIFFS_CHARACTERS = 40_000;
const LIST_BYTES = 16 * 1_048_576;

const version = z.string().trim().min(1).max(400);

const input = z.strictObject({
  repository: repositoryField.optional().describe('The repository, as owner/name; or name a service.'),
  service: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .optional()
    .describe('A service: a repository of that name, or a directory of that name in one.'),
  from: version.describe(
    'The version that was fine: a branch, tag or commit; a time (ISO 8601), for what the default branch had then; or the id of a deployment or release from recent_changes, such as deployment:12.',
  ),
  to: version.optional().describe('The version that is broken, in the same forms. Default: the newest commit.'),
  path: z.string().min(1).max(1_024).optional().describe('Only changes of this file or directory.'),
});

/** `compare_deploys`: commits and files between two versions, what is likeliest to matter first. */
export const compareDeploys = (deps: CodeDeps): Offer =>
  codeTool(deps, {
    name: 'compare_deploys',
    description:
      'Shows what changed in a connected Git repository, or in a service, between two versions, times or deployments: the commits, and the files with their diffs, small changes of configuration, dependencies and code first. Use it to find the commit behind an incident.',
    input,
    async run(wanted, call) {
      const { repository, directories } = await placeFor(wanted, call);
      const mirror = copied(call.codeHosts, repository);
      const place = { repository, mirror };
      const from = await commitOfVersion(call, place, wanted.from);
      const to = await commitOfVersion(call, place, wanted.to ?? repository.defaultBranch);
      const path = directoryPath(wanted.path ?? '.');
      const paths = path === '' ? directories : [path];
      const { signal } = call;
      const [{ commits, truncated }, files, relation, times] = await Promise.all([
        log(mirror, { range: [to, `^${from}`], paths, limit: MAX_COMMITS, timeoutMs: TIMEOUT_MS, signal }),
        changedFiles(mirror, from, to, paths, signal),
        relationOf(mirror, from, to, signal),
        timesOf(mirror, [from, to], signal),
      ]);
      const ranked = rankFiles(files);
      const only = paths.length > 0 ? `, only ${paths.join(', ')}` : '';
      const heading = `${repository.fullName}${only}: ${from} (${times[0]}) to ${to} (${times[1]})`;
      const sum = `${count(files.length, 'file')} changed`;
      const digest = `${repository.fullName} ${from.slice(0, 10)}..${to.slice(0, 10)}: ${commits.length}${truncated ? '+' : ''} commits, ${sum}`;
      if (files.length === 0 && commits.length === 0)
        return textOutput(`${heading}\nNothing changed.${relation}${staleNote(repository)}`, digest, 'nothing');
      const diffs = await diffsOf(mirror, from, to, ranked, signal);
      return textOutput(
        [
          `${heading}${relation}${staleNote(repository)}`,
          '',
          `Commits, newest first${truncated ? ` (the newest ${commits.length})` : ''}:`,
          ...commits.map(commitLine),
          '',
          `${sum}; the likeliest to matter first:`,
          ...ranked.slice(0, MAX_FILES).map(fileLine),
          ...(ranked.length > MAX_FILES ? [`and ${ranked.length - MAX_FILES} more`] : []),
          '',
          ...diffs,
        ].join('\n'),
        digest,
      );
    },
  });

async function placeFor({ repository, service }: z.output<typeof input>, call: CodeCall): Promise<ServicePlace> {
  const { codeHosts, em, signal } = call;
  if (repository === undefined) {
    if (service === undefined) throw new CodeProblem('Name a repository or a service.');
    return findService(call, service);
  }
  return { repository: await untilReachable(() => codeHosts.find(em, repository), signal), directories: [] };
}

/** @returns a sentence unless `to` simply follows `from` */
async function relationOf(mirror: Mirror, from: string, to: string, signal: AbortSignal): Promise<string> {
  if (from === to) return '\nBoth are the same commit.';
  const isAncestor = async (one: string, other: string): Promise<boolean> =>
    (await mirror.git(['merge-base', '--is-ancestor', one, other], { accept: [1], timeoutMs: TIMEOUT_MS, signal }))
      .code === 0;
  if (await isAncestor(from, to)) return '';
  return (await isAncestor(to, from))
    ? '\nThe second is older than the first: these are the changes of going back.'
    : '\nNeither contains the other: files are compared as they are, and commits are those that only the second has.';
}

async function timesOf(mirror: Mirror, commits: readonly string[], signal: AbortSignal): Promise<string[]> {
  const { stdout } = await mirror.git(['log', '--no-walk=unsorted', '--format=%ct', ...commits], { signal });
  const times = stdout.toString('latin1').trim().split('\n');
  // Git names a commit once.
  return commits.map((_, index) => toIso(Number(times[index] ?? times[0])));
}

/** `ADDED TAB DELETED TAB PATH NUL`; a moved file has an empty path, then both paths. */
async function changedFiles(
  mirror: Mirror,
  from: string,
  to: string,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<ChangedFile[]> {
  const args = [
    'diff',
    '--numstat',
    '-z',
    '--find-renames',
    '--no-ext-diff',
    '--no-textconv',
    from,
    to,
    '--',
    ...paths,
  ];
  const { stdout } = await mirror.git(args, { maxBytes: LIST_BYTES, cut: true, timeoutMs: TIMEOUT_MS, signal });
  const fields = stdout.toString('utf8').split('\0');
  const files: ChangedFile[] = [];
  const lines = (text: string | undefined): number | null => (text === '-' ? null : Number(text));
  for (let at = 0; at + 1 < fields.length; at++) {
    const [, added, deleted, path] = /^(\d+|-)\t(\d+|-)\t(.*)$/su.exec(fields[at]!) ?? [];
    if (path === undefined) break;
    const counts = { additions: lines(added), deletions: lines(deleted) };
    if (path !== '') files.push({ path, ...counts });
    else {
      files.push({ path: fields[at + 2] ?? '', from: fields[at + 1] ?? '', ...counts });
      at += 2;
    }
  }
  return files;
}

function fileLine({ path, from, additions, deletions }: ChangedFile): string {
  const size = additions === null ? 'binary' : `+${additions} -${deletions}`;
  return `${path} ${size} (${kindOfFile(path)})${from === undefined ? '' : ` from ${from}`}`;
}

/** One at a time, so that each is known by its file, whatever its name. */
async function diffsOf(
  mirror: Mirror,
  from: string,
  to: string,
  ranked: readonly ChangedFile[],
  signal: AbortSignal,
): Promise<string[]> {
  const diffs: string[] = [];
  let room = ALL_DIFFS_CHARACTERS;
  const worth = ranked.filter(
    ({ additions, deletions }) => additions !== null && deletions !== null && additions + deletions <= MAX_LINES,
  );
  for (const { path, from: before } of worth.slice(0, MAX_DIFFS)) {
    if (room <= 0) break;
    const options = ['--no-color', '--find-renames', '--no-ext-diff', '--no-textconv', '--unified=3'];
    const args = ['diff', ...options, from, to, '--', ...(before === undefined ? [] : [before]), path];
    const { stdout } = await mirror.git(args, { maxBytes: 1_048_576, cut: true, timeoutMs: TIMEOUT_MS, signal });
    const diff = clip(stdout.toString('utf8').trimEnd(), Math.min(DIFF_CHARACTERS, room));
    room -= diff.length;
    diffs.push(diff);
  }
  if (diffs.length < ranked.length)
    diffs.push(`(${count(ranked.length - diffs.length, 'file')} without a diff here: read_code shows them.)`);
  return diffs;
}
