import type { SearchLogsResult } from '../../../../../src/features/tools/results.ts';
import type { Found } from '../../investigation/case-file.ts';
import { onsetOf } from '../../investigation/conclusion.ts';
import { call } from '../../investigation/gather.ts';
import { quoteLine } from '../problem/facts.ts';
import { bullets, cite, clock, failureOf, listed, name, paragraphs, sentence } from '../wording.ts';
import { askedOf, given } from '../calls.ts';
import { caseOf } from '../earlier.ts';
import { withoutSource } from '../subject.ts';
import type { Lookup } from './lookup.ts';
import { assumed, incidentWindow } from './target.ts';

const LINES = 10;
const MOST_PATTERNS = 6;
/** Fewer lines may begin at any time. */
const FEWEST_NEW = 5;
const NEAR_ONSET_MS = 10 * 60_000;
const LEVELS: [RegExp, string][] = [
  [/\berrors?\b|\bexceptions?\b|\bstack ?traces?\b/i, 'error'],
  [/\bwarn(?:ing)?s?\b/i, 'warn'],
  [/\binfo\b/i, 'info'],
  [/\bdebug\b/i, 'debug'],
];
const QUOTED = /["“]([^"”]{1,200})["”]/;
const SEARCHED = /\b(?:search|grep|look)\b[^.?!]*?\bfor\s+[`']?([^\s`'?]{2,100})/i;

/** Errors and warnings, or what the person names; where these are silent, every line. */
export const logs: Lookup = {
  what: 'logs',
  tool: 'search_logs',
  part: 'logs',
  calls(chat, file, target, from) {
    const { source, service: spokenOf, named, window } = target;
    const period = Object.keys(window).length > 0 ? window : incidentWindow(chat, target);
    const { text, levels } = asked(withoutSource(chat.question.text, source));
    // Who searches for a text and names no service wants it wherever it is.
    const service = named || text === undefined ? spokenOf : undefined;
    const search = (level?: string) =>
      call('search_logs', { source: from, service, text, level, ...period, limit: LINES });
    const wanted = levels.map(search);
    const made = file.logs.length + file.failures.filter(({ tool }) => tool === 'search_logs').length >= wanted.length;
    const silent = made && file.logs.every(({ result }) => result.matched === 0);
    return silent && levels[0] !== undefined ? [...wanted, search()] : wanted;
  },
  answer(chat, file, target) {
    const { source } = target;
    const service = file.logs[0] === undefined ? target.service : given(file.logs[0].call, 'service');
    const failed = file.failures.find(({ tool }) => tool === 'search_logs');
    const speaking = file.logs.filter(({ result }) => result.matched > 0);
    const of = service === undefined ? name(source.id) : name(service);
    if (speaking.length === 0) {
      if (failed && file.logs.length === 0)
        return `The logs of ${of} could not be read: ${failureOf(failed)}${cite(failed)}.`;
      const period = file.logs[0]?.result.window;
      const when = period ? ` from ${clock(period.from)} to ${clock(period.to)} UTC` : '';
      return paragraphs(
        assumed(target),
        `I find no such log line of ${of}${when}${cite(...file.logs.map(({ call }) => call))}.`,
      );
    }
    const onset = onsetOf(caseOf(askedOf([...chat.earlierCalls, ...chat.calls], target.system)));
    const patterns = speaking
      .flatMap((found) => found.result.patterns.map((pattern) => ({ pattern, found })))
      .toSorted((a, b) => b.pattern.count - a.pattern.count);
    const [first] = speaking;
    const { from = '', to = '' } = first?.result.window ?? {};
    const lines = patterns.map(({ pattern, found }) => patternLine(pattern, found, onset, service === undefined));
    const cut = speaking.some(({ result }) => result.truncated) || patterns.length > MOST_PATTERNS;
    return paragraphs(
      assumed(target),
      `**Logs of ${of}** in ${name(first?.result.source ?? source.id)}, ${clock(from)} to ${clock(to)} UTC${cite(...speaking.map(({ call }) => call))}:`,
      bullets(lines.slice(0, MOST_PATTERNS)),
      cut ? 'These are the most frequent ones; there are more lines.' : '',
    );
  },
};

function asked(question: string): { text?: string; levels: (string | undefined)[] } {
  const text = QUOTED.exec(question)?.[1] ?? SEARCHED.exec(question)?.[1];
  const rest = text === undefined ? question : question.replace(text, ' ');
  const levels = LEVELS.filter(([said]) => said.test(rest)).map(([, level]) => level);
  if (levels.length > 0) return { text, levels };
  return { text, levels: text === undefined ? ['error', 'warn'] : [undefined] };
}

function patternLine(
  { pattern, count, level, first, last, services }: SearchLogsResult['patterns'][number],
  { call, result }: Found<SearchLogsResult>,
  onset: string | undefined,
  ofAll: boolean,
): string {
  const head = pattern.split('<*>')[0]?.trim() ?? '';
  const alike = result.lines.filter(({ message }) => head.length > 5 && message.startsWith(head));
  const whole = alike.find(({ at }) => at === first) ?? alike[0];
  const when = count === 1 ? `once, at ${clock(first)}` : `${count} times from ${clock(first)} to ${clock(last)}`;
  const isNew = count >= FEWEST_NEW && Math.abs(Date.parse(first) - Date.parse(onset ?? '')) <= NEAR_ONSET_MS;
  const who = ofAll ? `${listed(services.map(name), 3)}, ` : '';
  return sentence(
    `${who}${level ? `${name(level)}, ` : ''}${when}${isNew ? ' (it begins with the incident)' : ''}: ${quoteLine(whole?.message ?? pattern)}${cite(call)}`,
  );
}
