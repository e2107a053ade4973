/** A chart of the tool result that is named, else of a metric that is asked for, else of the newest result with values. */
import type { Turn } from '../../decide.ts';
import type { Call } from '../../transcript.ts';
import type { CaseFile } from '../investigation/case-file.ts';
import { parsePartialJson } from '../investigation/partial-json.ts';
import { signalsIn } from '../reading.ts';
import type { Chat } from './chat.ts';
import { UUID, type LookupKind } from './intent.ts';
import { lastService } from './target.ts';
import { lookupAnswer, lookupPlan } from './lookups.ts';
import type { Plan } from './replay.ts';
import { call, callsOf, isRecord, wasMade } from '../calls.ts';
import { cite, clip, failureOf, name, quote } from '../wording.ts';

const DRAW = 'draw_chart';
const TITLE_CHARACTERS = 120;
/** Results that hold values over time or rows, the better ones for a chart first. */
const DRAWABLE = [
  'query_metric',
  'promql',
  'search_logs',
  'recent_changes',
  'service_dependencies',
  'rank_root_causes',
];
const NAMED_EVIDENCE = /\b(?:evidence|result|citation)\s*(?:no\.?|number|#)?\s*\[?(\d{1,4})\]?|\[(\d{1,4})\]/i;

export function chartPlan(chat: Chat, can: (tool: string) => boolean): Plan {
  const reading = lookupPlan(chat, shownBy(chat), can);
  return {
    ...reading,
    next(file) {
      const drawn = callsOf(file, DRAW);
      const [failed] = drawn;
      if (drawn.length > 1 || drawn.some(({ isError }) => !isError)) return undefined;
      if (failed) return again(failed);
      const source = namedBy(chat);
      if (source) return drawing(source, titleOf(chat, source));
      const read = reading.next(file);
      if (read?.calls.some((one) => !wasMade(file, one))) return read;
      const best = drawable(file.transcript.calls) ?? drawable(chat.earlierCalls, lastService(chat));
      return best && drawing({ evidence: best.evidence }, titleOf(chat, best));
    },
  };
}

export function chartAnswer(chat: Chat, file: CaseFile): string {
  const drawn = callsOf(file, DRAW);
  const chart = drawn.find(({ isError }) => !isError);
  const failed = drawn.at(-1);
  if (!chart) {
    if (failed) return `The chart could not be drawn: ${failureOf(failed)}${cite(failed)}.`;
    return `I found nothing to draw. ${lookupAnswer(chat, shownBy(chat), file)}`;
  }
  const result: unknown = parsePartialJson(chart.body);
  const points = isRecord(result) && typeof result['points'] === 'number' ? ` with ${result['points']} points` : '';
  const { title } = chart.input;
  const what = typeof title === 'string' ? quote(title, TITLE_CHARACTERS) : 'The chart';
  const source = [...chat.earlierCalls, ...chat.calls].find(({ evidence }) => evidence === chart.input['evidence']);
  const from = source ? ` Its values are those of ${name(source.tool)}${cite(source)}.` : '';
  return `${what} is drawn${points}${cite(chart)}.${from}`;
}

/** What is looked up where no result is named. */
function shownBy({ question: { text }, earlierCalls }: Chat): LookupKind {
  if (/\blogs?\b/i.test(text)) return 'logs';
  if (/\b(?:changes|deploys|deployments)\b/i.test(text)) return 'changes';
  // Nothing is named, so what was read before is drawn.
  return signalsIn(text).length === 0 && drawable(earlierCalls) ? 'sources' : 'metric';
}

interface Source {
  evidence?: number | undefined;
  tool_id?: string;
}

function namedBy({ question: { text, context } }: Chat): Source | undefined {
  const cited = NAMED_EVIDENCE.exec(text);
  if (cited) return { evidence: Number(cited[1] ?? cited[2]) };
  const id = UUID.exec(text)?.[0] ?? /tool_id ([\da-f-]{36})/i.exec(context)?.[1];
  return id === undefined ? undefined : { tool_id: id };
}

/** @param service whose results come first */
function drawable(calls: readonly Call[], service?: string): Call | undefined {
  const results = calls.filter(({ isError, evidence }) => !isError && evidence !== undefined);
  return DRAWABLE.flatMap((tool) => {
    const made = results.filter((one) => one.tool === tool);
    return made.findLast(({ input }) => service !== undefined && input['service'] === service) ?? made.at(-1) ?? [];
  })[0];
}

/** Once more, with the first table that has numbers, and with the columns it has. */
function again(failed: Call): Turn | undefined {
  const answer: unknown = parsePartialJson(failed.body);
  const tables: unknown[] = isRecord(answer) && Array.isArray(answer['tables']) ? answer['tables'] : [];
  for (const table of tables.filter(isRecord)) {
    const columns: unknown[] = Array.isArray(table['columns']) ? table['columns'] : [];
    const y = columnOf(columns, 'quantitative');
    if (typeof table['table'] !== 'string' || y === undefined) continue;
    const { evidence, tool_id, title } = failed.input;
    const x = columnOf(columns, 'temporal') ?? columnOf(columns, 'nominal');
    const text = `That did not work as it is; I draw the table ${name(table['table'])}.`;
    return { text, calls: [call(DRAW, { evidence, tool_id, title, table: table['table'], x, y })] };
  }
  return undefined;
}

/** The name of the first column of a type, from texts such as `value (quantitative, s)`. */
function columnOf(columns: readonly unknown[], type: string): string | undefined {
  const named = columns.map((column) => (typeof column === 'string' ? /^(.*?) \((\w+)/.exec(column) : undefined));
  return named.find((found) => found?.[2] === type)?.[1];
}

function drawing(source: Source, title: string | undefined): Turn {
  return {
    text: 'I draw the chart.',
    calls: [call(DRAW, { evidence: source.evidence, tool_id: source.tool_id, title })],
  };
}

/** What the chart shows, from what was asked of the source; a person's own words where nothing is known of it. */
function titleOf(chat: Chat, { evidence }: Source): string | undefined {
  const made = [...chat.calls, ...chat.earlierCalls].find((one) => evidence !== undefined && one.evidence === evidence);
  const { metric, service, statistic } = made?.input ?? {};
  const of = typeof statistic === 'string' ? ` (${statistic})` : '';
  const what = typeof metric === 'string' ? `${metric}${of}` : made?.tool.replaceAll('_', ' ');
  if (what !== undefined)
    return clip(`${what}${typeof service === 'string' ? ` of ${service}` : ''}`, TITLE_CHARACTERS);
  const said = chat.question.text.replace(/[.?!\s]+$/, '');
  return /^.{0,20}\b(?:this|that|it)\b.{0,15}$/i.test(said) || said === '' ? undefined : clip(said, TITLE_CHARACTERS);
}
