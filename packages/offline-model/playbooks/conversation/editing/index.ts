/** Carries out a plain instruction about files: read what is changed, change it, say what was changed. */
import type { Turn } from '../../../decide.ts';
import type { Call } from '../../../transcript.ts';
import type { CaseFile } from '../../investigation/case-file.ts';
import { call } from '../../investigation/gather.ts';
import { lastCall } from '../calls.ts';
import { has, type Chat } from '../chat.ts';
import type { Plan } from '../replay.ts';
import { bullets, cite, failureOf, name, paragraphs } from '../wording.ts';
import { UNDERSTOOD, type Instruction } from './instructions.ts';
import { runbookAnswer, runbookPlan } from './runbook.ts';

type Can = (tool: string) => boolean;

/** The heading of `read_file`, behind which the text stands as it is. */
const HEADING = /^[^\n]*, lines (\d+)-(\d+) of (\d+)[^\n]*:\n/;
/** Enough of a file's end to find one that stands there only once. */
const MOST_TAIL = 4_000;

/** For an editor's turn whose wish is none of the instructions. */
export const NO_INSTRUCTION = paragraphs(
  'I changed nothing: without a language model I understand plain instructions only, such as:',
  bullets(UNDERSTOOD),
);

export function editPlan(chat: Chat, instruction: Instruction, can: Can): Plan {
  if (instruction.what === 'runbook') return runbookPlan(chat, can);
  return {
    query: '',
    next: (file) => {
      const turn = nextCall(instruction, file);
      return turn?.calls.every(({ name: tool }) => can(tool)) ? turn : undefined;
    },
  };
}

function nextCall(instruction: Exclude<Instruction, { what: 'runbook' }>, file: CaseFile): Turn | undefined {
  if (instruction.what === 'list')
    return { text: 'I list the files.', calls: [call('list_files', { path: '.', recursive: true })] };
  const { path } = instruction;
  if (instruction.what === 'create') {
    const { content } = instruction;
    return content === undefined
      ? undefined
      : { text: `I create ${path}.`, calls: [call('create_file', { path, content })] };
  }
  if (instruction.what === 'delete') return { text: `I delete ${path}.`, calls: [call('delete_file', { path })] };
  const read = lastCall(file, 'read_file');
  if (!read) return { text: `I read ${path}.`, calls: [call('read_file', { path })] };
  if (instruction.what === 'show') return undefined;
  const edit = instruction.what === 'replace' ? replacement(instruction, read) : addition(instruction, read);
  return edit && { text: `I change ${path}.`, calls: [edit] };
}

function replacement({ path, old, with: put }: Extract<Instruction, { what: 'replace' }>, read: Call) {
  const text = read.isError ? undefined : shownText(read);
  if (text === undefined) return undefined;
  const places = countOf(text, old);
  // What is not in the shown part of a long file may be in the rest of it: then the tool decides.
  if (places === 0 && isWhole(read)) return undefined;
  return call('edit_file', { path, old_text: old, new_text: put, replace_all: places === 1 ? undefined : true });
}

/** Text behind the end of a file: a piece of the end that stands there only once is replaced by itself and the text. */
function addition({ path, content }: Extract<Instruction, { what: 'append' }>, read: Call) {
  const added = content.endsWith('\n') ? content : `${content}\n`;
  const text = shownText(read);
  if (read.isError || text === undefined || text === '') {
    const missing = /not found|no such|does not exist|there is no/i.test(read.body) || text === '';
    return missing
      ? call('create_file', { path, content: added, overwrite: text === '' ? true : undefined })
      : undefined;
  }
  if (!isWhole(read)) return undefined;
  const tail = uniqueTail(text);
  if (tail === undefined) return undefined;
  return call('edit_file', { path, old_text: tail, new_text: `${tail}${tail.endsWith('\n') ? '' : '\n'}${added}` });
}

function uniqueTail(text: string): string | undefined {
  for (
    let from = text.lastIndexOf('\n', text.length - 2) + 1;
    text.length - from <= MOST_TAIL;
    from = text.lastIndexOf('\n', from - 2) + 1
  ) {
    const tail = text.slice(from);
    // Found at no place before: places that overlap count as well.
    if (text.indexOf(tail) === from) return tail;
    if (from === 0) return undefined;
  }
  return undefined;
}

export function editAnswer(chat: Chat, instruction: Instruction, file: CaseFile): string {
  if (instruction.what === 'runbook') return runbookAnswer(chat, file);
  const tool = {
    create: 'create_file',
    append: 'edit_file',
    replace: 'edit_file',
    delete: 'delete_file',
    show: 'read_file',
    list: 'list_files',
  }[instruction.what];
  if (!has(chat, tool)) {
    return `I cannot do that here: this chat is not offered the tool for it (${tool}). Changing files takes a turn of the editor, or a key and a chat that allow side effects.`;
  }
  if (instruction.what === 'list') return listing(file);
  const { path } = instruction;
  if (instruction.what === 'create' && instruction.content === undefined) {
    return paragraphs(
      `Tell me what is to be in ${name(path)}. I understand instructions such as:`,
      bullets(UNDERSTOOD),
    );
  }
  const written = file.transcript.calls.findLast(({ tool: made }) => /^(?:create|edit|delete)_file$/.test(made));
  if (written?.isError) return `${name(path)} was not changed: ${failureOf(written)}${cite(written)}.`;
  if (written) return done(instruction, written);
  const read = lastCall(file, 'read_file');
  if (!read) return `I had to answer before ${name(path)} was changed.`;
  if (read.isError) return `I could not read ${name(path)}: ${failureOf(read)}${cite(read)}.`;
  if (instruction.what === 'show') return shownFile(path, read);
  if (instruction.what === 'replace')
    return `Nothing was changed: the text to replace does not occur in ${name(path)}${cite(read)}.`;
  return `Nothing was changed: ${name(path)} is too long for me to append to, or its end is not unique${cite(read)}.`;
}

function done(instruction: Extract<Instruction, { path: string }>, written: Call): string {
  const path = name(instruction.path);
  const cited = cite(written);
  if (written.tool === 'delete_file') return `${path} is deleted${cited}.`;
  if (written.tool === 'create_file') return `${path} is created${cited}.`;
  if (instruction.what === 'append') return `The text is appended to ${path}${cited}.`;
  const places = /"replacements":(\d+)/.exec(written.body)?.[1];
  return `${path} is changed${places ? `, with ${places} ${places === '1' ? 'replacement' : 'replacements'}` : ''}${cited}.`;
}

function shownFile(path: string, read: Call): string {
  const text = shownText(read) ?? read.body;
  const fence = '`'.repeat(Math.max(3, ...(text.match(/`+/g) ?? []).map((run) => run.length + 1)));
  return paragraphs(
    `${name(path)}${cite(read)}:`,
    `${fence}\n${text.replace(/\n$/, '')}\n${fence}`,
    isWhole(read) ? '' : 'It goes on.',
  );
}

function listing(file: CaseFile): string {
  const list = lastCall(file, 'list_files');
  if (!list) return 'I had to answer before I could list the files.';
  if (list.isError) return `The files could not be listed: ${failureOf(list)}${cite(list)}.`;
  const paths = [...list.body.matchAll(/"path":"((?:[^"\\]|\\.)*)"/g)]
    .map(([, path = '']) => path)
    .filter((path) => path !== '.');
  return paths.length === 0
    ? `There are no files yet${cite(list)}.`
    : paragraphs(`The files${cite(list)}:`, bullets(paths.map(name)));
}

/** The file's text as far as it is shown; undefined when it is no text. */
function shownText({ body }: Call): string | undefined {
  if (HEADING.test(body)) return body.replace(HEADING, '');
  return / has 0 lines;/.test(body) ? '' : undefined;
}

function isWhole({ body, shownTo, characters }: Call): boolean {
  const [, from, to, of] = HEADING.exec(body) ?? [];
  return from === '1' && to === of && shownTo >= characters;
}

function countOf(text: string, piece: string): number {
  return piece === '' ? 0 : text.split(piece).length - 1;
}
