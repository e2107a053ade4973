/** The title of a chat: what it is about and, where the answer names one, the cause. */
import { words } from '../investigation/words.ts';

const LONGEST = 60;
const MAX_WORDS = 8;
const FEWEST_WORDS = 3;
const CAUSE = /\*\*(?:Likely|Possible) root cause: ([^\n(]{1,80}?) \(([^)\n]{1,40})\)/;
const SYMPTOMS: [RegExp, string][] = [
  [/\bslow\w*|\blatenc\w*|\btime-?outs?\b|\btiming out\b|\bhang\w*/i, 'slow'],
  [/\bfail\w*|\berrors?\b|\b5\d\ds?\b|\bbroken\b|\bcrash\w*|\bexceptions?\b/i, 'errors'],
  [/\bdown\b|\boutage\b|\bunavailable\b|\bunreachable\b/i, 'outage'],
];
/** The service or thing whose symptom is asked about. */
const SUBJECT =
  /\b(?:why (?:is|are|was|were|does|do|did)|what(?:'s| is| was)? (?:wrong|going on|happening|broken) with|wrong with|investigate|what about|is|are)\s+(?:the\s+|our\s+|my\s+)?([\p{L}\d][\p{L}\d._-]*(?:\s+pages?)?)|\b([\p{L}\d][\p{L}\d._-]*)\s+(?:errors?|is (?:slow|down|failing)|fails|failures?|latency)/iu;
/** What stands before the thing that is asked for. */
const OPENING =
  /^(?:(?:hi|hello|hey|please|and|so|now|ok(?:ay)?|can you|could you|would you|i want to know|tell me|show me|give me|list|what about|what is|what's|what are|what|which|how|why|who|is|are|do|does|did|the|a|an|of|all)\b[\s,]*)+/i;

/** @param task the question and the answer between their tags */
export function chatTitle(task: string): string {
  const question = between(task, 'question');
  const answer = between(task, 'answer');
  const [, service, fault] = CAUSE.exec(answer) ?? [];
  if (service !== undefined && fault !== undefined) {
    const [cause, what] = [bare(service), bare(fault)];
    const found = SUBJECT.exec(question);
    const subject = bare(found?.[1] ?? found?.[2] ?? '');
    const known = words(subject).length > 0 && subject.toLowerCase() !== cause.toLowerCase();
    return fitted(
      known
        ? `${capital(subject)} ${symptomIn(question)}: ${cause} ${what}`
        : `${capital(cause)} ${symptomIn(question)}: ${what}`,
    );
  }
  if (
    /^\s*(?:hi|hello|hey|good \w+|help|who are you|what are you|what can you do)\b[^?]{0,12}\??\s*$/i.test(question)
  ) {
    return 'Introduction to Casebook';
  }
  return fitted(capital(plain(question)));
}

function symptomIn(question: string): string {
  return SYMPTOMS.find(([said]) => said.test(question))?.[1] ?? 'problem';
}

/** A question as a heading. */
function plain(question: string): string {
  const line = bare(question.split('\n').find((one) => one.trim() !== '') ?? '');
  const short = line.replace(OPENING, '').trim();
  const text = short.split(' ').length >= 2 ? short : line;
  return text === '' ? 'Chat without a question' : text;
}

/** At most eight words and 60 characters, at least three words. */
function fitted(text: string): string {
  const all = text.split(' ').filter(Boolean);
  let title = '';
  for (const word of all.slice(0, MAX_WORDS)) {
    const longer = title === '' ? word : `${title} ${word}`;
    if (longer.length > LONGEST) break;
    title = longer;
  }
  title = (title === '' ? text.slice(0, LONGEST).toWellFormed() : title).replace(/[\s:,;.!?–-]+$/, '');
  const count = title.split(' ').length;
  if (count >= FEWEST_WORDS || title.length > LONGEST - 20) return title;
  return count === 2 ? `Question about ${title}` : `A question about ${title}`;
}

/** Without what is no word of a heading: quotes, Markdown, citations, tags. */
function bare(text: string): string {
  return text
    .replaceAll(/\[\d+\]/g, '')
    .replaceAll(/<[^>]{0,100}>|["'“”„«»`*_#<>[\]{}|\\]/g, ' ')
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .replace(/[.?!,;:\s]+$/, '')
    .trim();
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function between(text: string, tag: string): string {
  const from = text.indexOf(`<${tag}>`);
  const to = text.lastIndexOf(`</${tag}>`);
  if (from < 0) return '';
  return text.slice(from + tag.length + 2, to < 0 ? undefined : to).trim();
}
