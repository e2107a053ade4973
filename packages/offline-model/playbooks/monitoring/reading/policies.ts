/** How grave a finding is and what happens on it, as people write it. */
import type { FindingAction, Severity } from '../../../../../src/features/monitoring-agents/plan/schema.ts';
import { DURATION, durationOf, NUMBER, numberOf } from './numbers.ts';
import { take, type Passage } from './passage.ts';

export interface Policy {
  severity?: Severity;
  on_finding?: FindingAction[];
  judge?: boolean;
  confirmations?: number;
  cool_down_seconds?: number;
  dedup_key?: string;
}

const SEVERITY = String.raw`(?<severity>critical|crit|severe|urgent|highest|high|warning|warn|medium|normal|info(?:rmational)?|low|minor|p[1-4]|sev ?[1-4])`;
const SAID_SEVERITY = new RegExp(
  String.raw`(?:,|;|\band\b|\bwith\b|\bas\b|\s)*\b(?:(?:severity|priority|importance|level of severity)\s*(?:is|to|of|:|=)?\s*${SEVERITY}\b|${SEVERITY.replace('severity', 'before')}\s+(?:severity|priority|importance)\b|(?:make|mark|treat|set|classify|consider|is|are|as|it's)\s+(?:it|this|that|them|all|these|those|everything|each)?\s*(?:as\s+|to\s+|an?\s+)?(?<made>critical|crit|severe|urgent|warning|warn|info|minor)(?=\s*(?:$|[.,;!)]|\b(?:instead|now|please|and|finding|if|when)\b)))`,
  'iu',
);
/** At the end of a statement or between commas the word alone is enough. */
const ALONE =
  /(?:,|;|\(|:|–|[-=]>|-|→)\s*(?<alone>critical|crit|severe|urgent|warning|info|minor)\b(?:\s+(?:finding|alert|severity))?\s*(?=$|[.,;)!])\)?|^(?<first>critical|warning|info)\s*:\s*/iu;

/** `p99 checkout >1s 5m crit` */
const TERSE =
  /(?<!\b(?:is|are|be|gets?|becomes?|goes|was|at|for|about|of|the|a))\s+(?<terse>crit|critical|sev ?[1-4])\s*[.!]?$|^\s*(?<own>crit|critical|sev ?[1-4])\s*[.!]?$/iu;
/** `make the log check critical`: what is named stays to be read. */
const MADE =
  /(?<=\b(?:make|mark|treat|set|classify|consider)\b[^.;]{1,80})\s(?:as\s+|to\s+)?(?<made>critical|severe|urgent|warning|info)\b(?=\s*(?:$|[.,;!?]|\b(?:and|but|then)\b))/iu;

const SEVERITIES: [RegExp, Severity][] = [
  [/^(?:crit|sever|urgent|high|p1|sev ?1)/i, 'critical'],
  [/^(?:info|low|minor|p[34]|sev ?[34])/i, 'info'],
  [/./, 'warning'],
];

const WHEN = String.raw`(?:\s+(?:if|when|whenever|once|in case)\s+(?:(?:something|anything|it|that|this|one|there)(?:'s|\s+is|\s+are|\s+goes|\s+looks|\s+seems|\s+happens)?(?:\s+(?:is|goes|looks|seems))?(?:\s+(?:off|wrong|found|bad|strange|unusual|odd|broken|a\s+(?:finding|problem)|happens|up))?|(?:a|any)\s+(?:problem|finding|issue)\w*(?:\s+is\s+found)?|not|so))?`;
const LEAD = String.raw`(?:,|;|\band\b|\bbut\b|\bplease\b|\bthen\b|\s)*`;
const ONLY_NOTIFY = new RegExp(
  String.raw`${LEAD}\b(?:(?:only|just)\s+(?:notify|notifications?|inform|message|ping)(?:\s+(?:me|us))?|(?:only|just)\s+(?:tell|alert|warn)\s+(?:me|us)(?!\s+(?:if|when)\s+\S+\s+\S+\s+\S)|notif(?:y|ications?)\s+(?:me\s+|us\s+)?only|(?:do\s+not|don['’]?t|dont|never|no)\s+(?:need\s+to\s+)?(?:open\s+|start\s+|launch\s+|run\s+)?(?:an?\s+|any\s+)?investigat\w*|without\s+(?:opening\s+|starting\s+)?(?:an?\s+|any\s+)?investigat\w*|(?:stop|no\s+longer|disable|turn\s+off|switch\s+off|skip)\s+(?:the\s+)?investigat\w*)${WHEN}`,
  'iu',
);
const ONLY_INVESTIGATE = new RegExp(
  String.raw`${LEAD}\b(?:(?:only|just)\s+(?:investigate|open\s+an\s+investigation|start\s+an\s+investigation)|(?:do\s+not|don['’]?t|dont|never)\s+(?:notify|tell|alert|message|ping)(?:\s+(?:me|us|anybody|anyone))?|(?:no|without)\s+notif\w+|silently\s+investigate)${WHEN}`,
  'iu',
);
const BOTH = new RegExp(
  String.raw`${LEAD}\b(?:(?:notify|tell|alert|warn|inform|message|ping)\s+(?:me|us|the\s+team|people)?\s*and\s+)?(?:(?:open|start|launch|begin|create|trigger|run)\s+(?:an?|the)\s+investigation|investigate(?:\s+(?:it|that|this|them))?(?=\s*(?:$|[.,;!]|\b(?:if|when|whenever|and|too|as|for)\b)))(?:\s+(?:too|as\s+well))?${WHEN}`,
  'iu',
);
/** Says nothing that is not so anyway. */
const JUST_TELL = new RegExp(
  String.raw`${LEAD}\b(?:notify|tell|alert|warn|inform|ping|message|page|let\s+(?:me|us)\s+know)(?:\s+(?:me|us|the\s+team))?\s+(?:if|when|whenever|once)\s+(?:something|anything|it|that|there|a\s+(?:problem|finding))\s*(?:'s|is|are|goes|looks|seems|happens|fails|breaks)?\s*(?:off|wrong|found|bad|strange|unusual|odd|broken|happening|a\s+(?:finding|problem))?(?=\s*(?:$|[.,;!?]))`,
  'iu',
);
const WHEN_ALONE = new RegExp(
  String.raw`${LEAD}\b(?:if|when|whenever)\s+(?:(?:something|anything)\s+(?:is|goes|looks|seems|'s)?\s*(?:off|wrong|bad|strange|unusual|odd|broken|happens|breaks)|(?:it|this|that|they|one)\s+(?:breaks?|is\s+broken|(?:goes|gets|is|looks)\s+(?:wrong|bad|off|weird|strange|odd)|acts?\s+up|misbehaves?|happens?|has\s+(?:a\s+)?(?:problems?|issues?|trouble)))`,
  'iu',
);

const JUDGE = new RegExp(
  String.raw`${LEAD}\b(?:(?:let|have)\s+(?:a|the)\s+model\s+(?:judge|look|decide|check)\w*[^.,;]{0,40}|only\s+(?:if|when)\s+(?:it(?:'s|\s+is)\s+)?(?:really\s+)?worth\s+[^.,;]{0,30}|judge\s+(?:the\s+)?findings?(?:\s+first)?)`,
  'iu',
);
const IN_A_ROW = new RegExp(
  String.raw`${LEAD}\b(?:(?:only\s+)?(?:if|when|after)\s+(?:it\s+(?:happens|fails|is\s+so)\s+)?)?(?<count>twice|thrice|${NUMBER})\s*(?:times|runs?|checks?|x)?\s*(?:in\s+a\s+row|consecutive(?:ly)?(?:\s+(?:times|runs?|checks?))?|running)`,
  'iu',
);
const COOL_DOWN = new RegExp(
  String.raw`${LEAD}\b(?:with\s+(?:a\s+)?)?cool[- ]?down\s*(?:period|time)?\s*(?:of|to|is|:)?\s*(?<length>${DURATION})`,
  'iu',
);

/** All that a check sees at once is one finding. */
const ONE_FINDING = new RegExp(
  String.raw`${LEAD}\b(?:(?:report|tell|count|take|treat|group|put)\s+(?:me\s+|us\s+)?(?:it|this|that|them|all|everything|findings)?\s*(?:together\s+)?)?(?:as|in(?:to)?)\s+(?:one|a\s+single|the\s+same)\s+(?:finding|incident|problem)(?:\s+(?:for|of|over|across)\s+(?:all|every|the\s+whole)(?:\s+(?:of\s+)?(?:the\s+)?[\p{L}-]+)?)?`,
  'iu',
);

/** Takes everything out of the passage that says how grave a finding is and what happens on it. */
export function takePolicy(passage: Passage): Policy {
  const policy: Policy = {};
  const severity = takeSeverity(passage);
  if (severity) policy.severity = severity;
  const count = take(passage, IN_A_ROW)?.groups?.['count']?.toLowerCase();
  const runs = count === 'twice' ? 2 : count === 'thrice' ? 3 : numberOf(count ?? '');
  if (runs !== undefined) policy.confirmations = Math.min(20, Math.max(1, Math.round(runs)));
  const coolDown = durationOf(take(passage, COOL_DOWN)?.groups?.['length'] ?? '');
  if (coolDown !== undefined) policy.cool_down_seconds = Math.min(7 * 86_400, coolDown);
  if (take(passage, ONE_FINDING)) policy.dedup_key = '{check}';
  if (take(passage, JUDGE)) policy.judge = true;
  if (take(passage, ONLY_NOTIFY)) policy.on_finding = ['notify'];
  else if (take(passage, ONLY_INVESTIGATE)) policy.on_finding = ['investigate'];
  else if (take(passage, BOTH)) policy.on_finding = ['notify', 'investigate'];
  take(passage, JUST_TELL);
  take(passage, WHEN_ALONE);
  return policy;
}

function takeSeverity(passage: Passage): Severity | undefined {
  const { severity, before, made } = (take(passage, SAID_SEVERITY) ?? take(passage, MADE))?.groups ?? {};
  const { terse, own } = (severity ?? before ?? made) ? {} : (take(passage, TERSE)?.groups ?? {});
  const { alone, first } = (severity ?? before ?? made ?? terse ?? own) ? {} : (take(passage, ALONE)?.groups ?? {});
  const said = severity ?? before ?? made ?? terse ?? own ?? alone ?? first;
  return said === undefined ? undefined : SEVERITIES.find(([word]) => word.test(said))?.[1];
}
