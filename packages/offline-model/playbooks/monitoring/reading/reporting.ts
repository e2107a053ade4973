/** Where a person wants to be told, as they write it: `tell #ops on Slack`, `email ops@example.com`, `page the on-call`. */
import { take, type Passage } from './passage.ts';

const EMAIL = String.raw`[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}`;
const ADDRESS = String.raw`(?:https?:\/\/[^\s,;)]{1,300}|${EMAIL}|(?<![\w/])#[\p{L}\d][\p{L}\d_-]{0,79}|(?<![\w.])@[\p{L}][\p{L}\d_-]{0,79})`;
const SERVICE = String.raw`(?:slack|pager\s?duty|ops\s?genie|victorops|e-?mails?|(?:ms|microsoft)\s+teams|teams|discord|telegram|sms|text\s+messages?|whatsapp|matrix|mattermost|google\s+chat|web\s?hooks?|phone)\b`;
const PEOPLE = String.raw`(?:(?:the|our|my|whole|entire)\s+)+(?:[\p{L}\d-]+\s+)?(?:on[- ]?calls?|team|channel|room|group|sre|sres|ops|people|engineers?|manager|boss)\b|(?:on[- ]?call|everyone|everybody|sre|ops|devops)\b`;
const TARGET = String.raw`(?:(?:the|our|my)\s+)?(?:${ADDRESS}|${SERVICE})(?:\s+(?:channel|room|group))?`;
/** Up to where it is said what is to be told of. */
const GAP = String.raw`(?:(?!\b(?:if|when|whenever|once|about|of|that|whether|for)\b)[^.;?!]){0,40}?`;
const LEAD = String.raw`(?:,|;|\band\b|\bbut\b|\bplease\b|\bthen\b|\balso\b|\bjust\b|\s)*`;
const TELL = String.raw`(?<!n['’]?t\s)(?<!not\s)(?<!never\s)(?:tell|notify|alert|page|ping|inform|message|warn|post|send|report|write|forward|deliver|route|escalate|publish|let)`;
const WHERE = String.raw`(?:\s*(?:,|\bor\b|\band\b|&)?\s*(?:(?:via|through|by|over|using|on|in|at|to|with)\s+)?(?:${TARGET}))`;

const TOLD = new RegExp(
  String.raw`${LEAD}\b${TELL}\b${GAP}\s(?<named>(?:${TARGET}|(?:to|in|on|via)\s+(?:${PEOPLE}))${WHERE}*)(?:\s+(?:instead|too|as well|please))*`,
  'iu',
);
const TOLD_PEOPLE = new RegExp(
  String.raw`${LEAD}\b${TELL}\s+(?<named>${PEOPLE})${WHERE}*(?:\s+(?:instead|too|as well|please))*`,
  'iu',
);
/** Only where no more than being told can be meant. */
const PAGED = new RegExp(
  String.raw`${LEAD}\b(?<!n['’]?t\s)(?<!not\s)(?<!never\s)(?<named>(?:page|e-?mail|text|call|sms|phone)\s+(?:${EMAIL}|me|us|them|him|her|${PEOPLE})(?:\s+(?:at|on|via)\s+(?:${TARGET}))?)`,
  'iu',
);
const BY = new RegExp(
  String.raw`(?:\s|,)*\b(?:(?:via|through|by|over|using)\s+(?<by>${TARGET})|(?:in|on|to)\s+(?<at>${ADDRESS}|slack\b|pager\s?duty\b)(?:\s+(?:on|in)\s+${SERVICE})?)`,
  'iu',
);
const LOOSE = new RegExp(
  String.raw`(?<named>(?:https?:\/\/[^\s,;)]{1,300}|${EMAIL}|(?<![\w/])#[\p{L}][\p{L}\d_-]{0,79}))`,
  'iu',
);
const MOST = 6;
const ASKED = /^\s*(?:,\s*)?(?:if|when|whenever|once|about)\b/iu;

/**
 * Takes out what says where to report; a condition behind it stays, as what is to be told of.
 * @returns what was named, in the person's words
 */
export function takeReporting(passage: Passage): string[] {
  const named: string[] = [];
  for (const pattern of [TOLD, TOLD_PEOPLE, PAGED, BY, LOOSE]) {
    for (let count = 0; count < MOST; count += 1) {
      const found = pattern.exec(passage.text);
      if (!found) break;
      const { named: said, by, at } = found.groups ?? {};
      const behind = passage.text.slice(found.index + found[0].length);
      const isAtEnd = pattern === BY || pattern === LOOSE;
      // Somebody is to be told of what comes behind it.
      const instead = !isAtEnd && ASKED.test(behind) ? ' ; tell me' : ' ';
      named.push((said ?? by ?? at ?? '').replace(/^(?:to|in|on|via)\s+/iu, '').trim());
      take(passage, pattern);
      passage.text = `${passage.text.slice(0, found.index)}${instead}${passage.text.slice(found.index)}`;
    }
  }
  return [...new Set(named)].filter(Boolean).slice(0, MOST);
}
