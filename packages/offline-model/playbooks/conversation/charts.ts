/** Charts the tool result that is named, else the metric that is asked for, else the latest result with values. */
import type { Turn } from '../../decide.ts';
import type { Call } from '../../transcript.ts';
import { call, jsonOf, lastCall, textOf } from '../calls.ts';
import { signalsIn } from '../reading.ts';
import { cite, clip, failureOf, name, quote } from '../wording.ts';
import type { Chat, Play } from './chat.ts';
import { UUID, type LookupKind } from './intent.ts';
import { lookupPlay } from './lookups.ts';
import { lastService } from './target.ts';

const DRAW = 'draw_chart';
const TITLE_CHARACTERS = 120;
/** Tools whose results hold values over time or rows, best first. */
const DRAWABLE = [
  'query_metric',
  'promql',
  'search_logs',
  'recent_changes',
  'service_dependencies',
  'rank_root_causes',
];

export function chartPlay(chat: Chat): Play {
  const reading = lookupPlay(chat, shownBy(chat));
  const chart = lastCall(chat, DRAW);
  return {
    next() {
      if (chart) return undefined;
      const { text, context } = chat.question;
      const number = /\[(\d{1,4})\]/.exec(text)?.[1];
      if (number !== undefined) return drawing(chat, { evidence: Number(number) });
      const id = UUID.exec(text)?.[0] ?? /tool_id ([\da-f-]{36})/i.exec(context)?.[1];
      if (id !== undefined) return drawing(chat, { tool_id: id });
      const read = reading.next?.();
      if (read) return read;
      const best = drawable(chat.calls) ?? drawable(chat.earlierCalls, lastService(chat));
      return best && drawing(chat, { evidence: best.evidence });
    },
    answer: (cutShort) => (chart ? drawnAnswer(chat, chart) : `I found nothing to draw. ${reading.answer(cutShort)}`),
  };
}

function drawnAnswer(chat: Chat, chart: Call): string {
  if (chart.isError) return `The chart could not be drawn: ${failureOf(chart)}${cite(chart)}.`;
  const { points } = jsonOf(chart);
  const title = textOf(chart.input, 'title');
  const what = title === '' ? 'The chart' : quote(title, TITLE_CHARACTERS);
  const source = [...chat.earlierCalls, ...chat.calls].find(({ evidence }) => evidence === chart.input['evidence']);
  const from = source ? ` It shows the result of ${name(source.tool)}${cite(source)}.` : '';
  return `${what} is drawn${typeof points === 'number' ? ` with ${points} points` : ''}${cite(chart)}.${from}`;
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
  return { text: 'I draw the chart.', calls: [call(DRAW, { ...source, title })] };
}

function titleOf({ tool, input }: Call): string {
  const [metric, service, statistic] = ['metric', 'service', 'statistic'].map((key) => textOf(input, key));
  const what = metric ? `${metric}${statistic ? ` (${statistic})` : ''}` : tool.replaceAll('_', ' ');
  return `${what}${service ? ` of ${service}` : ''}`;
}
