/** The title of a chat: the cause where the answer names one, else the question. */
const MAX_CHARACTERS = 60;
const MAX_WORDS = 8;
const CAUSE = /\*\*Likely root cause: ([^\n(]{1,80}?) \(([^)\n]{1,40})\)/;

export function chatTitle(task: string): string {
  const [, service, fault] = CAUSE.exec(between(task, 'answer')) ?? [];
  if (service !== undefined && fault !== undefined) return fitted(`Root cause: ${plain(service)}, ${plain(fault)}`);
  const line = between(task, 'question')
    .split('\n')
    .find((one) => one.trim() !== '');
  return fitted(plain(line ?? '') || 'Chat without a question');
}

/** Three to eight words, at most 60 characters. */
function fitted(text: string): string {
  const words = text.split(' ').filter(Boolean);
  const full = words.length < 3 && text.length < 40 ? ['Chat about', ...words] : words;
  let title = full.slice(0, MAX_WORDS).join(' ');
  while (title.length > MAX_CHARACTERS && title.includes(' ')) title = title.slice(0, title.lastIndexOf(' '));
  const cut = title
    .slice(0, MAX_CHARACTERS)
    .toWellFormed()
    .replace(/[\s:,;.!?–-]+$/, '');
  return cut.charAt(0).toUpperCase() + cut.slice(1);
}

/** Without quotes, Markdown, citations and tags. */
function plain(text: string): string {
  return text
    .replaceAll(/\[\d+\]/g, '')
    .replaceAll(/<[^>]{0,100}>|["'“”„«»`*_#<>[\]{}|\\]/g, ' ')
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .replace(/[.?!,;:\s]+$/, '')
    .trim();
}

function between(text: string, tag: string): string {
  const from = text.indexOf(`<${tag}>`);
  const to = text.lastIndexOf(`</${tag}>`);
  if (from < 0) return '';
  return text.slice(from + tag.length + 2, to < 0 ? undefined : to).trim();
}
