/** Whether to notify people of a finding: by its numbers. It holds back only what is barely beyond its limit. */
import { isRecord, textOf } from '../calls.ts';
import { inUnit } from '../reading.ts';
import { clip } from '../wording.ts';

/** A value this close to its limit may be there by chance. */
const CLOSE = 0.02;
const NUMBER = String.raw`-?\d[\d.]*(?:e[+-]?\d+)?`;
const UNIT = String.raw`%|[\p{L}µ][\p{L}\d/]*`;
/** `… is 5.05 % (mean of 5 min), which is above 5 %` */
const LIMIT = new RegExp(
  String.raw`\bis\s+(?<value>${NUMBER})\s*(?<unit>${UNIT})?\s*\((?<how>[^)]*)\), which is (?:at or )?(?:above|below|not less than|not more than)\s+(?<limit>${NUMBER})\s*(?<of>${UNIT})?`,
  'iu',
);
const FINDING = /<finding>\n([\s\S]*?)\n<\/finding>/;

/** @param task the finding as JSON between its tags. @returns JSON: whether it is worth telling, a title, why */
export function findingJudgement(task: string): string {
  const finding = findingIn(task);
  const summary = textOf(finding, 'summary') || textOf(finding, 'title');
  const title = clip(summary.replaceAll(/\p{Cc}+/gu, ' '), 120).toWellFormed() || 'A finding without a description';
  const failing = Array.isArray(finding['failing']) ? finding['failing'].length : 1;
  const { value, unit, how, limit, of } = LIMIT.exec(summary)?.groups ?? {};
  const seen = value === undefined ? undefined : inUnit(Number(value), unit, of ?? unit);
  const isClose = seen !== undefined && Math.abs(seen - Number(limit)) <= CLOSE * Math.abs(Number(limit));
  const answer = (isWorth: boolean, reason: string): string =>
    JSON.stringify({ worth_telling: isWorth, title, reason });
  if (textOf(finding, 'severity') === 'critical') return answer(true, 'It is critical.');
  if (failing > 1) return answer(true, `${failing} things fail at once.`);
  if (isClose) return answer(false, `It is within ${CLOSE * 100} % of its limit.`);
  if (how === 'last') return answer(false, 'It is a single value.');
  return answer(true, 'Nothing in its numbers suggests noise.');
}

function findingIn(task: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(FINDING.exec(task)?.[1] ?? '');
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}
