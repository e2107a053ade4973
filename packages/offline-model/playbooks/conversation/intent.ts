/**
 * Reads what a person wants from their own words alone, so that tool results cannot change it. The first pattern that
 * fits counts; if none fits, the answer says so.
 */

export type LookupKind = 'logs' | 'changes' | 'dependencies' | 'metric' | 'alerts' | 'services' | 'sources' | 'metrics';

export type AnswerPart = 'next step' | 'confidence' | 'ruled out' | 'timeline' | 'why';

export type Intent =
  | { kind: 'introduction' | 'thanks' | 'problem' | 'unclear' | 'start investigation' | 'list investigations' }
  | { kind: 'read investigation'; id?: string }
  | { kind: 'lookup'; of: LookupKind }
  | { kind: 'about answer'; of: AnswerPart }
  | { kind: 'chart' };

/** The question comes first; pasted text after it may be long. */
const READ_CHARACTERS = 2_000;

export const UUID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/i;

const GREETING = /^(?:hi|hello|hey|good (?:morning|afternoon|evening))\b[\s,!.]*(?:there|casebook|all)?[\s!.?]*$/i;
const WHO =
  /^(?:(?:hi|hello|hey)[\s,!.]+)?(?:please\s+)?(?:help(?: me)?|(?:who|what) are you|what can (?:you do|i ask(?: you)?)|how do(?:es)? (?:you|this|it) work|which model (?:are you|is this))[\s?!.]*$/i;
const THANKS =
  /^(?:ok(?:ay)?|thanks?|thank you|thx|cheers|great|nice|perfect|cool|got it)(?:[\s,!.]+(?:thanks?|thank you|so much|a lot|very much|great|for (?:that|the help|your help)|casebook))*[\s!.]*$/i;
const START =
  /^(?:(?:please|now|ok(?:ay)?)[\s,]+)*(?:(?:can|could|would) you\s+(?:please\s+)?)?(?:(?:start|launch|run|open|begin|trigger|do)\s+(?:an?|the|another|a new|new)?\s*(?:full\s+)?investigation\b|(?:re-?)?investigate\b)/i;
const INVESTIGATIONS = /\b(?:list|show|which|what|all|recent)\b.*\b(?:investigations|reports)\b/i;
const ONE_INVESTIGATION =
  /\b(?:last|latest|previous|recent|this|that|the|an?)\s+(?:\w+\s+)?(?:investigation|report)\b|\bwhat did (?:it|you) find\b/i;
const CHART = /\b(?:chart|plot|visuali[sz]\w*|draw|diagram)\b/i;

const PARTS: [RegExp, AnswerPart][] = [
  [
    /\bwhat (?:should|do|can|could) (?:i|we) do\b|\bhow (?:do|can|should) (?:i|we) (?:fix|solve|mitigate|resolve)\b|\bnext steps?\b|\brecommend|\broll ?back\b|\bwhat now\b/i,
    'next step',
  ],
  [/\bhow (?:sure|certain|confident|likely)\b|\bconfidence\b|\bare you (?:sure|certain)\b/i, 'confidence'],
  [/\brul(?:e|ed|ing) out\b|\bother (?:suspects?|causes?|candidates?)\b|\bwhat else\b|\balternatives?\b/i, 'ruled out'],
  [/\btime ?line\b|\bwhen did (?:it|this|that)\b|\bsince when\b|\bonset\b/i, 'timeline'],
  [/^(?:but |and )?(?:why|how come)\??$|\bwhy do you (?:think|say)\b|\bhow do you know\b|\bevidence\b/i, 'why'],
];

const LOOKUPS: [RegExp, LookupKind][] = [
  [/\blogs?\b|\blog ?lines?\b|\berror messages?\b|\bstack ?traces?\b|\b(?:search|grep|look) for ["“`]/i, 'logs'],
  [
    /\bwhat (?:has |was |have )?(?:been )?(?:changed|deployed|released|rolled out)\b|\b(?:changes|deploys|deployments|releases|roll-?outs)\b/i,
    'changes',
  ],
  [
    /\bdepend(?:s|ents?|ency|encies)?\b|\b(?:up|down)stream\b|\bcallers?\b|\bblast radius\b|\b(?:who|what|which(?: services?)?)\b[^.?!]*\b(?:calls?|uses?)\b|\btraces?\b|\bspans?\b/i,
    'dependencies',
  ],
  [/\b(?:alerts?|alarms?)\b|\bany (?:problems?|issues?|incidents?|outages?)\b/i, 'alerts'],
  [/\b(?:list|show|which|what|name|all)\b[^.?!]*\bservices\b/i, 'services'],
  [/\b(?:list|show|which|what)\b[^.?!]*\bmetrics\b/i, 'metrics'],
  [/\b(?:list|show|which|what)\b[^.?!]*\b(?:sources|incidents|recordings|telemetry|systems)\b/i, 'sources'],
];
const CAUSE =
  /\bwhy\b|\broot[- ]cause|\bcaus(?:e|es|ed|ing)\b|\bwhat(?:'s| is| was| went)? (?:wrong|broken)\b|\bdiagnos/i;
const METRIC =
  /\b(?:p\d\d|latenc(?:y|ies)|response times?|error[- ]?(?:rate|ratio)s?|cpu|memory|heap|throughput|request[- ]?rates?|rps|traffic|utili[sz]ation|throttl\w+|connections?|pool|restarts?|disk|queue|metric)\b/i;
const ASKS_VALUE = /^(?:(?:and|please|now|can you)[\s,]+)*(?:what|show|how|give|tell|check|get)\b|\?$/i;
const TROUBLE =
  /\b(?:fail\w*|errors?|slow\w*|down|outages?|broken|crash\w*|degrad\w*|latenc\w*|time-?outs?|timing out|unavailable|unreachable|5\d\d|500s|spik\w*|problems?|issues?|incidents?|wrong|stuck|unhealthy|happened|high|health\w*)\b/i;

/** @param hasCause an earlier answer named a cause */
export function readIntent(text: string, hasCause: boolean): Intent {
  const said = text.trim().slice(0, READ_CHARACTERS);
  if (said === '' || GREETING.test(said) || WHO.test(said)) return { kind: 'introduction' };
  if (THANKS.test(said)) return { kind: 'thanks' };
  if (START.test(said)) return { kind: 'start investigation' };
  if (INVESTIGATIONS.test(said)) return { kind: 'list investigations' };
  const id = UUID.exec(said)?.[0];
  if (ONE_INVESTIGATION.test(said) || (id !== undefined && /\binvestigation|report|f(?:i|ou)nd\b/i.test(said)))
    return { kind: 'read investigation', ...(id !== undefined && { id }) };
  if (CHART.test(said)) return { kind: 'chart' };
  const part = hasCause ? PARTS.find(([asked]) => asked.test(said))?.[1] : undefined;
  if (part) return { kind: 'about answer', of: part };
  if (CAUSE.test(said)) return { kind: 'problem' };
  const of = LOOKUPS.find(([asked]) => asked.test(said))?.[1];
  if (of) return { kind: 'lookup', of };
  if (METRIC.test(said) && ASKS_VALUE.test(said)) return { kind: 'lookup', of: 'metric' };
  return { kind: TROUBLE.test(said) ? 'problem' : 'unclear' };
}
