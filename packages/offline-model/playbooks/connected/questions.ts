/** What a question asks of a connected system: patterns of questions, and the operations that answer them. */

/** A kind of question. */
export interface Topic {
  /** What is asked for, in a sentence. */
  title: string;
  asked: RegExp;
  /** Says so clearly that a connected system is meant that none has to be named. */
  alone?: RegExp;
  /** Operations that answer it, best first: the next is for systems without the one before, and where that fails. */
  operations: readonly string[];
  /** The lists that answer it, of results with several. */
  parts?: readonly string[];
  /** How far back to look, ms, where the question does not say. */
  usualMs?: number;
}

const DAY_MS = 24 * 60 * 60_000;

const SLOW = /\b(?:slow\w*|long\w*|expensive|heav\w+|costly|worst|top)\b/iu.source;
const STATEMENTS = /\b(?:quer(?:y|ies)|statements?|sql)\b/iu.source;

/** The question comes first; pasted text after it may be long. */
const READ_CHARACTERS = 2_000;

/** The first that fits counts. */
const TOPICS: readonly Topic[] = [
  {
    title: 'unused indexes',
    asked: /\bindex(?:es)?\b/iu,
    alone:
      /\b(?:unused|unneeded|unnecessary|useless)\b.*\bindex|\bindex(?:es)?\b.*\b(?:unused|not used|never used|unneeded)\b/iu,
    operations: ['unused_indexes'],
  },
  {
    title: 'replication',
    asked: /\breplicat\w*|\breplicas?\b|\bstandbys?\b|\bwal\b/iu,
    alone: /\breplication (?:lag|delay|slots?|status)\b/iu,
    operations: ['replication', 'replicas'],
  },
  {
    title: 'locks',
    asked: /\bblock(?:s|ed|ing|ers?)?\b|\b(?:dead)?lock(?:s|ed|ing)?\b/iu,
    alone: /\b(?:dead)?locks?\b|\bblock(?:s|ed|ing|ers?)\b/iu,
    operations: ['locks', 'processes'],
  },
  {
    title: 'slow queries',
    asked: new RegExp(`${SLOW}.*${STATEMENTS}|${STATEMENTS}.*(?:${SLOW}|\\btime\\b)`, 'iu'),
    alone: new RegExp(`${SLOW}.*${STATEMENTS}|${STATEMENTS}.*${SLOW}`, 'iu'),
    operations: ['slow_queries', 'activity', 'processes'],
    parts: ['sessions'],
  },
  {
    title: 'table columns',
    asked: /\b(?:describe|columns)\b/iu,
    operations: ['describe_table'],
  },
  {
    title: 'table sizes',
    asked: /\bhow (?:big|large)\b|\b(?:sizes?|largest|biggest|tables)\b/iu,
    alone: /\b(?:how (?:big|large)|sizes?|largest|biggest)\b.*\btables?\b|\btables?\b.*\b(?:big|large|sizes?)\b/iu,
    operations: ['tables'],
  },
  { title: 'parts and merges', asked: /\b(?:parts|merges?|mutations?)\b/iu, operations: ['parts_and_merges'] },
  {
    title: 'connections',
    asked: /\bconnect(?:ions?|ed (?:clients?|users?|sessions?))\b|\bsessions?\b/iu,
    operations: ['activity', 'processes'],
    parts: ['connections'],
  },
  {
    title: 'activity',
    asked: /\brunning\b|\bactiv(?:e|ity)\b|\bprocess(?:es)?\b|\bdoing\b/iu,
    operations: ['activity', 'processes'],
    parts: ['sessions'],
  },
  {
    title: 'changes',
    asked: /\bchang\w*|\bdeploy\w*|\breleases?\b|\baudit\b/iu,
    operations: ['audit_changes', 'changes', 'recent_changes', 'audit_log', 'deployments', 'activity_log'],
    usualMs: DAY_MS,
  },
  { title: 'issues', asked: /\b(?:issues?|incidents?)\b/iu, operations: ['issues'], usualMs: DAY_MS },
  { title: 'errors', asked: /\berrors?\b|\bexceptions?\b/iu, operations: ['errors', 'error_groups', 'worker_errors'] },
];

/** Whether the words mean a connected system, even where they name none. */
export const standsAlone = ({ alone }: Topic, text: string): boolean =>
  alone?.test(text.slice(0, READ_CHARACTERS)) ?? false;

/** What tells how a database is: read where it is named and nothing more is asked. */
export const OVERVIEW = ['locks', 'slow_queries', 'activity', 'processes', 'errors'] as const;

export const STATEMENT: Topic = {
  title: 'SQL statements',
  asked: /\b(?:run|sql|nrql|query|statement|execute)\b/iu,
  alone: /\b(?:run|sql|nrql|execute)\b/iu,
  operations: ['query', 'nrql'],
};

export function topicOf(text: string): Topic | undefined {
  const said = text.slice(0, READ_CHARACTERS);
  return TOPICS.find(({ asked }) => asked.test(said));
}

/** “Which databases are connected?” */
const CONNECTED =
  /^(?:please |can you )?(?:list|show)(?: me)?(?: all)?(?: the| my| our)? (?:connected )?(?:integrations|databases|vendors)\b(?! of)|\b(?:which|what) (?:\w+ )?(?:integrations?|databases?|vendors?)\b.*\b(?:connected|integrated|there|have|available)\b/iu;

/** @returns whether databases alone are asked for; undefined if the question is another */
export function listingIn(text: string): 'databases' | 'all' | undefined {
  if (!CONNECTED.test(text)) return undefined;
  return /\bdatabases?\b/iu.test(text) ? 'databases' : 'all';
}

/** How people call a kind of system. */
const KINDS: readonly (readonly [RegExp, string])[] = [
  [/\bpostgres(?:ql)?\b/iu, 'postgresql'],
  [/\bclickhouse\b/iu, 'clickhouse'],
  [/\bnew ?relic\b/iu, 'newrelic'],
  [/\bcloudflare\b/iu, 'cloudflare'],
  [/\b(?:google cloud|gcp|stackdriver)\b/iu, 'googlecloud'],
  [/\bazure(?: monitor)?\b/iu, 'azuremonitor'],
  [/\belastic(?:search)?\b/iu, 'elasticsearch'],
  [/\bopensearch\b/iu, 'opensearch'],
  [/\b(?:kubernetes|k8s)\b/iu, 'kubernetes'],
  [/\bmcp\b/iu, 'mcp'],
];

/** The kinds of system that a text names. */
export function kindsIn(text: string): string[] {
  return KINDS.filter(([said]) => said.test(text)).map(([, kind]) => kind);
}

const TITLES: Readonly<Record<string, string>> = {
  postgresql: 'PostgreSQL',
  clickhouse: 'ClickHouse',
  newrelic: 'New Relic',
  cloudflare: 'Cloudflare',
  googlecloud: 'Google Cloud',
  azuremonitor: 'Azure Monitor',
  elasticsearch: 'Elasticsearch',
  opensearch: 'OpenSearch',
  kubernetes: 'Kubernetes',
  mcp: 'MCP server',
};

/** A kind as its vendor writes it. */
export const kindTitle = (kind: string): string => TITLES[kind] ?? kind;

/** Whether systems of a kind run statements in SQL. */
export const isDatabase = (kind: string): boolean => kind === 'postgresql' || kind === 'clickhouse';

const FENCED = /```(?:sql)?\s*\n?([\s\S]+?)```|`([^`]+)`/iu;
const WRITES = 'insert|update|delete|merge|drop|alter|create|truncate|grant|revoke|vacuum|call|copy|set';
const READS = 'select|with|show|explain|values|describe|desc|exists|table';
const BEGINS = new RegExp(String.raw`^\s*(?:${READS}|${WRITES})\b`, 'iu');
const READING = new RegExp(String.raw`^\s*(?:${READS})\b`, 'iu');
/** “Run this SQL in orders-db: select …” and “query orders-db: select …”. */
const UNQUOTED = [
  String.raw`\b(?:run|execute|sql|nrql)(?:\s{1,3}(?:this|the|following|sql|nrql|query|statement|(?:on|in|against)\s{1,3}[\w.-]{1,100})){0,6}:?\s{1,5}`,
  String.raw`\b(?:query|sql|nrql|statement)\b[^\n:]{0,60}:\s{0,5}`,
].map((before) => new RegExp(String.raw`${before}((?:${READS}|${WRITES})\b[\s\S]+)`, 'iu'));

/** Whether a statement begins as one that only reads; the system itself looks closer. */
export const isReading = (sql: string): boolean => READING.test(sql);

/**
 * The statement that a person wants run: in backquotes, or the rest of the text after “run” or “SQL”.
 * @param systems whose names may follow it: `… in orders-db`
 */
export function statementIn(text: string, systems: readonly string[]): string | undefined {
  if (!STATEMENT.asked.test(text)) return undefined;
  const [, fenced, quoted] = FENCED.exec(text) ?? [];
  const given = (fenced ?? quoted)?.trim();
  if (given !== undefined && BEGINS.test(given)) return given;
  const rest = UNQUOTED.flatMap((pattern) => pattern.exec(text)?.[1] ?? [])[0];
  if (rest === undefined) return undefined;
  const target = /\s(in|on|from|against|at)\s+(?:the\s+)?([\w.-]{1,100}?)[.?!]?$/iu.exec(rest.trimEnd());
  const [, before = '', named = ''] = target ?? [];
  const isSystem = systems.some((system) => system.toLowerCase() === named.toLowerCase());
  // No statement ends in “in NAME”; one may well end in “from NAME”.
  const isTarget = target !== null && (isSystem || /^(?:in|against|at)$/iu.test(before));
  return (isTarget ? rest.slice(0, target.index) : rest).trim().replace(/;\s*$/u, '');
}
