/** What people ask of a monitoring agent that it does not do; taken out, so that it is told of and not misread. */
import { DURATION, TIME_UNIT } from './numbers.ts';
import { take, takeAll, type Passage } from './passage.ts';

export interface Unable {
  /** Things to be done to the system, or elsewhere. */
  acts: string[];
  /** An end of watching: `for the next 2 hours`. */
  ends: string[];
  /** Being told of grave things only. */
  bySeverity: string[];
}

const LEAD = String.raw`(?:,|;|\band\b|\bthen\b|\bplease\b|\balso\b|\bautomatically\b|\s)*`;
const WHEN = String.raw`(?:\s+(?:automatically|for me|then))*(?:\s+(?:if|when|whenever|once)\s+(?:it|that|this|they|something)\s+[^.,;]{1,40})?`;
const OBJECT = String.raw`(?:it|them|that|this|(?:the|our|its|their|any|all)\s+[\p{L}\d-]+|[\p{L}\d]+-[\p{L}\d-]+)`;
const ACT = new RegExp(
  String.raw`${LEAD}\b(?<said>(?:(?:auto[- ]?)?(?:restart|reboot|redeploy|kill|fix|heal|repair|drain|terminate|scale)(?:\s+(?:up|down|out))?\s+${OBJECT}(?:\s+(?:up|down|out|back))?|roll(?:\s|-)?back(?:\s+${OBJECT}|\s+the\s+[\p{L}-]+)?|roll\s+${OBJECT}\s+back|(?:open|create|file|raise|log)\s+(?:a|an)\s+(?:[\p{L}]+\s+)?(?:ticket|jira|issue|incident|bug|pull request|pr)\b(?:\s+(?:in|on)\s+[\p{L}]+)?)${WHEN})`,
  'iu',
);
const ENDS = new RegExp(
  String.raw`(?:,|\s)*\b(?<said>(?:for|over|during|in)\s+the\s+(?:next|coming|following)\s+(?:${DURATION}|(?:few\s+|couple\s+of\s+)?${TIME_UNIT}\b|night|weekend)|(?:until|till)\s+(?:tomorrow|tonight|midnight|noon|the\s+\S+|next\s+\S+|(?:mon|tues|wednes|thurs|fri|satur|sun)day|\d{1,2}(?:[:.]\d{2})?\s?(?:[ap]m)?\b)(?:\s+(?:morning|evening|night|at\s+\d{1,2}(?:[:.]\d{2})?))?|just\s+for\s+(?:today|tonight|now))`,
  'iu',
);
const GRAVE =
  /(?:,|\s)*\b(?<said>(?:only|just)\s+(?:tell|page|notify|alert|ping|e-?mail|message)\s+(?:me|us)?\s*(?:for|about|on|of|if\s+it(?:'s|\s+is)|when\s+it(?:'s|\s+is))\s+(?:the\s+)?(?:critical|severe|urgent|grave|important|serious)(?:\s+(?:ones|things|findings?|alerts?|stuff|issues?|problems?))?)(?=\s*(?:$|[.,;!]))/iu;

export function takeUnable(passage: Passage): Unable {
  const said = (pattern: RegExp): string[] =>
    takeAll(passage, pattern, 4).map(({ groups }) => (groups?.['said'] ?? '').trim());
  const severity = take(passage, GRAVE)?.groups?.['said'];
  return { acts: said(ACT), ends: said(ENDS), bySeverity: severity === undefined ? [] : [severity.trim()] };
}

/** What is said of it. @param quoted how the person's words are shown */
export function unableLines({ acts, ends, bySeverity }: Unable, quoted: (text: string) => string): string[] {
  return [
    ...acts.map(
      (one) => `${quoted(one)}: I do not do that. I watch, tell and investigate, and change nothing in your systems.`,
    ),
    ...ends.map(
      (one) => `${quoted(one)}: nothing ends by itself here. I go on until you say “pause” or take the check out.`,
    ),
    ...bySeverity.map(
      (one) =>
        `${quoted(one)}: I tell of findings of every severity in the same place. A check can be kept from telling: “only investigate the log check”, say.`,
    ),
  ];
}
