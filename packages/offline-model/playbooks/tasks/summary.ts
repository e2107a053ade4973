/** An extract of a chat: for each question the question, the conclusions with their evidence numbers, and that evidence. */

const LONGEST = 6_000;
const QUESTION_CHARACTERS = 400;
const ANSWER_CHARACTERS = 1_400;
const LINE_CHARACTERS = 320;
const EVIDENCE_CHARACTERS = 160;
const EARLIER_CHARACTERS = 2_000;
const MAX_EVIDENCE = 24;
/** Tags on lines of their own: what an answer quotes stands within a line. */
const PART =
  /^<(question|answer|summary)>\n([\s\S]*?)\n<\/\1>$|^<evidence n="(\d+)" tool="([^"\n]*)">(.*)<\/evidence>$/gm;
const CITED = /\[(\d+)\]/g;
/** Lines that say what was concluded, in answers of this model and of others. */
const CONCLUDES =
  /root cause|\bconfidence\b|next step|recommend|ruled out|not settled|conclusion|because\b|therefore\b/i;

interface Exchange {
  question: string;
  answers: string[];
  evidence: { n: number; line: string }[];
}

/** @param task the chat's messages and one line for each piece of evidence, between their tags */
export function chatSummary(task: string): string {
  const { earlier, exchanges } = read(task);
  const parts = exchanges.map(extract);
  const head = earlier === '' ? '' : `${tail(earlier, EARLIER_CHARACTERS)}\n\n`;
  // Of a chat that is too long the newest is kept, since it is what will be asked about.
  let room = LONGEST - head.length - 60;
  const kept: string[] = [];
  for (const part of parts.toReversed()) {
    if (part.length > room) break;
    kept.unshift(part);
    room -= part.length + 2;
  }
  const [newest] = parts.slice(-1);
  if (kept.length === 0 && newest !== undefined) kept.push(clip(newest, Math.max(room, 500)));
  const left = parts.length - kept.length;
  const note = left > 0 ? `(${left} earlier ${left === 1 ? 'question is' : 'questions are'} left out.)\n\n` : '';
  return `${head}${note}${kept.join('\n\n')}`.trim() || 'Nothing was said yet.';
}

function read(task: string): { earlier: string; exchanges: Exchange[] } {
  const exchanges: Exchange[] = [];
  const earlier: string[] = [];
  for (const [, tag, text = '', n, tool = '', digest = ''] of task.matchAll(PART)) {
    if (tag === 'summary') earlier.push(safe(text));
    else if (tag === 'question') exchanges.push({ question: safe(text), answers: [], evidence: [] });
    else {
      const last = exchanges.at(-1) ?? { question: '', answers: [], evidence: [] };
      if (exchanges.length === 0) exchanges.push(last);
      if (n === undefined) last.answers.push(safe(text));
      else
        last.evidence.push({
          n: Number(n),
          line: `[${n}] ${oneLine(safe(tool), 60)}: ${oneLine(safe(digest), EVIDENCE_CHARACTERS)}`,
        });
    }
  }
  return { earlier: earlier.join('\n').trim(), exchanges };
}

function extract({ question, answers, evidence }: Exchange): string {
  const lines = answers
    .flatMap((answer) => answer.split('\n'))
    .map((line) => line.trim())
    .filter(Boolean);
  const concluding = lines.filter((line) => CONCLUDES.test(line) || line.match(CITED));
  // An answer that cites and concludes nothing is kept by its last words, which are what it came to.
  const chosen = concluding.length > 0 ? concluding : lines.slice(-2);
  const told: string[] = [];
  let room = ANSWER_CHARACTERS;
  for (const line of chosen.toSorted((a, b) => weight(b) - weight(a) || chosen.indexOf(a) - chosen.indexOf(b))) {
    const cut = oneLine(line, LINE_CHARACTERS);
    if (cut.length > room) continue;
    told.push(line);
    room -= cut.length;
  }
  const kept = chosen.filter((line) => told.includes(line)).map((line) => oneLine(line, LINE_CHARACTERS));
  const cited = new Set(kept.flatMap((line) => [...line.matchAll(CITED)].map(([, n]) => Number(n))));
  const index = [...evidence.filter(({ n }) => cited.has(n)), ...evidence.filter(({ n }) => !cited.has(n))]
    .slice(0, MAX_EVIDENCE)
    .toSorted((a, b) => a.n - b.n);
  return [
    ...(question === '' ? [] : [`Question: ${oneLine(question, QUESTION_CHARACTERS)}`]),
    ...(kept.length > 0 ? ['Answer:', ...kept] : ['It was not answered.']),
    ...(index.length > 0 ? ['Evidence:', ...index.map(({ line }) => line)] : []),
  ].join('\n');
}

/** What a reader must not miss comes first when there is not room for everything. */
function weight(line: string): number {
  return (/root cause/i.test(line) ? 4 : 0) + (CONCLUDES.test(line) ? 2 : 0) + (line.match(CITED) ? 1 : 0);
}

/** Text of a chat cannot end the frame it is put into, or begin another one. */
function safe(text: string): string {
  return text
    .replaceAll(/<(?=\/?\s*(?:summary|context|task|question|answer|evidence|tool_result|user_message)\b)/gi, '‹')
    .trim();
}

function oneLine(text: string, limit: number): string {
  return clip(text.replaceAll(/\s+/g, ' ').trim(), limit);
}

/** The last lines that fit: what was asked last is asked about again. */
function tail(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const cut = text.slice(-limit).toWellFormed();
  return cut.slice(cut.indexOf('\n') + 1);
}

function clip(text: string, limit: number): string {
  return text.length > limit ? `${text.slice(0, limit - 1).toWellFormed()}…` : text;
}
