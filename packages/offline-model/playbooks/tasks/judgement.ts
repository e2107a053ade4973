/** Whether people are told of a finding: by its numbers. Only what is hardly beyond its limit, and not grave, is kept back. */
import { inUnit } from '../reading.ts';
import { isRecord } from '../calls.ts';

const TITLE_CHARACTERS = 120;
/** So close to its limit a value may be there by chance. */
const CLOSE = 0.02;
const NUMBER = String.raw`-?\d[\d.]*(?:e[+-]?\d+)?`;
const UNIT = String.raw`%|[\p{L}µ][\p{L}\d/]*`;
/** `… is 5.05 % (mean of 5 min), which is above 5 %`, and its like. */
const LIMIT = new RegExp(
  String.raw`\b(?:is|was|at)\s+(?<value>${NUMBER})\s*(?<unit>${UNIT})?\s*(?:\((?<how>[^)]*)\))?,?\s*(?:which is\s+|limit\s+|the limit is\s+)?(?:above|below|over|under|at least|at most|at or above|at or below|not less than|not more than|>=|<=|>|<)?\s*(?<limit>${NUMBER})\s*(?<of>${UNIT})?`,
  'iu',
);
const FINDING = /<finding>\n([\s\S]*?)\n<\/finding>/;

/** @param task the finding as JSON between its tags. @returns JSON: whether it is worth telling, a title, why */
export function findingJudgement(task: string): string {
  const finding = findingIn(task);
  const text = (key: string): string => (typeof finding[key] === 'string' ? finding[key] : '');
  const failing = Array.isArray(finding['failing']) ? finding['failing'].length : 1;
  const title = titleOf(text('summary') || text('title'));
  const answer = (isWorth: boolean, reason: string): string =>
    JSON.stringify({ worth_telling: isWorth, title, reason });
  if (text('severity') === 'critical') return answer(true, 'It is critical, so it is told whatever its numbers are.');
  if (failing > 1) return answer(true, `${failing} things fail at once.`);
  const { value, unit, how, limit, of } = LIMIT.exec(text('summary'))?.groups ?? {};
  const isLimit = limit !== undefined && !/\busual\b/iu.test(text('summary'));
  const seen = value === undefined ? undefined : inUnit(Number(value), unit, of ?? unit);
  const named = Number(limit);
  if (isLimit && seen !== undefined && named !== 0 && Math.abs(seen - named) / Math.abs(named) <= CLOSE) {
    return answer(
      false,
      `${value} ${unit ?? ''} is within ${CLOSE * 100} % of the limit of ${limit} ${of ?? ''}.`
        .replaceAll(/\s+([.%])?/g, ' $1')
        .replaceAll(' .', '.'),
    );
  }
  if (how === 'last') return answer(false, 'It is one single value.');
  return answer(true, isLimit ? 'It is clearly beyond its limit.' : 'Nothing in its numbers says that it is noise.');
}

function findingIn(task: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(FINDING.exec(task)?.[1] ?? '');
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

/** One line, without what is not needed to know what it is about. */
function titleOf(text: string): string {
  const line = text
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .toWellFormed();
  const short = line.length > TITLE_CHARACTERS ? `${line.slice(0, TITLE_CHARACTERS - 1).toWellFormed()}…` : line;
  return short === '' ? 'A finding without a description' : short;
}
