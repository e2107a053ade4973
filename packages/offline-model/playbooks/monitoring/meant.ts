/** `no, I meant 5 minutes`: said of what was changed last. */
import { isRecord } from '../conversation/calls.ts';
import type { Chat } from '../conversation/chat.ts';
import { rows, textOf } from './current-plan.ts';
import { UPDATE } from './play.ts';
import { plain } from './reading/quotes.ts';
import { DURATION, NUMBER } from './reading/numbers.ts';

const LEAD = String.raw`^\W*(?:(?:no|nope|sorry|oops|wait|hm+|actually|ah|ok(?:ay)?)[\s,.!]+)*(?:i (?:meant|mean)|i (?:said|wanted)|make (?:that|it)|rather|better|actually|no|sorry)[\s,:]+(?:to\s+)?(?:every\s+)?`;
const INTERVAL = new RegExp(String.raw`${LEAD}(?<value>${DURATION})(?:\s+(?:instead|please|not\s+.{1,30}))*\W*$`, 'iu');
const LIMIT = new RegExp(
  String.raw`${LEAD}(?<value>${NUMBER}\s*(?:%|percent|ms|milliseconds|[mg]i?b))(?:\s+(?:instead|please|not\s+.{1,30}))*\W*$`,
  'iu',
);

/** What the person wants in words that need nothing before them; undefined where it corrects nothing. */
export function meantInstead(chat: Chat): string | undefined {
  const said = plain(chat.question.text);
  const interval = INTERVAL.exec(said)?.groups?.['value'];
  const limit = interval === undefined ? LIMIT.exec(said)?.groups?.['value'] : undefined;
  if (interval === undefined && limit === undefined) return undefined;
  const last = chat.earlierCalls.findLast(({ tool, isError }) => tool === UPDATE && !isError);
  const patch = last?.input['patch'];
  const ids = isRecord(patch)
    ? rows(patch['checks']).flatMap((row) => (row['remove'] === true ? [] : (textOf(row, 'id') ?? [])))
    : [];
  const whose = ids.join(', ');
  return interval === undefined ? `set the threshold of ${whose} to ${limit}` : `set ${whose} to every ${interval}`;
}
