/**
 * Questions to a system that the team has connected: a database, a vendor, an MCP server. Its tools say in the first
 * words of their descriptions whose they are; a table below says which of them a question is for.
 */
import { quantity } from '@casebook/wording';
import type { ConnectedTool } from '../../decide.ts';
import type { Call } from '../../transcript.ts';
import { call, isRecord, jsonOf, rowsOf, textOf, wasMade } from '../calls.ts';
import { parsePartialJson } from '../investigation/partial-json.ts';
import { bullets, cite, failureOf, listed, name, paragraphs, quote } from '../wording.ts';
import type { Chat, Play } from './chat.ts';

/** What a question is about, and the operations that answer it, best first. */
interface Topic {
  pattern: RegExp;
  operations: readonly string[];
  /** The answer when there are no rows. */
  none?: string;
}

const TOPICS: readonly Topic[] = [
  {
    pattern:
      /\b(?:slow\w*|expensive|heaviest|longest|top)\b.*\b(?:quer\w+|statements?)\b|\b(?:quer\w+|statements?)\b.*\b(?:slow\w*|expensive|long)\b/i,
    operations: ['slow_queries'],
    none: 'No statement has been recorded',
  },
  {
    pattern: /\block(?:s|ed|ing)?\b|\bblock(?:s|ed|ing|ers?)?\b/i,
    operations: ['locks'],
    none: 'No session waits for a lock',
  },
  {
    pattern: /\breplica\w*|\breplication\b|\blag\b/i,
    operations: ['replication', 'replicas'],
    none: 'Nothing is replicated',
  },
  {
    pattern: /\bunused\b.*\bind(?:ex|exes|ices)\b/i,
    operations: ['unused_indexes'],
    none: 'Every index has been used',
  },
  { pattern: /\b(?:merges?|parts|mutations?)\b/i, operations: ['parts_and_merges'], none: 'Nothing is being merged' },
  { pattern: /\b(?:tables?|sizes?|big|large|disk)\b/i, operations: ['tables'], none: 'There is no table' },
  {
    pattern: /\b(?:connections?|sessions?|running|activity|processes)\b/i,
    operations: ['activity', 'processes'],
    none: 'Nothing is running',
  },
  {
    pattern: /\bfirewall\b|\bblocked requests\b/i,
    operations: ['firewall_events'],
    none: 'There was no firewall event',
  },
  {
    pattern: /\b(?:changes?|changed|deploy\w*|audit)\b/i,
    operations: ['changes', 'audit_log', 'audit_changes', 'activity_log'],
    none: 'Nothing has changed',
  },
  {
    pattern: /\b(?:errors?|exceptions?|failing|failures)\b/i,
    operations: ['errors', 'error_groups', 'worker_errors'],
    none: 'There are no errors',
  },
  { pattern: /\b(?:issues?|incidents?|alerts?)\b/i, operations: ['issues'], none: 'There is no open issue' },
  { pattern: /\blogs?\b/i, operations: ['log_entries', 'query_logs'], none: 'There is no log line' },
  { pattern: /\bzones?\b|\bdomains?\b/i, operations: ['zones'], none: 'There is no zone' },
];
/** Without a system in the question, only these are plainly about a database. */
const PLAIN = new Set(['slow_queries', 'locks', 'unused_indexes', 'parts_and_merges']);
/** What to read about a system that is not well. */
const VITAL = ['slow_queries', 'locks', 'activity', 'processes', 'issues', 'error_groups', 'errors'];
const UNWELL = /\b(?:slow\w*|why|wrong|problems?|fail\w*|down|stuck|healthy|ok(?:ay)?|broken|hang\w*)\b/i;

const SEARCH = 'search_connected_tools';
const CALL = 'call_connected_tool';

const MAX_SYSTEMS = 3;
const MAX_ROWS = 5;
const MAX_CELLS = 8;

/** One call that answers, and whose it is. */
interface Reading {
  system: string;
  operation: string;
  planned: ReturnType<typeof call>;
}

/** Undefined when the question is for no connected system. */
export function systemPlay(chat: Chat): Play | undefined {
  const { situation, question, calls } = chat;
  const tools = [...situation.connected, ...foundIn(calls)];
  const { text } = question;
  const isSearched = situation.offered.has(SEARCH) && situation.connected.length === 0;
  const search = call(SEARCH, { query: text.slice(0, 300), limit: 20 });
  const mentioned = namedIn(text, tools);
  const topics = TOPICS.filter(({ pattern }) => pattern.test(text));
  const isPlain = topics.some(({ operations }) => operations.some((one) => PLAIN.has(one)));
  const sql = statementIn(text);
  if (isSearched && (isPlain || namedIn(text, situation.systems).length > 0) && !wasMade({ calls }, search))
    return {
      next: () => ({ text: 'Looking for the tool that answers this.', calls: [search] }),
      answer: () => 'The connected systems were not searched.',
    };
  if (mentioned.length === 0 && !isPlain) return undefined;
  const systems = (mentioned.length > 0 ? mentioned : [...new Set(tools.map(({ system }) => system))]).filter(
    (system) => tools.some((tool) => tool.system === system),
  );
  const readings = systems
    .flatMap((system) =>
      readingsOf(
        tools.filter((tool) => tool.system === system),
        { text, topics, sql, isSearched },
      ),
    )
    .slice(0, MAX_SYSTEMS * 3);
  if (readings.length === 0) return mentioned.length > 0 ? { answer: () => cannot(mentioned, tools) } : undefined;
  const missing = readings.filter(({ planned }) => !wasMade({ calls }, planned));
  return {
    next: () =>
      missing.length > 0
        ? {
            text: `Asking ${listed([...new Set(missing.map(({ system }) => name(system)))])}.`,
            calls: missing.map(({ planned }) => planned),
          }
        : undefined,
    answer: () => paragraphs(...readings.map((reading) => answerOf(reading, calls))),
  };
}

function readingsOf(
  tools: readonly ConnectedTool[],
  {
    text,
    topics,
    sql,
    isSearched,
  }: { text: string; topics: readonly Topic[]; sql: string | undefined; isSearched: boolean },
): Reading[] {
  const reading = ({ name: tool, system, operation }: ConnectedTool, input: Record<string, unknown> = {}): Reading => ({
    system,
    operation,
    planned: isSearched ? call(CALL, { name: tool, input }) : call(tool, input),
  });
  const query = tools.find(({ operation, takes }) => operation === 'query' && takes.includes('sql'));
  if (sql !== undefined && query) return [reading(query, { sql })];
  const having = (operation: string): ConnectedTool[] =>
    tools.filter((tool) => tool.operation === operation && tool.needs.length === 0);
  for (const { operations } of topics) {
    const [found] = operations.flatMap(having);
    if (found) return [reading(found)];
  }
  if (UNWELL.test(text))
    return VITAL.flatMap(having)
      .slice(0, 3)
      .map((tool) => reading(tool));
  const [best] = closest(
    text,
    tools.filter(({ needs }) => needs.length === 0),
  );
  return best ? [reading(best)] : [];
}

/** The tools whose operation shares the most words with the question; none if there is no such word. */
function closest(text: string, tools: readonly ConnectedTool[]): ConnectedTool[] {
  const said = new Set(wordsIn(text));
  const scored = tools.map((tool) => ({
    tool,
    score: wordsIn(tool.operation).filter((word) => said.has(word)).length,
  }));
  return scored
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ tool }) => tool);
}

const wordsIn = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .map((word) => word.replace(/(?<=\w{3})s$/u, ''))
    .filter((word) => word.length > 2);

/** The systems whose name a text contains, however its words are joined. */
function namedIn(text: string, systems: readonly Pick<ConnectedTool, 'system'>[]): string[] {
  const said = ` ${plain(text)} `;
  const names = [...new Set(systems.map(({ system }) => system))];
  return names.filter((system) => said.includes(` ${plain(system)} `));
}

const plain = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/** A statement in backquotes, or after "SQL:" or "run". */
function statementIn(text: string): string | undefined {
  const quoted =
    /`{1,3}(?:sql)?\s*((?:select|with|show|explain|values|table|describe|desc|exists)\b[\s\S]+?)`{1,3}/iu.exec(
      text,
    )?.[1];
  const plainly = /\b(?:sql|run|execute)\b[:\s]+((?:select|with|show)\b[\s\S]+)$/iu.exec(text)?.[1];
  return (quoted ?? plainly?.replace(/\s+(?:in|on|against)\s+[\w-]+\s*\??$/iu, ''))?.trim();
}

/** Tools that a search has found. */
function foundIn(calls: readonly Call[]): ConnectedTool[] {
  return calls
    .filter(({ tool, isError }) => tool === SEARCH && !isError)
    .flatMap((made) => rowsOf(jsonOf(made), 'tools'))
    .flatMap((row) => connectedTool(textOf(row, 'name'), textOf(row, 'description'), row['input_schema']) ?? []);
}

/** A tool as its description introduces it: `OPERATION of SYSTEM (KIND)…`; undefined for any other, and one that acts. */
export function connectedTool(tool: string, description: string, schema: unknown): ConnectedTool | undefined {
  const [head, operation, system, kind] = /^(\w+) of ([\w.-]+) \(([\w-]+)\)/u.exec(description) ?? [];
  if (head === undefined || operation === undefined || system === undefined || kind === undefined) return undefined;
  if (/^[^.]*; it may change things/u.test(description)) return undefined;
  const { properties, required } = isRecord(schema) ? schema : {};
  return {
    name: tool,
    operation,
    system,
    kind,
    takes: isRecord(properties) ? Object.keys(properties) : [],
    needs: Array.isArray(required) ? required.map(String) : [],
  };
}

function cannot(systems: readonly string[], tools: readonly ConnectedTool[]): string {
  const known = tools
    .filter(({ system }) => systems.includes(system))
    .map(({ operation }) => operation.replaceAll('_', ' '));
  return `I do not know which question that is for ${listed(systems.map(name))}. It can be asked for its ${listed(known, 12)}.`;
}

function answerOf({ system, operation, planned }: Reading, calls: readonly Call[]): string {
  const made = calls.findLast((one) => wasMade({ calls: [one] }, planned));
  const what = operation.replaceAll('_', ' ');
  if (!made) return `The ${what} of ${name(system)} were not read.`;
  if (made.isError) return `${name(system)} could not be asked for its ${what}: ${failureOf(made)}${cite(made)}.`;
  const tables = tablesIn(parsePartialJson(made.body));
  const some = tables.filter(({ rows }) => rows.length > 0);
  const none = TOPICS.find(({ operations }) => operations.includes(operation))?.none ?? 'There is nothing';
  if (some.length === 0) return `${none} in ${name(system)}${cite(made)}.`;
  return paragraphs(...some.map((table) => presented(table, { system, what, made })));
}

interface Rows {
  title: string;
  rows: Record<string, unknown>[];
}

/** The lists of records in a result: itself, its members, or its rows by column. */
function tablesIn(result: unknown): Rows[] {
  if (Array.isArray(result)) return [{ title: '', rows: result.filter(isRecord) }];
  if (!isRecord(result)) return [];
  const { columns, rows } = result;
  if (Array.isArray(columns) && Array.isArray(rows)) {
    const names = columns.map((column) => (isRecord(column) ? String(column['name']) : String(column)));
    const records = rows.flatMap((row: unknown) =>
      Array.isArray(row) ? [Object.fromEntries(names.map((one, index) => [one, row[index] as unknown]))] : [],
    );
    return [{ title: '', rows: records }];
  }
  const single = Object.fromEntries(
    Object.entries(result).filter(([, value]) => !isRecord(value) && !Array.isArray(value)),
  );
  const lists = Object.entries(result).flatMap(([title, value]) =>
    Array.isArray(value) ? [{ title: title.replaceAll('_', ' '), rows: value.filter(isRecord) }] : [],
  );
  return Object.keys(single).length > 0 ? [{ title: '', rows: [single] }, ...lists] : lists;
}

function presented(
  { title, rows }: Rows,
  { system, what, made }: { system: string; what: string; made: Call },
): string {
  const shown = rows.slice(0, MAX_ROWS).map((row) => `${rowText(row)}${cite(made)}`);
  const more = rows.length > shown.length ? `There are ${rows.length - shown.length} more${cite(made)}.` : '';
  const subject = title === '' || title === what ? capital(what) : `${capital(what)}, ${title},`;
  return paragraphs(`**${subject} of ${name(system)}**${cite(made)}:`, bullets(shown), more);
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Columns that say what a row is about, best first. */
const SUBJECTS = ['query', 'text', 'waiting_query', 'name', 'title', 'table', 'relation', 'summary', 'message', 'id'];
const UNITS: readonly [RegExp, string][] = [
  [/_?ms$/u, 'ms'],
  [/_?seconds$/u, 's'],
  [/_?bytes$/u, 'bytes'],
];

function rowText(row: Record<string, unknown>): string {
  const subject = SUBJECTS.find((column) => typeof row[column] === 'string' && row[column] !== '');
  const cells = Object.entries(row)
    .filter(([column, value]) => column !== subject && tellsSomething(column, value))
    .sort(([a], [b]) => rankOf(a) - rankOf(b))
    .slice(0, MAX_CELLS)
    .map(([column, value]) => cellText(column, value));
  const head = subject === undefined ? '' : quote(String(row[subject]).replaceAll(/\s+/gu, ' '), 160);
  return [head, cells.join(', ')].filter((part) => part !== '').join(': ');
}

/** Ids are for programs; a negative estimate means that the system has none. */
const tellsSomething = (column: string, value: unknown): boolean =>
  value !== null &&
  value !== '' &&
  typeof value !== 'object' &&
  !/(?:^|_)(?:id|oid)$/u.test(column) &&
  !(column.startsWith('estimated_') && Number(value) < 0);

/** Figures that a reader looks for first. */
const FIRST = ['mean_ms', 'max_ms', 'total_ms', 'calls'];
const rankOf = (column: string): number => {
  const at = FIRST.indexOf(column);
  return at === -1 ? FIRST.length : at;
};

function cellText(column: string, value: unknown): string {
  const [pattern, unit] = UNITS.find(([suffix]) => suffix.test(column)) ?? [];
  const label = (pattern ? column.replace(pattern, '') : column).replaceAll('_', ' ').trim();
  const text = typeof value === 'number' ? quantity(value, unit) : quote(String(value), 60);
  return label === '' ? text : `${label} ${text}`;
}
