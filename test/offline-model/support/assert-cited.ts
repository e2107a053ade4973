/** What an answer cites is there, and says what the answer quotes. */
import assert from 'node:assert/strict';
import { citedNumbers, sentencesOf } from '../../../src/features/investigations/report/text.ts';
import { isCitable } from '../../../src/features/tools/index.ts';
import type { StoredEvidence } from '../../../src/features/tools/tool.ts';

const CODE = /`([^`]*)`/g;
const TIME = /(?<![\w.:/-])\d+(?::\d+)+/g;
const FIGURE = /(?<![\w.:/-])(\d[\d,]*(?:\.\d+)?)( %| ms| s| [KMG]iB)?(?![:\w])/g;
const IN_EVIDENCE = /\d+(?:\.\d+)?(?:e-?\d+)?/g;
/** What a figure in the evidence is multiplied by, for the unit that is written. */
const FACTORS: Record<string, number[]> = {
  '': [1],
  ' %': [1, 100],
  ' ms': [1, 1_000],
  ' s': [1, 1e-3],
  ' KiB': [1, 2 ** -10],
  ' MiB': [1, 2 ** -20],
  ' GiB': [1, 2 ** -30],
};

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
    for (const [time] of words.matchAll(TIME)) assert.ok(contents.includes(time), `${time} of: ${sentence}`);
    const known = [...contents.matchAll(IN_EVIDENCE)].map(Number);
    for (const [, figure = '', unit = ''] of words.replaceAll(TIME, ' ').matchAll(FIGURE))
      assert.ok(isRounded(figure, unit, known), `${figure}${unit} of: ${sentence}`);
  }
}

/** Whether a figure is one of the evidence, in the unit that is written and rounded to the digits that are. */
function isRounded(figure: string, unit: string, known: readonly number[]): boolean {
  const value = Number(figure.replaceAll(',', ''));
  const tolerance = value >= 1_000 ? value * 5e-3 : 0.500_001 * 10 ** -(figure.split('.')[1]?.length ?? 0);
  const factors = FACTORS[unit] ?? [];
  return known.some((one) => factors.some((factor) => Math.abs(one * factor - value) <= tolerance));
}

/** Code in a sentence, as it stands in a text or within a text of JSON. */
function quotationsIn(sentence: string): string[][] {
  return [...sentence.matchAll(CODE)].map(([, code = '']) => {
    const quoted = code.replace(/…$/, '');
    return [quoted, JSON.stringify(quoted).slice(1, -1)].map((form) => flat(form).trim());
  });
}

/** A line's end within a text of JSON is one too. */
function flat(text: string): string {
  return text.replaceAll(/(?:\s|\\n)+/g, ' ');
}
