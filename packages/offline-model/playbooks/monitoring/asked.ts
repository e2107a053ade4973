/** What people ask of an agent about itself beside its plan and its findings: its cost, its silence, to undo, to snooze. */
import { DURATION } from './reading/numbers.ts';

export type Asked =
  | 'snooze'
  | 'undo'
  | 'history'
  | 'cost'
  | 'missed'
  | 'standing'
  | 'acknowledge'
  | 'delete'
  | 'findings'
  | 'plan';

const UNTIL = String.raw`(?:(?:for|until|till|over|during)\s+(?:the\s+)?(?:next\s+|coming\s+)?(?:${DURATION}|(?:a\s+)?(?:few|couple(?:\s+of)?|\d+)\s+(?:minutes|hours|days)|an?\s+(?:minute|hour|day|week)\b|tomorrow\b|tonight\b|(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|(?:the\s+)?(?:morning|evening|weekend|night)\b|noon\b|midnight\b|\d{1,2}(?:[:.]\d{2})?\s?(?:[ap]m)?\b))`;
const ASKED: [RegExp, Asked][] = [
  [
    new RegExp(
      String.raw`\b(?:snooz\w+|remind me)\b|^(?:\W*(?:please|can you|could you|now|and)\s*)*(?:pause|mute|silence|suspend|disable|stop|sleep|shut up|be quiet|hold)\b(?!\s+(?:watching|checking|monitoring)\s+[^.]*\bfor\s+[^\d])[^.;]{0,80}?\b${UNTIL}`,
      'iu',
    ),
    'snooze',
  ],
  [
    /^\W*(?:(?:please|no|oh no|oops|sorry|wait|actually|can you|could you|and)[\s,!.]+)*(?:undo|revert|roll ?back|take (?:that|it) back|go back|restore|put (?:it|that) back|change (?:it|that) back)\b(?:\s+(?:that|it|this|the\s+(?:last\s+|previous\s+|latest\s+)?(?:change|plan|edit|one)|my (?:last )?change|to (?:the )?(?:previous|old|last)(?:\s+(?:plan|version|one))?|to (?:how|what|as) it was(?: before)?|as it was|please|again|again please))*\W*$/iu,
    'undo',
  ],
  [
    /\b(?:what|who|when|how|why|show|list|see|did)\b[^.?!]*\b(?:chang\w*|edit\w*|modif\w*|updat\w*|histor\w+|versions?)\b[^.?!]*\b(?:plan|checks|agent|thresholds?|limits?)\b|\b(?:plan|agent)(?:['’]s)?\s+(?:history|versions?|changes)\b|\bversions? of (?:the|your) plan\b|\bwhat did (?:i|you|we|he|she|they|someone|somebody|anyone) change\b/iu,
    'history',
  ],
  [
    /\bhow (?:much|expensive)\b[^.?!]*\b(?:cost\w*|spen[dt]\w*|pay|money|tokens?|budget|price\w*|is (?:this|it|that)|are you)\b|\b(?:what|which)\b[^.?!]*\b(?:costs?|price|budget|tokens?)\b|\b(?:are you|is (?:this|it)|does (?:this|it)) (?:cost\w*|expensive|free)\b|^\W*(?:costs?|budget|spend(?:ing)?)\W*$|\bdo you (?:spend|cost|use (?:any )?tokens)\b/iu,
    'cost',
  ],
  [
    /\b(?:why|how come)\b[^.?!]*\b(?:not|n['’]t|didnt|wasnt|werent|havent|never|nobody|no one|no)\b[^.?!]*\b(?:tell|told|alert\w*|notif\w*|warn\w*|page[ds]?|report\w*|inform\w*|messag\w*|ping\w*|notic\w*|find|found|finding|findings|catch|caught|see|seen|detect\w*|say|said|investigat\w*)\b|\byou (?:totally |completely |have )?missed\b|\b(?:did|have) you miss\b|\bwhy (?:so|are you|were you|have you been) (?:quiet|silent)\b|\byou (?:didn['’]?t|did not|never|haven['’]?t) (?:tell|told|alert|notify|warn|page|report|notice|catch|see)\b/iu,
    'missed',
  ],
  [
    /\b(?:why|since when|how long)\b[^.?!]*\b(?:you|agent|it)\b[^.?!]*\b(?:degraded|unhealthy|failing|broken|stuck)\b|\bwhat(?:['’]s| is) (?:wrong|the (?:problem|matter)|up) with (?:you|the agent|the checks?|your checks?)\b|\b(?:which|what|any|are|is|do|does|did|why|how many)\b[^.?!]*\b(?:checks|(?:the|a|that|this|your|my) check)\b[^.?!]*\b(?:fail\w*|degraded|broken|not (?:work\w*|run\w*))\b|\bwhich\b[^.?!]*\bfail\w*\b[^.?!]*\bchecks\b|\b(?:are|is) (?:you|the agent) (?:failing|broken|degraded)\b|\b(?:are|do) (?:you|all (?:the )?checks|the checks|your checks) (?:all )?(?:work\w*|run\w*|healthy|ok(?:ay)?|able to see)\b|^\W*(?:is|are|does|do) (?:it|this|that|everything|you|they) (?:still )?(?:work\w*|run\w*|up)\W*$|^\W*(?:health|errors|failures)\W*$/iu,
    'standing',
  ],
  [
    /^\W*(?:please\s+)?(?:ack(?:nowledge)?d?|resolve|close|dismiss|mark)\b(?![^.;]*\b(?:as\s+)?(?:critical|severe|urgent|warning|info)\b)[^.;]{0,60}$|\bfalse (?:alarm|positive)s?\b(?!\s+(?:rate|ratio))|\bknown (?:issue|problem)\b|\bwe(?:['’]re| are) (?:on it|aware|working on it)\b|\bwe (?:already )?know\b|^\W*(?:please\s+)?ignore\b|\b(?:it|this|that)(?:['’]s| is| was) (?:expected|planned|intentional|nothing|a (?:test|deploy|drill)|maintenance)\b|\bplanned maintenance\b/iu,
    'acknowledge',
  ],
  [
    /^\W*(?:and\s+)?how (?:do|can|could|would|to|should) (?:i|we|you|one)?\s*(?:stop|end|delete|remove|kill|turn off|get rid of|cancel|switch off) (?:you|this|it|the agent|this agent|everything)\b/iu,
    'delete',
  ],
  [
    /\bwhat(?:ever)? (?:you(?:['’]ve| have)? (?:found|find|saw|seen|noticed))\b|^\W*(?:anything|any ?news|all good|all ok(?:ay)?|all quiet|everything (?:ok(?:ay)?|fine|good|quiet)|how(?:['’]s| is) it (?:going|looking)|what(?:['’]s| is) new|news|updates?|any updates?|report|summary|so|still (?:ok(?:ay)?|good|fine))\W*$|\b(?:summar\w+|recap)\b[^.?!]*\bfindings?\b|\b(?:summar\w+|recap|report)\b[^.?!]*\b(?:last night|overnight|the night|happened)\b|\bwhat (?:was|were|has been|have been) (?:found|seen|noticed)\b|\bwhat happened (?:last night|overnight|today|yesterday|while|since)\b|\b(?:how was|how did)\s+(?:the|last|your)\s+(?:night|day|shift|weekend)\b/iu,
    'findings',
  ],
  [
    /\btell (?:me|us) (?:the|your|about (?:the|your)) (?:plan|checks)\b|^\W*(?:what|which) (?:checks|services) (?:are|do|is)\b[^.?!]*\b(?:you|there|watched|covered|monitored)\b/iu,
    'plan',
  ],
];

/** Wanted of the agent whatever else the words may mean. */
const CONTROLS: ReadonlySet<Asked> = new Set(['snooze', 'undo', 'missed', 'delete']);

/** @param controls what comes before all else, or the other questions @returns undefined when it is about something else */
export function readAsked(said: string, controls: boolean): Asked | undefined {
  return ASKED.find(([pattern, asked]) => CONTROLS.has(asked) === controls && pattern.test(said))?.[1];
}
