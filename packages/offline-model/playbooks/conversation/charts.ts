/** Charts the tool result that is named, else the metric that is asked for, else the latest result with values. */
import type { Turn } from '../../decide.ts';
import type { Call } from '../../transcript.ts';
import { call, given, jsonOf, lastCall, textOf, wasMade } from '../calls.ts';
import { openCase } from '../investigation/case-file.ts';
import { signalsIn } from '../reading.ts';
import { cite, clip, failureOf, iso, name, quote } from '../wording.ts';
import { has, type Chat, type Play } from './chat.ts';
import { UUID, type LookupKind } from './intent.ts';
import { readPlay, subjectOf } from './investigations.ts';
import { lookupPlay } from './lookups.ts';
import { lastService } from './target.ts';

const DRAW = 'draw_chart';
const TITLE_CHARACTERS = 120;
/** Tools whose results hold values over time or rows, best first. */
const DRAWABLE = 'query_metric promql search_logs recent_changes service_dependencies rank_root_causes'.split(' ');
const QUARTER_MS = 15 * 60_000;

export function chartPlay(chat: Chat): Play {
  const period = incidentOf(chat);
  const of = shownBy(chat);
  const reading = lookupPlay({ ...chat, ...(period && { period }) }, of);
  const chart = lastCall(chat, DRAW);
  return {
    next() {
      if (chart) return undefined;
      const { text, context } = chat.question;
      const number = /\[(\d{1,4})\]/.exec(text)?.[1];
      if (number !== undefined) return drawing(chat, { evidence: Number(number) });
      const id = UUID.exec(text)?.[0] ?? /tool_id ([\da-f-]{36})/i.exec(context)?.[1];
      if (id !== undefined) return drawing(chat, { tool_id: id });
      const isToRead = of === 'metric' && !period && subjectOf(chat) !== undefined && has(chat, 'read_investigation');
      const read = (isToRead ? readPlay(chat).next?.() : undefined) ?? reading.next?.();
      if (read) return read;
      const best = drawable(chat.calls) ?? drawable(chat.earlierCalls, lastService(chat));
      const whole = best && period && call(best.tool, { ...best.input, ...period });
      // An examination reads the incident alone.
      if (whole && best.tool === 'query_metric' && given(best, 'from') !== undefined && !wasMade(chat, whole))
        return { text: 'Reading the healthy time before the incident too.', calls: [whole] };
      return best && drawing(chat, { evidence: best.evidence });
    },
    answer: (cutShort) => (chart ? drawnAnswer(chat, chart) : `Nothing to chart. ${reading.answer(cutShort)}`),
  };
}

/** Around the incident that this chat has looked at: the healthy time before it too. */
function incidentOf({ calls, earlierCalls }: Chat): Chat['period'] {
  const made = [...earlierCalls, ...calls];
  const read = lastCall({ calls: made }, 'read_investigation');
  const at = openCase(made).ranking?.result.alert.at ?? (read && textOf(jsonOf(read), 'created_at')) ?? '';
  const alerted = Date.parse(at);
  return alerted > 0 ? { from: iso(alerted - 3 * QUARTER_MS), to: iso(alerted + QUARTER_MS) } : undefined;
}

function drawnAnswer(chat: Chat, chart: Call): string {
  if (chart.isError) return `The chart could not be drawn: ${failureOf(chart)}${cite(chart)}.`;
  const { points } = jsonOf(chart);
  const title = textOf(chart.input, 'title');
  const what = title === '' ? '' : ` ${quote(title, TITLE_CHARACTERS)}`;
  const source = [...chat.earlierCalls, ...chat.calls].find(({ evidence }) => evidence === chart.input['evidence']);
  const from = source ? `, from ${name(source.tool)}${cite(source)}` : '';
  return `Chart${what}${typeof points === 'number' ? ` with ${points} points` : ''}${cite(chart)}${from}.`;
}

/** What to look up where no result is named. */
function shownBy({ question: { text }, earlierCalls }: Chat): LookupKind {
  if (/\blogs?\b/i.test(text)) return 'logs';
  if (/\b(?:changes|deploys|deployments)\b/i.test(text)) return 'changes';
  return signalsIn(text).length === 0 && drawable(earlierCalls) ? 'sources' : 'metric';
}

/** @param service whose results are preferred */
function drawable(calls: readonly Call[], service?: string): Call | undefined {
  const results = calls.filter(({ isError, evidence }) => !isError && evidence !== undefined);
  return DRAWABLE.flatMap((tool) => {
    const made = results.filter((one) => one.tool === tool);
    return made.findLast(({ input }) => service !== undefined && input['service'] === service) ?? made.at(-1) ?? [];
  })[0];
}

function drawing(chat: Chat, source: { evidence?: number; tool_id?: string }): Turn {
  const { evidence } = source;
  const made = [...chat.calls, ...chat.earlierCalls].find((one) => evidence !== undefined && one.evidence === evidence);
  const title = made && clip(titleOf(made), TITLE_CHARACTERS);
  return { text: 'Drawing the chart.', calls: [call(DRAW, { ...source, title })] };
}

function titleOf({ tool, input }: Call): string {
  const [metric, service, statistic] = ['metric', 'service', 'statistic'].map((key) => textOf(input, key));
  const what = metric ? `${metric}${statistic ? ` (${statistic})` : ''}` : tool.replaceAll('_', ' ');
  return `${what}${service ? ` of ${service}` : ''}`;
}
