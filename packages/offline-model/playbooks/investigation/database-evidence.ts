/**
 * What a connected database that the question names shows: who blocks whom, which statements take the time, what runs. It
 * shows the present and no healthy time beside it, so only a long wait behind one session makes a cause.
 */
import { quantity } from '@casebook/wording';
import type { Report } from '../../../../src/features/investigations/report/schema.ts';
import type { PlannedCall, Turn } from '../../decide.ts';
import type { Call } from '../../transcript.ts';
import { call as plan, callsOf, wasMade } from '../calls.ts';
import { callOf, callsTo, foundTools, SEARCH_TOOL, type ConnectedTool } from '../connected/catalogue.ts';
import { inputFor } from '../connected/inputs.ts';
import { namedSystems } from '../connected/named.ts';
import { isDatabase, OVERVIEW } from '../connected/questions.ts';
import { answerIn, numberOf, textIn, type Row } from '../connected/records.ts';
import { rowLine, say, spoken, systemName } from '../connected/sayings.ts';
import { cite, failureOf, listed, name } from '../wording.ts';
import type { CaseFile } from './case-file.ts';
import { members, type Citations } from './citations.ts';
import { isLive, timeIn, type SourceChoice } from './sources.ts';
import { mentions } from './words.ts';

/** One operation of a database, read. */
interface Read {
  tool: ConnectedTool;
  call: Call;
}

/** A session for which another waits. */
export interface Blocking extends Read {
  row: Row;
  session: string;
}

const MAX_SYSTEMS = 2;
const MAX_OPERATIONS = 3;
const SEARCH_LIMIT = 15;
/** A session that others wait for so long is plainly in their way. */
const PLAIN_SECONDS = 120;
/** What is left to doubt: why it holds its lock, and whether that is all. */
export const PLAIN_CONFIDENCE = 0.6;
/** Shorter ones are nothing to report. */
const LONG_SECONDS = 60;
/** `orders-db`, `users_primary` */
const LIKE_A_SYSTEM = /[\p{L}\d]+(?:[-_][\p{L}\d]+)+/gu;

/** Reads the databases that the question names, unless that was done; searches for their tools where it has to. */
export function readDatabases(file: CaseFile, can: (tool: string) => boolean): Turn | undefined {
  const search = searchFor(file);
  if (search && can(SEARCH_TOOL) && !wasMade(file, search))
    return { text: 'Looking for the tools of the systems that the question names.', calls: [search] };
  const steps = toolsToRead(file)
    .map((tool) => ({ tool, ...inputFor(tool, { text: '', now: Number.NaN }) }))
    .filter(({ tool, missing }) => missing.length === 0 && callsTo(tool, file.calls).length === 0)
    .map(({ tool, input }) => ({ tool, planned: callOf(tool, input) }))
    .filter(({ planned }) => can(planned.name));
  if (steps.length === 0) return undefined;
  const each = (of: (tool: ConnectedTool) => string): string => listed([...new Set(steps.map(({ tool }) => of(tool)))]);
  const text = `Reading ${each(({ operation }) => spoken(operation))} of ${each(({ system }) => name(system))}.`;
  return { text, calls: steps.map(({ planned }) => planned) };
}

function searchFor(file: CaseFile): PlannedCall | undefined {
  const known = file.systems.filter((system) => mentions(file.query, system));
  const [first, ...others] = known.length > 0 ? known : (file.query.match(LIKE_A_SYSTEM) ?? []);
  if (first === undefined || file.connected.length > 0 || toolsToRead(file).length > 0) return undefined;
  const words = [...OVERVIEW.map(spoken), first, ...others.slice(0, 2)].join(' ');
  return plan(SEARCH_TOOL, { query: words.slice(0, 300), limit: SEARCH_LIMIT });
}

function toolsToRead(file: CaseFile): ConnectedTool[] {
  const found = callsOf(file, SEARCH_TOOL).length > 0 ? foundTools(file.calls) : [];
  const tools = [...file.connected, ...found].filter(({ kind }) => isDatabase(kind));
  return namedSystems(file.query, tools)
    .slice(0, MAX_SYSTEMS)
    .flatMap((system) => {
      const own = tools.filter((tool) => tool.system === system);
      return OVERVIEW.flatMap((operation) => own.find((tool) => tool.operation === operation) ?? []).slice(
        0,
        MAX_OPERATIONS,
      );
    });
}

/** What was read, by database and operation. */
export function databaseReads(file: CaseFile): Read[] {
  return toolsToRead(file).flatMap((tool) => {
    const made = callsTo(tool, file.calls).at(-1);
    return made ? [{ tool, call: made }] : [];
  });
}

/** The session for which another waits longest, itself waiting for none: the cause, if the question is about now. */
export function blockingIn(file: CaseFile, choice: SourceChoice | undefined): Blocking | undefined {
  if (timeIn(file.query) !== undefined || (choice && !isLive(choice.primary))) return undefined;
  const found = databaseReads(file).flatMap(({ tool, call }): Blocking[] => {
    const rows = tool.operation === 'locks' && !call.isError ? (answerIn(call.body)?.sections[0]?.rows ?? []) : [];
    const waiting = new Set(rows.map((row) => textIn(row, 'waiting_pid')));
    return rows.flatMap((row) => {
      const session = textIn(row, 'blocking_pid');
      return session === undefined || waiting.has(session) ? [] : [{ tool, call, row, session }];
    });
  });
  const seconds = ({ row }: Blocking): number => numberOf(row['waiting_seconds']) ?? 0;
  return found.filter((one) => seconds(one) >= PLAIN_SECONDS).toSorted((a, b) => seconds(b) - seconds(a))[0];
}

export const blockingTitle = ({ tool, session }: Blocking): string =>
  `${tool.system}: session ${session} blocks others`;

/** The wait, and what makes it a cause. */
export function blockingStatement({ tool, call, row }: Blocking, citations: Citations): string {
  const waited = quantity(numberOf(row['waiting_seconds']) ?? 0, 's');
  const cited = citeRow(citations, call, row);
  return `In ${systemName(tool)}, a session has waited for a lock for ${waited}${cited}. ${rowLine(tool, '', row)}${cited}.`;
}

export function endBlocking({ tool, session }: Blocking): Report['recommended_change'] {
  return {
    summary: `Find out what session ${name(session)} of ${name(tool.system)} does, and end its transaction if nobody needs it.`,
    details: `Its client can commit or roll back. Otherwise run select pg_terminate_backend(${name(session)}) as a user who may: what the session has not committed is lost. Then read the locks of ${name(tool.system)} again: nobody should wait.`,
  };
}

/**
 * What the databases show, a sentence for each operation that shows something: an empty list holds nothing to cite.
 * Where none does, how many are connected.
 */
export function databaseSentences(file: CaseFile, citations: Citations): string[] {
  const reads = databaseReads(file);
  const said = reads.flatMap(({ tool, call }): string[] => {
    const of = systemName(tool);
    if (call.isError) {
      const cited = citations.cite(call, call.body.slice(0, 200).trim());
      return [`The ${spoken(tool.operation)} of ${of} could not be read: ${failureOf(call)}${cited}.`];
    }
    const { part, row } = firstOf(call, 'sessions');
    if (!row || !isNotable(tool.operation, row)) return [];
    return [
      `${LEADS[tool.operation] ?? 'Of note'} in ${of}: ${rowLine(tool, part, row)}${citeRow(citations, call, row)}.`,
    ];
  });
  if (said.length > 0) return said;
  return reads.flatMap(({ tool, call }) => {
    const { part, row } = firstOf(call, 'connections');
    return row
      ? [`Most connections of ${systemName(tool)}: ${rowLine(tool, part, row)}${citeRow(citations, call, row)}.`]
      : [];
  });
}

/** The first record of a result, or of its list of that name. */
function firstOf({ body }: Call, list: string): { part: string; row?: Row } {
  const sections = answerIn(body)?.sections ?? [];
  const found = sections.find((section) => section.name === list) ?? sections.find((section) => section.name === '');
  const [row] = found?.rows ?? [];
  return { part: found?.name ?? '', ...(row && { row }) };
}

const LEADS: Readonly<Record<string, string>> = {
  locks: 'The longest wait for a lock',
  slow_queries: 'The statement that took the most time in total',
  activity: 'The longest transaction',
  processes: 'The longest running query',
  errors: 'The newest error',
};

/** Sessions and queries always run; those that take long are worth a sentence. */
function isNotable(operation: string, row: Row): boolean {
  const key = { activity: 'transaction_seconds', processes: 'elapsed_seconds' }[operation];
  return key === undefined || (numberOf(row[key]) ?? 0) >= LONG_SECONDS;
}

function citeRow(citations: Citations, call: Call, row: Row): string {
  return citations.cite(call, JSON.stringify(row), ...Object.keys(row).map((key) => members(row, key)));
}

/**
 * A report from the databases alone, where no telemetry source can be asked or knows what the question names.
 * @param partial why the report is incomplete
 * @returns undefined if none was read
 */
export function databaseReport(file: CaseFile, citations: Citations, partial = ''): Report | undefined {
  const sentences = databaseSentences(file, citations);
  const [first] = databaseReads(file);
  if (!first || sentences.length === 0) return undefined;
  const blocking = blockingIn(file, undefined);
  const [citable] = databaseReads(file).filter(({ call }) => call.body.length > SHORTEST_CITED);
  const cited = citable ? citations.cite(citable.call, citable.call.body.slice(0, 200).trim()) : '';
  const system = name(first.tool.system);
  const isBroken = databaseReads(file).every(({ call }) => call.isError);
  const why = isBroken ? `${system} could not be read` : `nothing that ${system} shows now explains it by itself`;
  const statement = blocking
    ? blockingStatement(blocking, citations)
    : `Root cause unknown: ${why}${cited}. ${sentences[0]}`;
  return {
    title: blocking ? blockingTitle(blocking) : `No root cause found for ${first.tool.system}`,
    root_cause: { service: blocking?.tool.system ?? null, statement },
    confidence: blocking ? PLAIN_CONFIDENCE : NO_CAUSE,
    summary: [partial, note(file, citations), ...sentences].filter(Boolean).join(' '),
    hypotheses: [],
    timeline: [],
    impact: `Impact unknown: no telemetry source was read beside ${system}${cited}.`,
    recommended_change: blocking ? endBlocking(blocking) : isBroken ? reconnect(first) : readOn(first),
    citations: citations.list,
  };
}

const NO_CAUSE = 0.1;
/** An empty list proves nothing. */
const SHORTEST_CITED = 4;

/** Why telemetry has no part in it. */
function note({ sources }: CaseFile, citations: Citations): string {
  const [first] = sources?.result.sources ?? [];
  const cited = citations.cite(sources?.call, first ? members(first, 'id') : '"sources":[]');
  return cited === '' ? '' : `No telemetry source knows what the question names${cited}.`;
}

const reconnect = ({ tool }: Read): Report['recommended_change'] => ({
  summary: `Mend the connection to ${name(tool.system)} on the Integrations page, then ask again.`,
  details: `Test it there: the answer names the address, user or password at fault. Nothing about ${name(tool.system)} itself is known until it can be read.`,
});

const readOn = ({ tool }: Read): Report['recommended_change'] => ({
  summary: `Look at the plans of the statements that take the most time in ${name(tool.system)}, and connect the metrics of the services that use it.`,
  details: 'What a database shows now has no healthy time beside it: a source of metrics tells what has changed.',
});

/** The same for a chat: each operation whole, after the verdict. */
export function databaseAnswer(file: CaseFile): string[] {
  const reads = databaseReads(file);
  const blocking = blockingIn(file, undefined);
  const head = blocking
    ? `**Likely root cause: ${name(blocking.tool.system)} (session ${name(blocking.session)} blocks others).** Others wait for its lock, one for ${quantity(numberOf(blocking.row['waiting_seconds']) ?? 0, 's')}${cite(blocking.call)}. **Confidence:** ${PLAIN_CONFIDENCE * 100} %.`
    : `**No root cause found.** ${listed([...new Set(reads.map(({ tool }) => systemName(tool)))])} shows this now:`;
  const said = reads.map((read) => say({ ...read, parts: ['sessions'] }));
  return reads.length === 0
    ? []
    : [head, ...said, ...(blocking ? [`**Next step:** ${endBlocking(blocking).summary}`] : [])];
}
