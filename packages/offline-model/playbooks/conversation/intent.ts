/**
 * Reads what a person wants from their own words alone, so that tool results cannot change it. The first pattern that
 * fits counts; if none fits, the answer says so.
 */

export type LookupKind = 'logs' | 'changes' | 'dependencies' | 'metric' | 'alerts' | 'services' | 'sources' | 'metrics';

export type Intent =
  | LookupKind
  | 'introduction'
  | 'start investigation'
  | 'list investigations'
  | 'read investigation'
  | 'chart'
  | 'pull request'
  | 'problem';

/** The question comes first; pasted text after it may be long. */
const READ_CHARACTERS = 2_000;

export const UUID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/i;

/** Whether a service is well. */
const HEALTH =
  /^(?:is|are|has|have)\b.*\b(?:ok(?:ay)?|up|fine|healthy|working|normal|stable|back|over|fixed|resolved|recovered|down|slow|failing|broken|degraded|unhealthy|now|still|again)\b|\b(?:status|health) of\b/i;
const NOW = /\b(?:now|currently|at the moment|still)\b/i;

const INTENTS: [RegExp, Intent][] = [
  [
    /^(?:hi|hello|hey|help|thanks?|thank you|who are you|what are you|what can (?:you do|i ask))\b.{0,20}$/i,
    'introduction',
  ],
  [
    /^(?:please |can you |could you )*(?:(?:start|launch|run|open) an? (?:new )?investigation|investigate)\b/i,
    'start investigation',
  ],
  [
    /\b(?:open|create|make|suggest|propose|prepare)\b.*\b(?:pull|merge) request\b|\brevert\b.*\b[\da-f]{7,40}\b/i,
    'pull request',
  ],
  [/\b(?:list|show|which|what|all|recent)\b.*\b(?:investigations|reports)\b/i, 'list investigations'],
  [/\b(?:chart|plot|visuali[sz]\w*|draw|diagram)\b/i, 'chart'],
  [
    /\b(?:last|latest|previous|this|that|the) (?:investigation|report)\b|\bwhat did (?:it|you) find\b/i,
    'read investigation',
  ],
  [UUID, 'read investigation'],
  [/\bwhy\b|\bcaus(?:e|es|ed|ing)\b|\bwhat(?:'s| is| was| went)? (?:wrong|broken)\b|\bdiagnos/i, 'problem'],
  [/\blogs?\b|\berror messages?\b|\bstack ?traces?\b|\b(?:search|grep|look) for ["“`]/i, 'logs'],
  [
    /\bwhat (?:has |was )?(?:been )?(?:changed|deployed|released)\b|\b(?:changes|deploys|deployments|releases)\b/i,
    'changes',
  ],
  [
    /\bdepend\w*|\b(?:up|down)stream\b|\bcallers?\b|\bblast radius\b|\b(?:who|what|which(?: services?)?) (?:calls?|uses?)\b|\bdoes\b.*\b(?:call|use)\b|\btraces?\b|\bspans?\b/i,
    'dependencies',
  ],
  [/\balerts?\b|\bany (?:problems?|issues?|incidents?|outages?)\b/i, 'alerts'],
  [/\b(?:list|show|which|what|all)\b.*\bservices\b/i, 'services'],
  [/\b(?:list|show|which|what|all)\b.*\bmetrics\b/i, 'metrics'],
  [/\b(?:list|show|which|what|all)\b.*\b(?:sources|incidents|recordings|systems)\b/i, 'sources'],
  [HEALTH, 'metric'],
  [
    /^(?=.*\b(?:p\d\d|latency|response time|error[- ]?rate|cpu|memory|throughput|request[- ]?rate|rps|traffic|utili[sz]ation|throttling|connections?|pool|restarts?|disk|queue|metric)\b)(?:.*\?$|(?:and|please)?\s*(?:what|show|how|give|get)\b)/is,
    'metric',
  ],
  [
    /\b(?:fail\w*|errors?|slow\w*|down|outages?|broken|crash\w*|degrad\w*|latency|time-?outs?|timing out|unavailable|unreachable|5\d\d|spik\w*|problems?|issues?|incidents?|wrong|stuck|unhealthy|happened|high)\b/i,
    'problem',
  ],
  [NOW, 'metric'],
];

export function readIntent(text: string): Intent | undefined {
  const said = text.trim().slice(0, READ_CHARACTERS);
  return INTENTS.find(([pattern]) => pattern.test(said))?.[1];
}

/** No report of the past, and no result of an earlier question, answers it. */
export const isAboutNow = (text: string): boolean => HEALTH.test(text) || NOW.test(text);
