/** An extract of a chat: each question with its last answer and the evidence that the answer cites. */
import { clip } from '../wording.ts';

const MAX_CHARACTERS = 6_000;
const MAX_EARLIER = 2_000;
const MAX_QUESTION = 400;
const MAX_ANSWER = 1_400;
const MAX_EVIDENCE = 160;
/** Tags have a line of their own, so quoted ones do not count. */
const PART =
  /^<(question|answer|summary)>\n([\s\S]*?)\n<\/\1>$|^<evidence n="(\d+)" tool="([^"\n]*)">(.*)<\/evidence>$/gm;

interface Exchange {
  question: string;
  answer: string;
  evidence: { n: string; line: string }[];
}

export function chatSummary(task: string): string {
  const exchanges: Exchange[] = [];
  let earlier = '';
  for (const [, tag, text = '', n, tool = '', digest = ''] of task.matchAll(PART)) {
    if (tag === 'summary') earlier = safe(text);
    else if (tag === 'question' || exchanges.length === 0)
      exchanges.push({ question: tag === 'question' ? safe(text) : '', answer: '', evidence: [] });
    const last = exchanges.at(-1);
    if (last && tag === 'answer') last.answer = safe(text);
    if (last && n !== undefined)
      last.evidence.push({ n, line: `[${n}] ${clip(safe(tool), 60)}: ${clip(safe(digest), MAX_EVIDENCE)}` });
  }
  const head = earlier.slice(-MAX_EARLIER).toWellFormed();
  const kept: string[] = [];
  let room = MAX_CHARACTERS - head.length - 60;
  // The latest exchanges matter most, since people go on from them.
  for (const part of exchanges.map(extract).toReversed()) {
    if (part.length > room) break;
    kept.unshift(part);
    room -= part.length + 2;
  }
  const left = exchanges.length - kept.length;
  const note = left > 0 ? `(${left} earlier ${left === 1 ? 'question is' : 'questions are'} left out.)` : '';
  return [head, note, ...kept].filter(Boolean).join('\n\n').trim() || 'Nothing was said yet.';
}

function extract({ question, answer, evidence }: Exchange): string {
  const said = answer.slice(0, MAX_ANSWER).toWellFormed().replaceAll(/\n\s*/g, '\n');
  const cited = evidence.filter(({ n }) => said.includes(`[${n}]`)).map(({ line }) => line);
  return [
    `Question: ${clip(question, MAX_QUESTION)}`,
    ...(said === '' ? ['It was not answered.'] : ['Answer:', said]),
    ...(cited.length > 0 ? ['Evidence:', ...cited] : []),
  ].join('\n');
}

/** Keeps text of a chat from closing its frame or opening another. */
function safe(text: string): string {
  return text
    .replaceAll(/<(?=\/?\s*(?:summary|context|task|question|answer|evidence|tool_result|user_message)\b)/gi, '‹')
    .trim();
}
