/** The plain instructions about files that the offline model understands. */

export type Instruction =
  /** `content` is absent where the person gave none. */
  | { what: 'create'; path: string; content?: string }
  | { what: 'append'; path: string; content: string }
  | { what: 'replace'; path: string; old: string; with: string }
  | { what: 'delete'; path: string }
  | { what: 'show'; path: string }
  | { what: 'list' }
  | { what: 'runbook' };

/** For a person whose instruction was not understood. */
export const UNDERSTOOD = [
  'create notes/today.md with the content: …',
  'a file name with a code block below it',
  'replace A with B in notes/today.md',
  'append “…” to notes/today.md',
  'delete notes/today.md',
  'show notes/today.md',
  'write a runbook for checkout',
];

/** An expression over more text would take long, and instructions are short. */
const LONGEST_REPLACEMENT = 10_000;
const NAMED_FILES = 'Dockerfile|Makefile|README|LICENSE|CODEOWNERS';
const PATH = String.raw`[\x60"'“]?(?<path>(?:[\w.@-]+\/)*[\w@-][\w.@-]*\.[A-Za-z\d]{1,10}|(?:[\w.@-]+\/)+[\w.@-]+|${NAMED_FILES})[\x60"'”]?`;
const POLITE = String.raw`^(?:(?:please|now|then|and|ok(?:ay)?)[\s,]+)*(?:(?:can|could|would) you\s+(?:please\s+)?)?`;
const FILE = String.raw`(?:the\s+|a\s+|an\s+|new\s+|my\s+|our\s+)*(?:file\s+)?(?:named\s+|called\s+|at\s+)?`;
const END = String.raw`\s*[.!?]?$`;

const CREATE = new RegExp(
  String.raw`${POLITE}(?:create|write|make|add|save)\s+${FILE}${PATH}(?=\s*(?:$|[,:.\n]|with\b|containing\b|that\b|which\b))\s*(?:,|:)?\s*(?:(?:with|containing|that contains|that says|which says)\b)?\s*(?:(?:the|this|following|as)\s+)*(?:contents?|text|lines?)?\s*:?`,
  'iu',
);
const BLOCK = new RegExp(String.raw`^(?:file\s+)?${PATH}\s*:?\s*\n+(?=\x60{3}|~~~)`, 'iu');
const APPEND = new RegExp(
  String.raw`${POLITE}(?:append|add)\s+(?<content>[\s\S]+?)\s+(?:to|at)\s+(?:the\s+(?:end|bottom)\s+of\s+)?${FILE}${PATH}${END}`,
  'iu',
);
const APPEND_BELOW = new RegExp(
  String.raw`${POLITE}(?:append|add)\s+(?:the\s+following\s+|this\s+)?to\s+(?:the\s+(?:end|bottom)\s+of\s+)?${FILE}${PATH}\s*:\s*`,
  'iu',
);
/** What stands in quotes is one thing: no word in it ends it. */
const QUOTED = /"[^"]*"|`[^`]*`|“[^”]*”/g;
/** Stand-ins for quoted texts, from the private use area, by their number. */
const FIRST_STAND_IN = 0xe000;
const MOST_STAND_INS = 0x1000;
const STAND_IN = /[\ue000-\uefff]/;
const SOMETHING = String.raw`(?:every\s+|all\s+|each\s+|the\s+(?:word|text|line|string)\s+)?`;
const REPLACE = new RegExp(
  String.raw`${POLITE}(?:replace|change|rename|substitute)\s+${SOMETHING}(?<old>[\s\S]+?)\s+(?:with|by|to|into)\s+(?<new>[\s\S]*?)\s+in\s+${FILE}${PATH}${END}`,
  'iu',
);
const IN_REPLACE = new RegExp(
  String.raw`${POLITE}in\s+${FILE}${PATH}\s*,?\s*(?:please\s+)?(?:replace|change|rename|substitute)\s+${SOMETHING}(?<old>[\s\S]+?)\s+(?:with|by|to|into)\s+(?<new>[\s\S]*?)${END}`,
  'iu',
);
/** What is said before the text itself. */
const A_LINE =
  /^(?:(?:a|the|this|another)\s+)?(?:new\s+)?(?:line|text|sentence|entry)\s*(?:saying|that says|with|reading|:)?\s+/i;
const PATH_ALONE = new RegExp(`^${PATH}$`, 'iu');
const DELETE = new RegExp(String.raw`${POLITE}(?:delete|remove)\s+${FILE}${PATH}${END}`, 'iu');
const SHOW = new RegExp(String.raw`${POLITE}(?:show|read|open|print|cat)\s+(?:me\s+)?${FILE}${PATH}${END}`, 'iu');
const LIST = /^(?:please\s+)?(?:(?:list|show)\s+(?:me\s+)?(?:the\s+|all\s+)*|(?:which|what)\s+)files\b[^.]{0,60}$/i;
const RUNBOOK = /\b(?:write|create|draft|make|prepare|generate|add)\b[^.?!\n]{0,40}\brun-?book\b/i;

/** @returns undefined when the text is no instruction about files */
export function readInstruction(text: string): Instruction | undefined {
  if (RUNBOOK.test(text.slice(0, 400))) return { what: 'runbook' };
  return readReplacement(text) ?? readAppend(text) ?? readCreate(text) ?? readOther(text);
}

function readReplacement(text: string): Instruction | undefined {
  if (text.length > LONGEST_REPLACEMENT) return undefined;
  const quoted: string[] = [];
  const plain = text.replaceAll(QUOTED, (quote) => {
    // A path in quotes is read as a path.
    if (PATH_ALONE.test(quote) || quoted.length >= MOST_STAND_INS || STAND_IN.test(text)) return quote;
    quoted.push(quote);
    return String.fromCharCode(FIRST_STAND_IN + quoted.length - 1);
  });
  const whole = (part: string): string =>
    part.replaceAll(new RegExp(STAND_IN, 'g'), (one) => quoted[one.charCodeAt(0) - FIRST_STAND_IN] ?? one);
  const { path, old, new: put } = (REPLACE.exec(plain) ?? IN_REPLACE.exec(plain))?.groups ?? {};
  if (path === undefined || old === undefined || put === undefined) return undefined;
  return { what: 'replace', path, old: unquoted(whole(old)), with: unquoted(whole(put)) };
}

function readAppend(text: string): Instruction | undefined {
  const below = APPEND_BELOW.exec(text);
  if (below?.groups?.['path'] !== undefined) {
    const content = contentOf(text.slice(below[0].length));
    return content === undefined ? undefined : { what: 'append', path: below.groups['path'], content };
  }
  const { path, content } = APPEND.exec(text)?.groups ?? {};
  return path === undefined || content === undefined
    ? undefined
    : { what: 'append', path, content: contentOf(content.replace(A_LINE, '')) ?? content };
}

function readCreate(text: string): Instruction | undefined {
  const head = CREATE.exec(text) ?? BLOCK.exec(text);
  const path = head?.groups?.['path'];
  if (!head || path === undefined) return undefined;
  return { what: 'create', path, content: contentOf(text.slice(head[0].length)) };
}

function readOther(text: string): Instruction | undefined {
  const deleted = DELETE.exec(text)?.groups?.['path'];
  if (deleted !== undefined) return { what: 'delete', path: deleted };
  const shown = SHOW.exec(text)?.groups?.['path'];
  if (shown !== undefined) return { what: 'show', path: shown };
  return LIST.test(text) ? { what: 'list' } : undefined;
}

/** A fenced block's content, a quoted text without its quotes, or the text itself; undefined when there is nothing. */
function contentOf(text: string): string | undefined {
  const trimmed = text.replace(/^[ \t]*\n/, '').trimEnd();
  const [, fence] = /^\s*(`{3,}|~{3,})[^\n]*\n/.exec(trimmed) ?? [];
  if (fence !== undefined) {
    const from = trimmed.indexOf('\n') + 1;
    const end = trimmed.indexOf(`\n${fence}`, from - 1);
    return `${trimmed.slice(from, end < from ? undefined : end)}\n`;
  }
  const content = unquoted(trimmed.trim());
  return content === '' ? undefined : content;
}

function unquoted(text: string): string {
  const [, inner] =
    /^(?:`([\s\S]*)`|"([\s\S]*)"|'([\s\S]*)'|“([\s\S]*)”)$/u.exec(text.trim())?.filter((part) => part !== undefined) ??
    [];
  return inner ?? text.trim();
}
