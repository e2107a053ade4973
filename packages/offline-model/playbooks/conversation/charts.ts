/** A chart of a tool result: of the one that is named, else of the newest that holds values, else of a metric that is asked for. */
import type { Turn } from '../../decide.ts';
import type { Call } from '../../transcript.ts';
import type { CaseFile } from '../investigation/case-file.ts';
import { call } from '../investigation/gather.ts';
import { parsePartialJson } from '../investigation/partial-json.ts';
import { clip, quote } from '../investigation/statements.ts';
import { callsOf, given, isRecord, wasMade } from './calls.ts';
import { has, type Chat } from './chat.ts';
import { UUID, type LookupKind } from './intent.ts';
import { lastService } from './earlier.ts';
import { lookupAnswer, lookupPlan } from './lookups/index.ts';
import type { Plan } from './replay.ts';
import { cite, failureOf, name } from './wording.ts';

type Can = (tool: string) => boolean;

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
/** Words that ask for a chart and do not say of what. */
const NO_TITLE =
  /^(?:please\s+)?(?:draw|plot|chart|make|show)\b[^.]{0,20}\b(?:this|that|it|the) ?(?:tool )?(?:result)?$/i;

interface Source {
  evidence?: number;
  tool_id?: string;
}

/** @param of what the chart is to show, where the question says it */
export function chartPlan(chat: Chat, of: readonly LookupKind[], can: Can): Plan {
  const reading = lookupPlan(chat, of.length > 0 ? of : ['metric'], can);
  return {
    ...reading,
    next(file) {
      const drawn = callsOf(file, DRAW);
      if (!can(DRAW) || drawn.length > 1 || drawn.some(({ isError }) => !isError)) return undefined;
      const [failed] = drawn;
      if (failed) return again(failed);
      const source = sourceOf(chat, of);
      if (source) return drawing(source, titleFor(chat, source));
      const read = reading.next(file);
      if (read?.calls.some((one) => !wasMade(file, one))) return read;
      const best = drawable(file.transcript.calls, (results) => results.at(-1));
      const found = best === undefined ? undefined : { evidence: best };
      return found && drawing(found, titleFor(chat, found, file));
    },
  };
}

export function chartAnswer(chat: Chat, file: CaseFile): string {
  if (!has(chat, DRAW)) return 'This chat is not offered the tool that draws charts (draw_chart).';
  const drawn = callsOf(file, DRAW);
  const chart = drawn.find(({ isError }) => !isError);
  if (!chart) {
    const failed = drawn.at(-1);
    if (failed) return `The chart could not be drawn: ${failureOf(failed)}${cite(failed)}.`;
    return `I found nothing to draw. ${lookupAnswer(chat, ['metric'], file)}`;
  }
  const result: unknown = parsePartialJson(chart.body);
  const points = isRecord(result) && typeof result['points'] === 'number' ? result['points'] : undefined;
  const table = isRecord(result) && typeof result['table'] === 'string' ? ` of the table ${name(result['table'])}` : '';
  const source = [...chat.earlierCalls, ...chat.calls].find(({ evidence }) => evidence === chart.input['evidence']);
  const { title } = chart.input;
  const what = typeof title === 'string' ? quote(title, TITLE_CHARACTERS) : 'The chart';
  const thinned = isRecord(result) && result['downsampled'] === true ? ', thinned out so that the extremes stay' : '';
  const shows = points === undefined ? '' : ` with ${points} points${table}${thinned}`;
  return `${what} is drawn${shows}${cite(chart)}.${source ? ` Its values are those of ${name(source.tool)}${cite(source)}.` : ''}`;
}

/** The result that the person or the chat names, else the newest with values unless something else is asked for. */
function sourceOf(chat: Chat, of: readonly LookupKind[]): Source | undefined {
  const { text, context } = chat.question;
  const cited = NAMED_EVIDENCE.exec(text);
  if (cited) return { evidence: Number(cited[1] ?? cited[2]) };
  const id = UUID.exec(text)?.[0] ?? /tool_id ([\da-f-]{36})/i.exec(context)?.[1];
  if (id !== undefined) return { tool_id: id };
  if (of.length > 0) return undefined;
  const evidence = drawable([...chat.earlierCalls, ...chat.calls], (results) => bestOf(chat, results));
  return evidence === undefined ? undefined : { evidence };
}

/** The evidence number of what is best to be drawn: by its tool, and among the results of one tool the chosen one. */
function drawable(calls: readonly Call[], choose: (results: readonly Call[]) => Call | undefined): number | undefined {
  const results = calls.filter(({ isError, evidence }) => !isError && evidence !== undefined);
  return DRAWABLE.flatMap((tool) => choose(results.filter((made) => made.tool === tool)) ?? [])[0]?.evidence;
}

/** The newest result, rather one of the service that was spoken of last. */
function bestOf(chat: Chat, results: readonly Call[]): Call | undefined {
  const newest = results.at(-1);
  const service = newest && lastService(chat, [given(newest, 'source') ?? '']);
  return results.findLast(({ input }) => service !== undefined && input['service'] === service) ?? newest;
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
    const input = { evidence, tool_id, title, table: table['table'], x, y };
    return {
      text: `That did not work as it is; I draw the table ${name(table['table'])}.`,
      calls: [call(DRAW, input)],
    };
  }
  return undefined;
}

/** The name of the first column of a type, from texts such as `value (quantitative, s)`. */
function columnOf(columns: readonly unknown[], type: string): string | undefined {
  for (const column of columns) {
    const [, title, of] = typeof column === 'string' ? (/^(.*?) \((\w+)/.exec(column) ?? []) : [];
    if (of === type) return title;
  }
  return undefined;
}

function drawing(source: Source, title: string | undefined): Turn {
  return { text: 'I draw the chart.', calls: [call(DRAW, { ...source, title })] };
}

/** What the chart shows, from what was asked of the source; a person's own words where nothing is known of it. */
function titleFor(chat: Chat, { evidence }: Source, file?: CaseFile): string | undefined {
  const all = [...(file?.transcript.calls ?? []), ...chat.calls, ...chat.earlierCalls];
  const made = evidence === undefined ? undefined : all.find((one) => one.evidence === evidence);
  const { metric, service, statistic } = made?.input ?? {};
  const of = typeof service === 'string' ? ` of ${service}` : '';
  if (typeof metric === 'string') {
    return clip(`${metric}${typeof statistic === 'string' ? ` (${statistic})` : ''}${of}`, TITLE_CHARACTERS);
  }
  if (made) return clip(`${made.tool.replaceAll('_', ' ')}${of}`, TITLE_CHARACTERS);
  const said = chat.question.text.replace(/[.?!\s]+$/, '');
  return said === '' || NO_TITLE.test(said) ? undefined : clip(said, TITLE_CHARACTERS);
}
