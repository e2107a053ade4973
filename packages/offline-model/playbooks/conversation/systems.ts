/** Answers questions about connected systems, such as a team's database, with the tools that read them. */
import type { PlannedCall, Turn } from '../../decide.ts';
import type { Call } from '../../transcript.ts';
import { call, wasMade } from '../calls.ts';
import { callOf, callsTo, foundTools, SEARCH_TOOL, type ConnectedTool } from '../connected/catalogue.ts';
import { namedSystems, systemsOf } from '../connected/named.ts';
import { inputFor, periodOf, wantedIn, type Asked } from '../connected/inputs.ts';
import {
  isDatabase,
  isReading,
  kindsIn,
  listingIn,
  OVERVIEW,
  standsAlone,
  STATEMENT,
  statementIn,
  topicOf,
  type Topic,
} from '../connected/questions.ts';
import { say, spoken, systemName } from '../connected/sayings.ts';
import { timeIn } from '../investigation/sources.ts';
import { lexicalScores, mentions, words } from '../investigation/words.ts';
import { servicesIn, unknownServiceIn, withoutQuotes } from '../reading.ts';
import { listed, name, paragraphs } from '../wording.ts';
import { has, type Chat, type Play } from './chat.ts';
import { connectedOnes, listPlay, namesOf, unknownPlay } from './connected.ts';
import type { Intent } from './intent.ts';

/** With more that fit, the question is asked back. */
const MAX_SYSTEMS = 3;
const MAX_OVERVIEW = 3;
const SEARCH_LIMIT = 15;
const SEARCH_CHARACTERS = 300;
/** Questions of these kinds are about something else, whatever they name. */
const ELSEWHERE = new Set<Intent | undefined>([
  'introduction',
  'start investigation',
  'list investigations',
  'read investigation',
  'chart',
]);
/** Those that telemetry sources answer, unless a connected system has exactly what is asked for. */
const OF_TELEMETRY = new Set<Intent | undefined>(['logs', 'dependencies', 'services', 'metrics', 'alerts', 'sources']);
/** Words that only systems have in their names, so that it is worth searching for one. */
const LIKE_A_SYSTEM = /\b(?:db|database|databases)\b|[\p{L}\d]+[-_][\p{L}\d]/iu;

/** What a question asks of which systems. */
interface Request {
  topic?: Topic;
  systems: string[];
  asked: Asked;
}

/** @returns undefined if the question is about no connected system, as far as can be told */
export function systemsPlay(chat: Chat, intent: Intent | undefined): Play | undefined {
  const listing = listingIn(textOf(chat));
  if (listing !== undefined) return listPlay(chat, listing);
  const { connected } = chat.situation;
  const isSearched = connected.length === 0 && has(chat, SEARCH_TOOL);
  if ((connected.length === 0 && !isSearched) || ELSEWHERE.has(intent)) return undefined;
  const tools = isSearched ? foundTools([...chat.earlierCalls, ...chat.calls]) : connected;
  const search = isSearched ? nextSearch(chat, intent, tools) : undefined;
  if (search) return { next: () => search, answer: () => 'The connected systems were not searched: the time ran out.' };
  const request = requestOf(chat, tools);
  return playOf(chat, intent, tools, request);
}

function textOf({ question }: Chat): string {
  return question.text.slice(0, 20_000);
}

/** The question's own words first, then the operation of the system that they name. */
function nextSearch(chat: Chat, intent: Intent | undefined, tools: readonly ConnectedTool[]): Turn | undefined {
  const text = textOf(chat);
  const topic = topicOf(text);
  const mayBe =
    statementIn(text, []) !== undefined ||
    (topic !== undefined && standsAlone(topic, text)) ||
    kindsIn(text).length > 0 ||
    chat.situation.systems.some((system) => mentions(text, system)) ||
    (LIKE_A_SYSTEM.test(withoutQuotes(text)) && (topic !== undefined || !OF_TELEMETRY.has(intent)));
  if (!mayBe) return undefined;
  const whole = text.replaceAll(/\s+/gu, ' ').trim().slice(0, SEARCH_CHARACTERS);
  const [system] = namedSystems(text, tools);
  const operations = statementIn(text, []) === undefined ? (topic?.operations ?? OVERVIEW) : STATEMENT.operations;
  const wanted = topic ? operations.slice(0, 1) : operations;
  const isThere = tools.some((tool) => tool.system === system && wanted.includes(tool.operation));
  const exact = system !== undefined && !isThere ? `${wanted.map(spoken).join(' ')} ${system}` : undefined;
  const searches = [whole, ...(exact === undefined ? [] : [exact])].map((query) =>
    call(SEARCH_TOOL, { query, limit: SEARCH_LIMIT }),
  );
  const next = searches.find((planned) => !wasMade(chat, planned));
  return next && { text: 'Looking for the tools of the connected systems.', calls: [next] };
}

/** “The slow queries of orders” means orders-db; those of users-db do not, though it has a word of that name. */
function nearlyNamed(text: string, tools: readonly ConnectedTool[]): string[] {
  const unknown = words(unknownServiceIn(text) ?? '');
  return servicesIn(text, systemsOf(tools)).filter((system) => unknown.every((word) => words(system).includes(word)));
}

function requestOf(
  chat: Chat,
  tools: readonly ConnectedTool[],
): Request & { named: string[]; isAlone: boolean; words: string } {
  const text = textOf(chat);
  const statement = statementIn(text, systemsOf(tools));
  const outside = statement === undefined ? withoutQuotes(text) : withoutQuotes(text).replace(statement, ' ');
  const topic = statement === undefined ? topicOf(outside) : STATEMENT;
  const isAlone = topic !== undefined && standsAlone(topic, statement === undefined ? outside : text);
  const exact = namedSystems(outside, tools);
  const named = exact.length > 0 || !isAlone ? exact : nearlyNamed(outside, tools);
  const now = Date.parse(timeIn(chat.question.context) ?? '');
  return {
    ...(topic && { topic }),
    named,
    isAlone,
    systems: named.length > 0 ? named : topic ? before(chat, tools) : [],
    words: outside,
    asked: { text: statement === undefined ? text : outside, now, ...(statement !== undefined && { statement }) },
  };
}

/** “And the locks?” is about the system of the answer before. */
function before({ earlierCalls, question }: Chat, tools: readonly ConnectedTool[]): string[] {
  if (!/^(?:and|also|but|so|then|ok)\b|\b(?:it|its|they|their|that|this|there)\b/iu.test(question.text)) return [];
  const last = earlierCalls.toReversed().flatMap((made) => toolOf(made, tools) ?? [])[0];
  return last ? [last.system] : [];
}

const toolOf = (made: Call, tools: readonly ConnectedTool[]): ConnectedTool | undefined =>
  tools.find((tool) => callsTo(tool, [made]).length > 0);

function playOf(
  chat: Chat,
  intent: Intent | undefined,
  tools: readonly ConnectedTool[],
  { topic, named, isAlone, systems, asked, words: said }: ReturnType<typeof requestOf>,
): Play | undefined {
  const { statement } = asked;
  if (topic && systems.length === 0) {
    // A name that nothing has is asked back, where the words mean a connected system.
    const fitting = systemsOf(tools.filter(({ operation }) => topic.operations.includes(operation)));
    const unknown = unknownServiceIn(said.replaceAll(/\b(?:sql|query|quer(?:y|ies))\b/giu, ' '));
    if (!isAlone && !(unknown && /(?:^|[-_])db$|database/iu.test(unknown))) return undefined;
    if (unknown !== undefined && !/^(?:database|db|databases|postgres\w*|clickhouse)$/iu.test(unknown))
      return unknownPlay(chat, unknown, tools);
    if (fitting.length === 0) return isAlone ? { answer: () => nothingShows(topic, tools) } : undefined;
    if (fitting.length > MAX_SYSTEMS) return { answer: () => whichOne(fitting, tools) };
    if (statement !== undefined && fitting.length > 1) return { answer: () => whichOne(fitting, tools) };
    return reading(chat, tools, { topic, systems: fitting, asked });
  }
  if (systems.length === 0) return undefined;
  if (systems.length > MAX_SYSTEMS) return { answer: () => whichOne(systems, tools) };
  if (statement !== undefined && !isReading(statement))
    return { answer: () => `I only run statements that read, and this one does not begin like one: nothing was run.` };
  const own = tools.filter(({ system }) => systems.includes(system));
  if (topic && own.some(({ operation }) => topic.operations.includes(operation)))
    return reading(chat, tools, { topic, systems, asked });
  if (OF_TELEMETRY.has(intent) && named.length === 0) return undefined;
  // Its cause is sought in telemetry too, with what the database shows beside it.
  const isSought = intent === 'problem' && own.some(({ kind }) => isDatabase(kind));
  if (isSought && !topic) return undefined;
  const best = bestOf(own, said, systems);
  if (best)
    return reading(chat, tools, {
      topic: { title: spoken(best.operation), asked: /./u, operations: [best.operation] },
      systems: [best.system],
      asked,
    });
  if (OF_TELEMETRY.has(intent)) return undefined;
  const databases = systems.filter((system) => own.some((tool) => tool.system === system && isDatabase(tool.kind)));
  if (topic) return databases.length > 0 ? { answer: () => nothingShows(topic, own) } : undefined;
  return databases.length > 0 ? reading(chat, tools, { systems: databases, asked }) : undefined;
}

/** The tool whose words the question shares: one of its operation's at least. */
function bestOf(tools: readonly ConnectedTool[], text: string, systems: readonly string[]): ConnectedTool | undefined {
  const said = systems.reduce((left, system) => left.replaceAll(system, ' '), text);
  const scores = lexicalScores(
    said,
    tools.map(({ operation }) => operation.replaceAll('_', ' ')),
  );
  const also = lexicalScores(
    said,
    tools.map(({ description }) => description),
  );
  const best = tools
    .map((tool, index) => ({ tool, score: (scores[index] ?? 0) * 3 + (also[index] ?? 0), own: scores[index] ?? 0 }))
    .filter(({ own, tool }) => own > 0 && words(tool.operation.replaceAll('_', ' ')).length > 0)
    .toSorted((a, b) => b.score - a.score);
  return best[0]?.tool;
}

/** One tool's turn: its call, or what it lacks. */
interface Step {
  tool: ConnectedTool;
  planned: PlannedCall;
  input: Record<string, unknown>;
  missing: string[];
  made?: Call;
}

/** Reads each system, one operation; the next one where that fails. Without a topic: what tells how a database is. */
function reading(chat: Chat, tools: readonly ConnectedTool[], { topic, systems, asked }: Request): Play {
  const operations = topic?.operations ?? OVERVIEW;
  const steps = systems.flatMap((system): Step[] => {
    const having = operations.flatMap(
      (operation) => tools.find((tool) => tool.system === system && tool.operation === operation) ?? [],
    );
    const all = having.map((tool): Step => {
      const { input, missing } = inputFor(tool, { ...asked, ...(topic?.usualMs && { usualMs: topic.usualMs }) });
      const planned = callOf(tool, input);
      const made = callsTo(tool, chat.calls).findLast((one) => wasMade({ calls: [one] }, planned));
      return { tool, planned, input, missing, ...(made && { made }) };
    });
    if (!topic) return all.slice(0, MAX_OVERVIEW);
    const works = all.findIndex(({ made, missing }) => missing.length === 0 && !made?.isError);
    return works < 0 ? all : all.slice(0, works + 1).filter(({ missing }) => missing.length === 0);
  });
  const left = steps.filter(({ made, missing }) => !made && missing.length === 0);
  return {
    next() {
      if (left.length === 0) return undefined;
      const each = (of: (tool: ConnectedTool) => string): string =>
        listed([...new Set(left.map(({ tool }) => of(tool)))]);
      const systemsRead = each(({ system }) => name(system));
      const text =
        asked.statement === undefined
          ? `Reading ${each(({ operation }) => spoken(operation))} of ${systemsRead}.`
          : `Running the statement in ${systemsRead}.`;
      return { text, calls: left.map(({ planned }) => planned) };
    },
    answer(cutShort) {
      const most = wantedIn(asked.text);
      const parts = topic?.parts ?? (topic ? undefined : ['sessions']);
      const said = steps.map(({ tool, made, missing }) => {
        if (made) return say({ tool, call: made, ...(parts && { parts }), ...(most !== undefined && { most }) });
        if (missing.length > 0) return needs(tool, missing);
        return cutShort ? `${systemName(tool)} was not read: the time ran out.` : '';
      });
      const without = systems.filter((system) => !steps.some(({ tool }) => tool.system === system));
      const lacking = without.length > 0 && topic ? `${listed(without.map(name))} shows no ${topic.title}.` : '';
      const periods = steps.flatMap(({ input, made }) => (made ? (periodOf(input) ?? []) : []));
      const period = periods.length > 0 ? `This is what was recorded from ${listed([...new Set(periods)])}.` : '';
      return paragraphs(...said, period, lacking);
    },
  };
}

function needs(tool: ConnectedTool, missing: readonly string[]): string {
  return `To read ${spoken(tool.operation)} of ${systemName(tool)}, say which ${listed(missing.map(spoken))} you mean, for example in quotes.`;
}

function whichOne(systems: readonly string[], tools: readonly ConnectedTool[]): string {
  return `Which system do you mean? These fit: ${namesOf(tools.filter(({ system }) => systems.includes(system)))}.`;
}

function nothingShows({ title }: Topic, tools: readonly ConnectedTool[]): string {
  return `No connected system that could be meant shows ${title}. ${connectedOnes(tools)}`;
}
