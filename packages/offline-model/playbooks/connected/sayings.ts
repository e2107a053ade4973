/** What a connected system answered, in words: a heading, a line a record, and what an empty list means. */
import { quantity } from '@casebook/wording';
import type { Call } from '../../transcript.ts';
import { bullets, cite, clip, failureOf, listed, name, paragraphs, quote } from '../wording.ts';
import type { ConnectedTool } from './catalogue.ts';
import { isDatabase, kindTitle } from './questions.ts';
import {
  answerIn,
  chosenFacts,
  counted,
  factsOf,
  numberOf,
  recordLine,
  textIn,
  type Row,
  type Section,
} from './records.ts';

/** A tool's call that has returned. */
export interface Reading {
  tool: ConnectedTool;
  call: Call;
  /** The lists to show, of several. */
  parts?: readonly string[];
  /** How many records to show. */
  most?: number;
}

/** How records of one kind are said. */
interface Shape {
  title: string;
  /** The order of the records. */
  order?: string;
  /** What an empty list means; a sentence about the system, without its end. */
  none?: (system: string) => string;
  line?: (row: Row) => string;
  /** What the records say together; a sentence each. */
  notes?: (rows: readonly Row[], cited: string) => string[];
}

const MAX_SHOWN = 5;
const MAX_ASKED = 20;
const STATEMENT_CHARACTERS = 160;
const TEXT_LINES = 12;

const statement = (text: string | undefined): string => (text === undefined ? '' : quote(text, STATEMENT_CHARACTERS));
const joined = (subject: string, facts: readonly string[]): string =>
  [subject, facts.join(', ')].filter(Boolean).join(': ');
const within = (row: Row): string =>
  [textIn(row, 'schema', 'database'), textIn(row, 'name', 'table')]
    .flatMap((part) => (part === undefined ? [] : [name(part)]))
    .join('.');
const seconds = (row: Row, key: string): string | undefined => {
  const figure = numberOf(row[key]);
  return figure === undefined ? undefined : quantity(figure, 's');
};

/** By operation, or by the name of a list. */
const SHAPES: Readonly<Record<string, Shape>> = {
  slow_queries: {
    title: 'Slow queries',
    order: ', by total time',
    notes: slowestOnAverage,
    none: (system) => `${system} recorded no statement`,
    line: (row) =>
      joined(
        statement(textIn(row, 'query', 'text')),
        chosenFacts(row, [
          'mean_ms',
          'calls',
          'max_ms',
          'total_ms',
          'rows',
          'rows_read',
          'bytes_read',
          'user',
          'first_user',
          'database',
        ]),
      ),
  },
  locks: { title: 'Locks', none: (system) => `No session of ${system} waits for a lock`, line: lockLine },
  sessions: { title: 'Sessions', none: (system) => `No session of ${system} is active`, line: sessionLine },
  processes: {
    title: 'Running queries',
    none: (system) => `${system} is running no query`,
    line: (row) =>
      joined(
        statement(textIn(row, 'query')),
        chosenFacts(row, ['elapsed_seconds', 'user', 'read_rows', 'read_bytes', 'memory_bytes']),
      ),
  },
  connections: {
    title: 'Connections',
    none: (system) => `${system} has no client connection`,
    line: (row) =>
      [
        counted(numberOf(row['connections']) ?? 0, 'connections'),
        ...[textIn(row, 'state')].flatMap((state) => (state === undefined ? [] : [stateText(state)])),
        ...chosenFacts(row, ['user', 'database']),
      ].join(', '),
    notes: (rows, cited) => {
      const all = rows.reduce((sum, row) => sum + (numberOf(row['connections']) ?? 0), 0);
      const most = numberOf(rows[0]?.['max_connections']);
      // The sum stands in no record, so nothing is cited for it.
      return [
        `That is ${counted(all, 'connections')} in all.`,
        ...(most === undefined ? [] : [`At most ${most} are allowed${cited}.`]),
      ];
    },
  },
  tables: {
    title: 'Tables',
    none: (system) => `${system} has no table that this user can see`,
    line: (row) =>
      joined(
        within(row),
        chosenFacts(row, [
          'total_bytes',
          'bytes_on_disk',
          'estimated_rows',
          'rows',
          'dead_rows',
          'parts',
          'engine',
          'last_autovacuum',
          'last_modified',
        ]),
      ),
  },
  unused_indexes: {
    title: 'Unused indexes',
    none: (system) => `${system} has no unused index`,
    line: (row) => {
      const [index, table, schema] = ['name', 'table', 'schema'].map((key) => textIn(row, key));
      const on = [schema, table].flatMap((part) => (part === undefined ? [] : [name(part)])).join('.');
      return joined(`${name(index ?? '')}${on === '' ? '' : ` on ${on}`}`, [
        ...chosenFacts(row, ['bytes']),
        statement(textIn(row, 'definition')),
      ]);
    },
  },
  describe_table: { title: 'Table', line: (row) => recordLine(row) },
  query: {
    title: 'Rows',
    none: (system) => `The statement returned no rows of ${system}`,
    line: (row) => factsOf(row).join(', '),
  },
  replicas: {
    title: 'Replicas',
    none: (system) => `${system} has no replica`,
    line: (row) => {
      const facts = chosenFacts(row, ['state', 'sync_state', 'is_readonly', 'delay_seconds', 'queue_size', 'client']);
      const lag = [numberOf(row['lag_bytes']), numberOf(row['lag_seconds'])].map((figure, index) =>
        figure === undefined ? [] : [quantity(figure, index === 0 ? 'bytes' : 's')],
      );
      const behind = lag.flat().join(' and ');
      return joined(within(row), [...(behind === '' ? [] : [`${behind} behind`]), ...facts]);
    },
  },
  slots: { title: 'Replication slots', none: (system) => `${system} has no replication slot` },
  errors: {
    title: 'Errors',
    none: (system) => `${system} counted no error`,
    line: (row) => {
      const [what, said] = [textIn(row, 'name'), textIn(row, 'last_message')];
      if (what === undefined || said === undefined) return recordLine(row);
      const times = numberOf(row['count']);
      return joined(name(what), [
        ...(times === undefined ? [] : [counted(times, 'times')]),
        ...chosenFacts(row, ['last_error_time']),
        statement(said),
      ]);
    },
  },
};

/** The list is by total time, in which a rare statement comes late however slow it is. */
function slowestOnAverage(rows: readonly Row[], cited: string): string[] {
  const [most, ...others] = rows.toSorted((a, b) => (numberOf(b['mean_ms']) ?? 0) - (numberOf(a['mean_ms']) ?? 0));
  if (!most || others.length === 0 || most === rows[0]) return [];
  const query = statement(textIn(most, 'query', 'text'));
  return [
    `The slowest of them on average is ${query} (${chosenFacts(most, ['mean_ms', 'calls']).join(', ')})${cited}.`,
  ];
}

function lockLine(row: Row): string {
  const [waiting, blocking] = [textIn(row, 'waiting_pid'), textIn(row, 'blocking_pid')];
  if (waiting === undefined || blocking === undefined) return recordLine(row);
  const [waited, open] = [seconds(row, 'waiting_seconds'), seconds(row, 'blocking_transaction_seconds')];
  const relation = textIn(row, 'relation');
  const who = (key: string): string => {
    const user = textIn(row, key);
    return user === undefined ? '' : ` of user ${name(user)}`;
  };
  const state = textIn(row, 'blocking_state');
  const what = [
    `Session ${name(waiting)}${who('waiting_user')} waits for session ${name(blocking)}${who('blocking_user')}`,
    ...(waited === undefined ? [] : [`for ${waited} now`]),
    ...(relation === undefined ? [] : [`on ${name(relation)} (${name(textIn(row, 'wanted_mode') ?? 'lock')})`]),
  ].join(' ');
  const held = [
    ...(state === undefined ? [] : [`is ${stateText(state)}`]),
    ...(open === undefined ? [] : [`has had its transaction open for ${open}`]),
  ];
  const queries = [
    ['it waits with', textIn(row, 'waiting_query')],
    ['the blocker last ran', textIn(row, 'blocking_query')],
  ].flatMap(([before, query]) => (query === undefined ? [] : [`${before} ${statement(query)}`]));
  return [what, ...(held.length > 0 ? [`the blocker ${held.join(' and ')}`] : []), ...queries].join('; ');
}

function sessionLine(row: Row): string {
  const blockers = Array.isArray(row['blocked_by']) ? row['blocked_by'].map((pid) => name(String(pid))) : [];
  const [pid, user, state] = ['pid', 'user', 'state'].map((key) => textIn(row, key));
  const wait = [textIn(row, 'wait_event_type'), textIn(row, 'wait_event')].flatMap((one) => one ?? []).join(' ');
  const [query, open] = [seconds(row, 'query_seconds'), seconds(row, 'transaction_seconds')];
  return joined(
    `Session ${name(pid ?? '')}${user === undefined ? '' : ` of user ${name(user)}`}`,
    [
      ...(state === undefined ? [] : [stateText(state)]),
      ...(query === undefined ? [] : [`statement begun ${query} ago`]),
      ...(open === undefined ? [] : [`transaction open for ${open}`]),
      ...(blockers.length > 0
        ? [`blocked by session ${listed(blockers)}`]
        : wait === ''
          ? []
          : [`waits for ${name(wait)}`]),
      statement(textIn(row, 'query')),
    ].filter(Boolean),
  );
}

/** PostgreSQL's states are plain words: `idle in transaction`. */
const stateText = (state: string): string => (/^[a-z][a-z ]{0,40}$/u.test(state) ? state : name(state));

export const systemName = ({ system, kind }: Pick<ConnectedTool, 'system' | 'kind'>): string =>
  kind === '' ? name(system) : `${name(system)} (${kindTitle(kind)})`;

/** `slow queries`: an operation, or a list in its result, as a person says it. */
export function spoken(operation: string): string {
  const said = operation.replaceAll(/[_-]+/gu, ' ').trim();
  return /^[\p{L}\p{N} ]{1,60}$/u.test(said) ? said : quote(operation, 60);
}

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

function titleOf({ operation, kind }: ConnectedTool): string {
  return shapeOf(operation, kind)?.title ?? capital(spoken(operation));
}

const shapeOf = (key: string, kind: string): Shape | undefined =>
  isDatabase(kind) && Object.hasOwn(SHAPES, key) ? SHAPES[key] : undefined;

/** A record in words. @param part the list that it is in, of several */
export function rowLine({ operation, kind }: ConnectedTool, part: string, row: Row): string {
  const shape = (part === '' ? undefined : shapeOf(part, kind)) ?? shapeOf(operation, kind);
  return shape?.line?.(row) ?? recordLine(row);
}

/** What one call says; a failure too. */
export function say({ tool, call, parts, most }: Reading): string {
  const cited = cite(call);
  const of = systemName(tool);
  if (call.isError) return `${titleOf(tool)} of ${of} could not be read: ${failureOf(call)}${cited}.`;
  const answer = answerIn(call.body);
  if (!answer) return textAnswer(tool, call);
  const wanted = answer.sections.filter((section) => parts?.includes(section.name));
  const sections = wanted.length > 0 ? wanted : answer.sections;
  const facts = wanted.length > 0 ? '' : factsText(tool, answer.facts);
  const usual = tool.operation === 'query' ? MAX_ASKED : MAX_SHOWN;
  const shown = Math.min(most ?? usual, MAX_ASKED);
  const said = sections.map((section, index) => {
    const goesOn = answer.isCut && index === sections.length - 1;
    return sectionText(section, { tool, cited, shown, goesOn, isOnly: answer.sections.length === 1 });
  });
  if (facts === '' && said.length === 0) return `${titleOf(tool)} of ${of}: nothing was returned${cited}.`;
  return paragraphs(facts === '' ? '' : `${facts}${cited}.`, ...said);
}

/** What stands beside the lists of a result. */
function factsText(tool: ConnectedTool, facts: Row): string {
  const { is_replica: isReplica, lag_seconds: lag } = facts;
  if (tool.kind === 'postgresql' && typeof isReplica === 'boolean') {
    const behind = numberOf(lag);
    const role = isReplica
      ? `is a replica${behind === undefined ? '' : `, ${quantity(behind, 's')} behind`}`
      : 'is a primary';
    return `${name(tool.system)} ${role}`;
  }
  const said = factsOf(facts);
  return said.length === 0 ? '' : `${titleOf(tool)} of ${systemName(tool)}: ${said.join(', ')}`;
}

function sectionText(
  { name: part, rows }: Section,
  {
    tool,
    cited,
    shown,
    goesOn,
    isOnly,
  }: { tool: ConnectedTool; cited: string; shown: number; goesOn: boolean; isOnly: boolean },
): string {
  const own = part === '' ? undefined : shapeOf(part, tool.kind);
  const shape = own ?? shapeOf(tool.operation, tool.kind);
  const title = `${shape?.title ?? titleOf(tool)} of ${systemName(tool)}${own || isOnly ? '' : `, ${spoken(part)}`}`;
  if (rows.length === 0) {
    const none = own || isOnly ? shape?.none?.(name(tool.system)) : undefined;
    return `${none ?? `${title}: none`}${cited}.`;
  }
  const lines = rows.slice(0, shown).map((row) => `${rowLine(tool, part, row)}${cited}`);
  const rest = rows.length > shown || goesOn ? ['There are more.'] : [];
  const notes = [...(shape?.notes?.(rows, cited) ?? []), ...rest].join(' ');
  return paragraphs(`**${title}**${shape?.order ?? ''}${cited}:`, bullets(lines), notes);
}

/** Servers of tools may answer with text. */
function textAnswer(tool: ConnectedTool, call: Call): string {
  const lines = call.body.split('\n').filter((line) => line.trim() !== '');
  const shown = lines.slice(0, TEXT_LINES).map((line) => `${quote(clip(line, 200), 200)}${cite(call)}`);
  const title = `${titleOf(tool)} of ${systemName(tool)}`;
  return paragraphs(
    `**${title}**${cite(call)}:`,
    bullets(shown),
    lines.length > TEXT_LINES ? 'There are more lines.' : '',
  );
}
