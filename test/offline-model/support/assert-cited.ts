/** What an answer cites is there, and says what the answer quotes. */
import assert from 'node:assert/strict';
import { citedNumbers, sentencesOf } from '../../../src/features/investigations/report/text.ts';
import { isCitable } from '../../../src/features/tools/index.ts';
import type { StoredEvidence } from '../../../src/features/tools/tool.ts';

const CODE = /`([^`]*)`/g;
const NUMBER = /(?<![\w.:/-])\d+(?:[.:]\d+)*/g;

/** Every [n] is evidence of the chat; every number and every quotation of a sentence that cites stands in what it cites. */
export function assertCited(text: string, evidence: readonly StoredEvidence[]): void {
  for (const sentence of sentencesOf(text)) {
    const numbers = citedNumbers(sentence);
    if (numbers.length === 0) continue;
    const cited = numbers.map((n) => evidence.find((one) => one.evidence === n));
    for (const [index, one] of cited.entries())
      assert.ok(one && isCitable(one.tool), `[${numbers[index]}] in: ${sentence}`);
    const contents = cited.map((one) => flat(one?.content ?? '')).join('\n');
    for (const forms of quotationsIn(sentence)) {
      assert.ok(
        forms.some((form) => contents.includes(form)),
        `"${forms[0]}" of: ${sentence}`,
      );
    }
    const words = sentence.replaceAll(CODE, ' ').replaceAll(/\[\d+\]/g, ' ');
    for (const [number] of words.matchAll(NUMBER)) assert.ok(contents.includes(number), `${number} of: ${sentence}`);
  }
}

/** Code in a sentence, as it stands in a text or within a text of JSON. */
function quotationsIn(sentence: string): string[][] {
  return [...sentence.matchAll(CODE)].map(([, code = '']) => {
    const quoted = code.replace(/…$/, '');
    return [quoted, JSON.stringify(quoted).slice(1, -1)].map((form) => flat(form).trim());
  });
}

function flat(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}
