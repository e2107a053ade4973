/** Reads the Markdown report of an investigation: its parts, and the lines a question is about. */
import { clip } from '../investigation/statements.ts';
import { lexicalScores, mentions } from '../investigation/words.ts';
import { comparable, subjectWords } from './vocabulary.ts';

const MOST_LINES = 5;
const LINE_CHARACTERS = 400;
const PART_CHARACTERS = 700;
/** Citations of the report are numbered by the report; in a chat the same numbers mean something else. */
const CITATION = /\s?\[\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*(?: unverified)?\]/g;
/** Words of questions about any report. */
const OF_REPORTS = new Set(
  'investigation report find found summarise summarize summary conclude result say detail conclusion outcome finding last latest id'.split(
    ' ',
  ),
);

/**
 * A text member of a JSON object, also where the view of a long result ends within it.
 * @returns undefined when there is no such member, or it is no text
 */
export function textMember(json: string, key: string): string | undefined {
  const opening = `${JSON.stringify(key)}:"`;
  // The first one is the object's own: members before a long text are short, and quotes within texts are escaped.
  const from = json.indexOf(opening);
  if (from < 0) return undefined;
  const start = from + opening.length;
  let end = start;
  while (end < json.length && json[end] !== '"') end += json[end] === '\\' ? 2 : 1;
  const raw = json.slice(start, Math.min(end, json.length)).replace(/\\(?:u[\da-f]{0,3})?$/i, '');
  try {
    const value: unknown = JSON.parse(`"${raw}"`);
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

export function rootCauseIn(report: string): string {
  return clipped(sectionOf(report, 'Root cause'));
}

export function recommendationIn(report: string): string {
  return clipped(sectionOf(report, 'Recommended change'));
}

export function confidenceIn(report: string): string {
  return /\*\*Confidence:\*\*\s*(\d{1,3}\s?%)/.exec(report)?.[1] ?? '';
}

/** What of a report a question asks for; nothing when it is about the report as a whole. */
export function detailWords(question: string): string[] {
  return subjectWords(question).filter((word) => !OF_REPORTS.has(word) && !/^[\da-f]{4,}$/.test(word));
}

/** The statements that share the rarest words with what is asked for. */
export function detailLines(report: string, asked: readonly string[]): string[] {
  if (asked.length === 0) return [];
  const [body = ''] = report.split(/^## Evidence$/m);
  const lines = [...new Set(body.split('\n').flatMap(statements))];
  const shared = lexicalScores(asked.join(' '), lines.map(comparable));
  const scored = lines.map((line, index) => {
    const named = asked.some((word) => mentions(line, word)) ? 1 : 0;
    return { line, index, score: (shared[index] ?? 0) > 0 ? (shared[index] ?? 0) + named : 0 };
  });
  const most = Math.max(...scored.map(({ score }) => score));
  const best = scored.filter(({ score }) => score > 0 && score >= most / 2).toSorted((a, b) => b.score - a.score);
  const shown = best.slice(0, MOST_LINES).toSorted((a, b) => a.index - b.index);
  return shown.map(({ line }) => clip(line, LINE_CHARACTERS));
}

function sectionOf(report: string, title: string): string {
  const lines = report.split('\n');
  const from = lines.indexOf(`## ${title}`);
  if (from < 0) return '';
  const to = lines.findIndex((line, index) => index > from && /^(?:#|---)/.test(line));
  return lines
    .slice(from + 1, to < 0 ? undefined : to)
    .map(plain)
    .filter(Boolean)
    .join(' ');
}

/** A line of a list is one statement; a paragraph has one for each sentence. */
function statements(line: string): string[] {
  const text = plain(line);
  if (text === '' || /^\s*[-*+]\s/.test(line)) return text === '' ? [] : [text];
  const hidden = text.replaceAll(/`[^`]*`/g, (code) => 'x'.repeat(code.length));
  const ends = [...hidden.matchAll(/[.!?]\s+/g)].map(({ index, 0: end }) => index + end.length);
  return [0, ...ends].map((from, at) => text.slice(from, ends[at]).trim()).filter(Boolean);
}

/** A line as text: without its marker, headings, and citations of the report's own. */
function plain(line: string): string {
  const text = outsideCode(line.replace(/^\s*(?:[-*+]|\d{1,3}[.)])\s+/, ''), harmless).trim();
  return /^(?:#|---|```|~~~)/.test(text) ? '' : text;
}

/** Without the report's own citations, and without links, images and HTML, which a report has no use for. */
function harmless(part: string): string {
  return part
    .replaceAll(CITATION, '')
    .replaceAll('](', '] (')
    .replaceAll('![', '[')
    .replaceAll(/<(?=[a-z/!])/gi, '&lt;');
}

function outsideCode(text: string, change: (part: string) => string): string {
  return text
    .split(/(`+[^`]*`+)/)
    .map((part, index) => (index % 2 === 0 ? change(part) : part))
    .join('');
}

function clipped(text: string): string {
  if (text.length <= PART_CHARACTERS) return text;
  const head = text.slice(0, PART_CHARACTERS);
  const end = head.lastIndexOf('. ');
  return end > 0 ? head.slice(0, end + 1) : clip(head, PART_CHARACTERS);
}
