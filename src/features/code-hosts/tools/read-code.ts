import { z } from 'zod';
import { count, type Offer } from '../../tools/index.ts';
import { pageOf, WorkspaceError } from '../../workspace/index.ts';
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

/** Leaves room for the heading, so that a page fits the view of a tool result. */
const PAGE_CHARACTERS = 15_000;
const MAX_ENTRIES = 300;
const LFS_POINTER = /^version https:\/\/git-lfs\.github\.com\/spec\//u;

/** `read_code`: a file of a repository at a commit, or what a directory has. */
export const readCode = (deps: CodeDeps): Offer =>
  codeTool(deps, {
    name: 'read_code',
    description:
      'Reads a file of a connected Git repository at a branch, tag or commit, exactly as it is, in whole lines; or lists a directory.',
    input: z.strictObject({
      repository: repositoryField,
      path: z.string().min(1).max(1_024).default('.').describe('File or directory, from the root of the repository.'),
      at: revisionField,
      from_line: z.number().int().min(1).default(1).describe('First line, from 1.'),
      lines: z
        .number()
        .int()
        .min(0)
        .max(5_000)
        .default(0)
        .describe(`Maximum lines; 0, the default, means as many as fit into ${PAGE_CHARACTERS} characters.`),
    }),
    async run({ repository, path, at, from_line: from, lines: limit }, call) {
      const place = await placeOf(call, repository, at);
      const file = await read(place, path, call.signal);
      if (file === 'directory') return list(place, path, call.signal);
      const where = `${place.repository.fullName} ${file.path} at ${place.commit}`;
      const note = staleNote(place.repository);
      if (file.kind === 'link')
        return textOutput(`${where} is a link to: ${file.text ?? ''}${note}`, `${where} is a link`);
      if (file.text === null)
        return textOutput(
          `${where} is ${file.kind}, ${file.size} bytes, and not shown.${note}`,
          `${where} is ${file.kind}`,
        );
      const isPointer = LFS_POINTER.test(file.text);
      const { page, lines, shown } = pageOf(file.text, { offset: from - 1, limit, maxCharacters: PAGE_CHARACTERS });
      if (shown === 0) throw new CodeProblem(`${file.path} has ${lines} lines; there is nothing from line ${from} on.`);
      const last = from - 1 + shown;
      const rest = last < lines ? `; continue with from_line ${last + 1}` : '; end of file';
      const pointer = isPointer ? ' (a pointer of Git LFS: its content is not in Git)' : '';
      const heading = `${where}, lines ${from}-${last} of ${lines}${rest}${pointer}:${note}`;
      return textOutput(`${heading}\n${page}`, `${where}, lines ${from}-${last} of ${lines}`);
    },
  });

async function read({ files, commit }: CodePlace, path: string, signal: AbortSignal) {
  try {
    return path === '.' ? ('directory' as const) : await files.read(path, { at: commit, signal });
  } catch (error) {
    if (error instanceof WorkspaceError && error.code === 'not_a_file' && /directory/u.test(error.message))
      return 'directory' as const;
    throw error;
  }
}

async function list({ repository, files, commit }: CodePlace, path: string, signal: AbortSignal) {
  const { entries, truncated } = await files.list(path, { at: commit, limit: MAX_ENTRIES, signal });
  const where = `${repository.fullName} ${path} at ${commit}`;
  const named = entries.map(({ path: entry, type, size }) =>
    type === 'directory' ? `${entry}/` : `${entry}${type === 'file' ? ` (${size ?? 0} bytes)` : ` (${type})`}`,
  );
  const more = truncated ? ', and there are more' : '';
  const heading = `${where}: ${count(entries.length, 'entry', 'entries')}${more}`;
  return textOutput([`${heading}:${staleNote(repository)}`, ...named].join('\n'), heading);
}
