/** What is left of the part of a chat that was replaced by a summary: lines of earlier answers, word for word. */
import type { Chat } from './chat.ts';
import type { AnswerPart } from './intent.ts';

const CAUSE = /root cause: (\S+) \(/g;
const SOURCE = /I looked at (\S+?)(?: of \d{4}-\d{2}-\d{2})?,/g;
/** The lines that answer a question about the answer; those of a list stand below their heading. */
const LINES: Partial<Record<AnswerPart, RegExp>> = {
  'next step': /^\*\*Next step:/,
  confidence: /^\*\*Confidence:/,
  why: /^\*\*(?:Likely|Possible) root cause:/,
};

/** The service that was named as the last cause. */
export function rememberedCause({ summary }: Chat): string | undefined {
  return lastMatch(summary, CAUSE);
}

/** The source that was looked at last. */
export function rememberedSource({ summary }: Chat): string | undefined {
  return lastMatch(summary, SOURCE);
}

/** What the last answer about a cause said to a part of it; empty when the summary does not have it. */
export function rememberedLines({ summary }: Chat, part: AnswerPart): string[] {
  const blocks = summary.split(/^Question: /m);
  const last = blocks.findLast((block) => block.includes('root cause: ')) ?? '';
  const wanted = LINES[part];
  return wanted ? last.split('\n').filter((line) => wanted.test(line)) : [];
}

/** Names in code were no plain names, and what stands in code was not said by us. */
function lastMatch(text: string, pattern: RegExp): string | undefined {
  return [...text.replaceAll(/`[^`]*`/g, '').matchAll(pattern)].at(-1)?.[1];
}
