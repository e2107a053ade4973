/**
 * What a person wants, read from nothing but the person's own words. Whatever tools return, however it is worded, cannot
 * change it.
 */
import { readInstruction, type Instruction } from './editing/instructions.ts';

export type LookupKind = 'logs' | 'changes' | 'dependencies' | 'metric';

export type Intent =
  | { kind: 'introduction' | 'thanks' | 'problem' | 'unclear' | 'no instruction' }
  | { kind: 'overview'; of: 'alerts' | 'services' | 'sources' | 'metrics' }
  | { kind: 'lookup'; kinds: LookupKind[] }
  /** A question about the answer before it. */
  | { kind: 'about answer'; of: AnswerPart; evidence?: number }
  /** `instead`: the question is looked into here, since no investigation may be started. */
  | { kind: 'start investigation'; instead?: boolean }
  /** `whole`: what it came to, rather than a detail of it. */
  | { kind: 'read investigation'; id?: string; whole?: boolean }
  | { kind: 'list investigations' }
  /** `of`: what is to be looked up for it. */
  | { kind: 'chart'; of: LookupKind[] }
  | { kind: 'edit'; instruction: Instruction };

export type AnswerPart = 'next step' | 'confidence' | 'ruled out' | 'timeline' | 'evidence' | 'why' | 'service';

/** What is asked is said at the beginning; what is pasted behind it may be long. */
const READ_CHARACTERS = 2_000;

/** What the chat is about, as far as it decides what words mean. */
export interface IntentContext {
  /** An earlier question of the chat was answered by a search for a cause. */
  answeredCause: boolean;
  /** The chat, or an earlier question in it, is about an investigation. */
  aboutInvestigation: boolean;
}

export const UUID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/i;

const GREETING =
  /^(?:hi|hello|hey|hallo|yo|howdy|greetings|good (?:morning|afternoon|evening|day))\b[\s,!.]*(?:there|casebook|all|everyone|again|bot)?[\s!.?]*$/i;
const WHO =
  /^(?:(?:hi|hello|hey)[\s,!.]+)?(?:please\s+)?(?:help(?: me)?|who are you|what are you|what(?: things)? can (?:you do|i ask(?: you)?)(?: for me)?|how do(?:es)? (?:you|this|it) work|what do you do|introduce yourself|are you (?:an? )?(?:ai|bot|human|llm|real)|which model (?:are you|is this)|what model (?:are you|is this))[\s?!.]*$/i;
const THANKS =
  /^(?:ok(?:ay)?|thanks?|thank you|thx|cheers|great|nice|perfect|cool|good|got it|awesome|well done)(?:[\s,!.]+(?:ok(?:ay)?|thanks?|thank you|so much|a lot|very much|then|that helps?|for (?:that|the help|your help)|casebook|great|perfect|(?:very )?helpful|job|work))*[\s!.]*$/i;

const START =
  /^(?:(?:please|now|ok(?:ay)?|hey|hi)[\s,]+)*(?:(?:can|could|would|will) you\s+(?:please\s+)?)?(?:(?:start|launch|run|open|begin|trigger|kick off|create|do|make)\s+(?:an?|the|another|a new|new)?\s*(?:full\s+|new\s+|deep\s+)?investigation\b|(?:re-?)?investigate\b)|\b(?:want|like|need) (?:you )?to (?:(?:start|run) an investigation|investigate)\b/i;
const ONE_INVESTIGATION =
  /\b(?:(?:what|which)\b.*\b(?:investigation|report)\b.*\b(?:f(?:ou|i)nd|conclu|say|said|result|show|name)|(?:last|latest|previous|recent|finished|completed|this|that|the)\s+(?:\w+\s+)?(?:investigation|report)\b|(?:summari[sz]e|read|show|open|explain)\b.*\b(?:investigation|report)\b|(?:result|outcome|status|findings?) of (?:the |an? |my )?investigation)/i;
const INVESTIGATIONS = /\b(?:list|show|which|what|all|recent|latest)\b.*\binvestigations\b/i;
const FOLLOW =
  /\b(?:is (?:it|the investigation) (?:done|finished|ready|complete|still running)|what did (?:it|you) find|any results?)\b/i;

const CHART = /\b(?:chart|plot|graph|visuali[sz](?:e|ation)|draw|diagram|sparkline)\b/i;
const NO_CHART = /\b(?:dependency|service|call) graph\b/i;

const CAUSE =
  /\bwhy\b|\broot[- ]cause|\bcaus(?:e|es|ed|ing)\b|\bwhat(?:'s| is| was| went|s)? (?:wrong|broken|going wrong|the (?:problem|issue|matter|reason))\b|\bwhat broke\b|\bdiagnos/i;
const TROUBLE =
  /\b(?:fail(?:s|ed|ing|ure|ures)?|errors?|slow(?:er|ly|ness)?|down|outages?|broken|crash\w*|degrad\w*|latenc\w*|time-?outs?|timing out|unavailable|unreachable|5\d\d s?|500s|spik\w*|problems?|issues?|incidents?|troubles?|wrong|hang\w*|stuck|unhealthy|what happened|alert(?:s|ing|ed)?|fir(?:es|ed|ing)|not (?:work\w*|respond\w*)|doesn'?t work|is \S+ (?:ok(?:ay)?|healthy|up|alright|fine)|what(?:'s| is) (?:going on|up|happening) with|status of|health of|high|too (?:many|few|much)|drop\w*)\b/i;

const HEALTH = /^(?:and )?how (?:is|are) \S+(?: \S+)?(?: doing)?(?: now)?\s*\??$/i;

const ALERTS =
  /\b(?:which|what|list|show|any|are there|current|all)\b[^.?!]*\b(?:alerts?|alarms?)\b|\balerts?\b[^.?!]*\b(?:firing|fired|active|open)\b|^(?:is|are|was|were) (?:any ?thing|something|there (?:any|some)thing|there any (?:problems?|issues?|incidents?))\b(?!.*\bwith\b)|\bany (?:problems?|issues?|incidents?|outages?)\b(?!.*\bwith\b)|\bwhat(?:'s| is) (?:going on|up|happening)(?: right now| now| today)?\??$/i;
const SERVICES = /\b(?:list|show|which|what|name|all)\b[^.?!]*\bservices\b/i;
const SERVICES_IN_RELATION =
  /(?<![\w-])(?:depend|call|use|affect|suffer|impact|fail|slow|down|broken|error|upstream|downstream|cause|fault|talk|reli|rely|chang|deploy|log)/i;
const SOURCES =
  /\b(?:list|show|which|what|name|all)\b[^.?!]*\b(?:sources|data ?sources|recordings|incidents|telemetry|systems)\b/i;
const METRICS = /\b(?:list|show|which|what)\b[^.?!]*\bmetrics\b/i;

const LOGS = /\blogs?\b|\blog ?lines?\b|\berror messages?\b|\bstack ?traces?\b|\b(?:search|grep|look) for ["“'`]/i;
const CHANGES =
  /\bwhat (?:has |was |have )?(?:been )?(?:changed|deployed|released|rolled out)\b|\b(?:which|what|show|list|see|give|any|recent|latest|last|who|when|were there|about|did (?:any|some)(?:one|body))\b[^.?!]*\b(?:changes?|changed|deploy(?:s|ed|ment|ments)?|releases?|released|roll-?outs?|flags?)\b|^(?:and )?(?:the )?(?:recent )?(?:changes|deploy(?:s|ments))\??$/i;
const DEPENDENCIES =
  /\bdepend(?:s|ent|ents|ing|ency|encies)?\b|\b(?:up|down)stream\b|\bcallers?\b|\bcallees?\b|\b(?:who|what|which(?: services?)?)\b[^.?!]*\b(?:calls?|uses?|relies|rely|talks?)\b|\bblast radius\b|\b(?:affected|impacted|suffers?|impact of)\b|\b(?:call|service|dependency) graph\b/i;
const METRIC =
  /\b(?:p\d\d|percentile|latenc(?:y|ies)|response times?|error[- ]?(?:rate|ratio)s?|cpu|memory|heap|throughput|request[- ]?rates?|rps|qps|traffic|utili[sz]ation|throttl\w+|connections?|pool|restarts?|replicas|disk|metric)\b/i;
const DRAWN_METRIC = new RegExp(String.raw`${METRIC.source}|\b(?:errors?|requests?)\b`, 'i');
const ASKS_VALUE =
  /^(?:(?:and|please|now|ok(?:ay)?|can you|could you)[\s,]+)*(?:what|show|how|give|tell|check|get|query|read|see|which|value)\b|\?$/i;

const NEXT_STEP =
  /\bwhat (?:should|do|can|could|shall) (?:i|we) do\b|\bhow (?:do|can|should|could|would) (?:i|we|you) (?:fix|solve|mitigate|repair|resolve|stop)\b|\bnext steps?\b|\b(?:mitigat|remed)\w*\b|\bhow to fix\b|\brecommend\w*\b|\bshould (?:i|we) roll ?back\b|\bwhat now\b/i;
const CONFIDENCE = /\bhow (?:sure|certain|confident|likely)\b|\bconfidence\b|\bare you (?:sure|certain)\b|\breally\?$/i;
const RULED_OUT =
  /\brul(?:e|ed|ing) out\b|\bexclud\w*\b|\bother (?:suspects?|causes?|candidates?|hypothes\w+|explanations?)\b|\bwhat else\b|\balternatives?\b/i;
const TIMELINE =
  /\btime ?line\b|\bwhen (?:did|does|has) (?:it|this|that|they|the (?:incident|problem|outage|errors?))\b[^.?!]*\b(?:start|begin|began|happen|end)|\bsince when\b|\bonset\b|\bin what order\b/i;
const EVIDENCE =
  /\b(?:evidence|tool result|result|citation|source)\s*(?:no\.?|number|#)?\s*\[?(\d{1,4})\]?|\[(\d{1,4})\]/i;
const WHY_SO =
  /^(?:but |and )?(?:why|how come|how so)\??$|\bwhy do you (?:think|say|believe)\b|\bhow do you know\b|\bwhat(?:'s| is) (?:the|your) evidence\b|\bshow (?:me )?(?:the |your )?evidence\b|\bprove it\b/i;
const SUSPECT =
  /^(?:and |but |so |ok(?:ay)?,? )*(?:what|how) about\b|^(?:and |but |so )*(?:is|was|could|can|might|isn'?t|wasn'?t) (?:it|this|that)\b|^(?:and |but |so )*(?:is|was|could|might) (?:the )?\S+(?: \S+)? (?:be )?(?:to blame|at fault|guilty|the (?:cause|culprit|problem|reason)|involved|responsible|innocent|a victim)\b|\bwhy not\b|\bcould it be\b|\b(?:to blame|at fault|the culprit)\b/i;

export function readIntent(text: string, context: IntentContext): Intent {
  const instruction = readInstruction(text.trim());
  if (instruction) return { kind: 'edit', instruction };
  const said = text.trim().slice(0, READ_CHARACTERS);
  if (said === '' || GREETING.test(said) || WHO.test(said)) return { kind: 'introduction' };
  if (THANKS.test(said)) return { kind: 'thanks' };
  return (
    investigationIntent(said, context) ??
    (CHART.test(said) && !NO_CHART.test(said) ? { kind: 'chart', of: drawn(said) } : undefined) ??
    (context.answeredCause ? answerIntent(said) : undefined) ??
    lookIntent(said)
  );
}

function investigationIntent(said: string, { aboutInvestigation }: IntentContext): Intent | undefined {
  if (START.test(said)) return { kind: 'start investigation' };
  if (INVESTIGATIONS.test(said)) return { kind: 'list investigations' };
  const id = UUID.exec(said)?.[0];
  if (
    (id !== undefined && /\b(?:investigation|report|find|found|summar)/i.test(said)) ||
    ONE_INVESTIGATION.test(said)
  ) {
    return { kind: 'read investigation', id };
  }
  return aboutInvestigation && FOLLOW.test(said) ? { kind: 'read investigation' } : undefined;
}

function answerIntent(said: string): Intent | undefined {
  const parts: [RegExp, AnswerPart][] = [
    [NEXT_STEP, 'next step'],
    [CONFIDENCE, 'confidence'],
    [RULED_OUT, 'ruled out'],
    [TIMELINE, 'timeline'],
    [WHY_SO, 'why'],
  ];
  const cited = EVIDENCE.exec(said);
  if (cited) return { kind: 'about answer', of: 'evidence', evidence: Number(cited[1] ?? cited[2]) };
  const part = parts.find(([asked]) => asked.test(said))?.[1];
  if (part) return { kind: 'about answer', of: part };
  return SUSPECT.test(said) && lookups(said).length === 0 ? { kind: 'about answer', of: 'service' } : undefined;
}

function lookIntent(said: string): Intent {
  if (CAUSE.test(said)) return { kind: 'problem' };
  if (ALERTS.test(said)) return { kind: 'overview', of: 'alerts' };
  if (SERVICES.test(said) && !SERVICES_IN_RELATION.test(said)) return { kind: 'overview', of: 'services' };
  if (METRICS.test(said)) return { kind: 'overview', of: 'metrics' };
  const kinds = lookups(said);
  if (kinds.length > 0) return { kind: 'lookup', kinds };
  if (SOURCES.test(said)) return { kind: 'overview', of: 'sources' };
  return { kind: TROUBLE.test(said) || HEALTH.test(said) ? 'problem' : 'unclear' };
}

/** What a chart is to show. */
export function drawn(text: string): LookupKind[] {
  const said = text.slice(0, READ_CHARACTERS);
  const kinds: [LookupKind, RegExp][] = [
    ['logs', LOGS],
    ['changes', /\b(?:changes?|deploys?|deployments?|releases?|roll-?outs?)\b/i],
    ['dependencies', DEPENDENCIES],
    ['metric', DRAWN_METRIC],
  ];
  return kinds.filter(([, asked]) => asked.test(said)).map(([kind]) => kind);
}

/** Everything that is to be looked up; a question may ask for several things. */
function lookups(said: string): LookupKind[] {
  const kinds: [LookupKind, boolean][] = [
    ['logs', LOGS.test(said)],
    ['changes', CHANGES.test(said)],
    ['dependencies', DEPENDENCIES.test(said)],
    ['metric', METRIC.test(said) && ASKS_VALUE.test(said) && !LOGS.test(said)],
  ];
  return kinds.filter(([, asked]) => asked).map(([kind]) => kind);
}
