/** What a person wants of a monitoring agent, read from nothing but their own words. */
import { readInstruction } from '../conversation/editing/instructions.ts';
import { readIntent } from '../conversation/intent.ts';
import { readAsked, type Asked } from './asked.ts';
import { FILLER, hasSettings, readWishes } from './reading/wishes.ts';
import { plain } from './reading/quotes.ts';
import { takeReporting } from './reading/reporting.ts';
import { takeSchedule } from './reading/schedules.ts';
import { takeNewLimit } from './reading/thresholds.ts';
import { takeUnable } from './reading/unable.ts';
import type { Reading, Service } from './reading/wish.ts';

export type Request =
  | {
      kind:
        | 'introduction'
        | 'thanks'
        | 'pause'
        | 'resume'
        | 'plan'
        | 'findings'
        | 'sessions'
        | 'unclear'
        | 'channel'
        | 'remark'
        | Asked;
    }
  | { kind: 'run' | 'test'; of: string }
  | { kind: 'remove'; of: string; everything: boolean }
  | { kind: 'toggle'; of: string; enabled: boolean }
  /** Something of checks there are is to be different. */
  | { kind: 'change' }
  /** Something new is to be watched. */
  | { kind: 'watch' }
  /** A question about the system, which a chat answers. */
  | { kind: 'question' };

const POLITE = String.raw`^(?:(?:please|now|then|and|also|ok(?:ay)?|so|well|hey|hi|hello|thanks?)[\s,.!]+)*(?:(?:can|could|would|will) you\s+(?:please\s+)?|i(?:'d| would) like you to\s+|i want you to\s+)?`;
const ALL = String.raw`(?:it|all|everything|the agent|this agent|yourself|monitoring|watching|checking|all (?:the )?checks|the checks|the (?:whole )?monitoring|the plan|notifications)`;
const PAUSE = new RegExp(
  String.raw`${POLITE}(?:pause|suspend|halt|stop|deactivate|disable|mute|be quiet|sleep|take a break)(?:\s+${ALL})*(?:\s+(?:for now|please|now|until further notice|for a while|today|tonight))*\s*[.!]*$`,
  'iu',
);
const RESUME = new RegExp(
  String.raw`${POLITE}(?:resume|un-?pause|continue|go on|start(?:\s+again)?|restart|re-?activate|activate|enable|wake up|carry on|un-?mute)(?:\s+${ALL})*(?:\s+(?:again|please|now))*\s*[.!]*$`,
  'iu',
);
const TOGGLE = new RegExp(
  String.raw`${POLITE}(?<verb>pause|suspend|disable|deactivate|mute|switch off|turn off|enable|re-?enable|resume|un-?pause|un-?mute|activate|switch on|turn on)\s+(?<of>.+)$`,
  'iu',
);
const DELETE = new RegExp(
  String.raw`${POLITE}(?:delete|remove|destroy|kill)\s+(?:the|this|your)?\s*(?:agent|yourself|chat|monitoring agent)\s*[.!]*$`,
  'iu',
);
const PLAN =
  /\b(?:what|which)\b[^.?!]*\b(?:(?:are|do) you (?:not )?(?:watch\w*|monitor\w*|check\w*|look\w* at)|is (?:being )?(?:watched|monitored|checked)|(?:your|the|current) plan|checks? (?:are|do|is)|is (?:the|your) plan)\b|\b(?:show|list|read|print|see|give)\b[^.?!]*\b(?:plan|checks)\b|\bwhat(?:['’]s| is| are) (?:the|your) (?:thresholds?|limits?|intervals?|schedules?|severit\w+|quiet hours)\b|^(?:the )?(?:plan|status|checks)\??$|\bhow (?:often|frequently) do you\b|\bwhat do you (?:watch|monitor|check|do)\b|\bare you (?:still )?(?:watching|monitoring|active|paused|running|alive|on|healthy|working)\b|\b(?:how are you|how do you stand|are you ok(?:ay)?)\b|\bwhen (?:do|will|is) (?:you|the next|it)\b[^.?!]*\b(?:check|run|due|next)\b/iu;
const FINDINGS =
  /\b(?:did|have|has) you (?:found|find|see|seen|notice[ds]?|detect(?:ed)?)\b|\bany(?:thing)? (?:findings?|found|new|wrong|off|unusual|to report|happen(?:ed)?|problems?|alerts?)\b|\b(?:list|show|which|what)\b[^.?!]*\b(?:findings?|(?:have|did) you (?:found|find|see|seen))\b|\bwhat did you find\b|\b(?:is|was) (?:everything|all|it all) (?:ok(?:ay)?|fine|good|quiet|well|green|healthy)\b|\bhow (?:does|do) (?:it|things) look\b|^(?:any )?findings\??$|\bwhat(?:'s| is) (?:open|going on|wrong)\b/iu;
const SESSIONS =
  /\b(?:last|latest|recent|previous) (?:runs?|checks?|sessions?|results?)\b|\b(?:history|sessions|runs)\b|\bwhen did you (?:last )?(?:check|run|look)\b|\bhow did (?:the|your) (?:last )?(?:checks?|runs?)\b|\bwhat (?:did|do) (?:the|your) checks? (?:say|show)\b|\bdid (?:it|the checks?|you) (?:run|check|work|fail)\b|\bwhy did (?:the|a|that) check fail\b/iu;
const RUN = new RegExp(
  String.raw`${POLITE}(?:(?:run|execute|trigger|do|perform|start|check)\s+(?<of>(?:it|them|all|everything|the|this|that|your|every|each)?[^.?!]{0,80}?)\s*\b(?:right now|now|immediately|at once|once|again)\b|check now|run (?:it|them|all|everything|the checks?|all (?:the )?checks|now)|check (?:it|everything|all of it) (?:right )?now)\s*[.!]*$`,
  'iu',
);
const TEST = new RegExp(
  String.raw`${POLITE}(?:test|try|dry[- ]?run)(?:\s+(?:out\s+)?(?<of>(?:it|them|all|the|this|that|your|every|each)\b[^.?!]{0,80}?|[^.?!]{0,40}\bchecks?)?)?(?:\s+(?:out|now|first|please))*\s*[.!?]*$`,
  'iu',
);
const REMOVE = new RegExp(
  String.raw`${POLITE}(?:(?:remove|delete|drop|cancel|forget(?: about)?|get rid of|take out|throw out)\s+(?<a>.+)|(?:stop|quit|no longer|do not|don['’]?t|dont|never)\s+(?:watch(?:ing)?|monitor(?:ing)?|check(?:ing)?|look(?:ing)? (?:at|for|after)|track(?:ing)?|observ(?:e|ing)|(?:alert|notify|page|ping|bother|warn)(?:ing)? (?:me |us )?(?:about|on|for|of)|tell(?:ing)? (?:me|us) about)\s+(?<b>.+)|(?<c>.+?)\s+(?:is|are) no longer (?:needed|interesting|relevant))$`,
  'iu',
);
const CHANGE =
  /\b(?:instead|change|set|make|raise|lower|increase|decrease|reduce|adjust|switch|from now on|less often|more often)\b|\b(?:check|run|do|look|watch|monitor)\s+(?:it|this|that|them|everything|all of (?:it|them))\b/iu;
/** Nothing but a change begins like this. */
export const SETS = new RegExp(
  String.raw`${POLITE}(?:change|set|make|raise|lower|increase|decrease|reduce|adjust|switch)\b`,
  'iu',
);
const ADD = /\b(?:also|as well|too|in addition|additionally|another|add|furthermore)\b/iu;
const WATCHES =
  /\b(?:watch|monitor|observe|keep an eye|look (?:for|whether|if)|track|(?:tell|alert|notify|warn|page|inform|ping) (?:me|us) (?:if|when|whenever|about|of)|let (?:me|us) know|check (?:that|whether|if|for))\b/iu;
const RENAMES = /^\W*(?:please\s+)?(?:rename|retitle|relabel)\b/iu;
/** What is to happen on findings, not now. */
const INVESTIGATES = /^\W*(?:and\s+)?(?:(?:only|just)\s+)?investigate\s+(?:for|findings?|if|when)\b/iu;
/** A question in form only. */
const BIDS =
  /^\W*(?:(?:ok(?:ay)?|so|and|also|cool|great|please|now|hey|hi)[\s,.!]+)*(?:can|could|would|will) you (?:please |also |maybe |kindly )*(?:watch|monitor|keep|track|observe|look (?:at|out|for)|alert|warn|notify|tell|let|check|add)\b/iu;
const QUESTION =
  /^(?:why|how|what|which|who|when|where|is|are|was|were|does|do|did|has|have|show|list|plot|draw|chart|investigate|start an investigation|find the|explain|give me|tell me (?:about|the|what|why|how|which)|search the|read|create|edit|write)\b/iu;
const CHANNEL = /\b(?:slack|e-?mail|webhook|channel|pagerduty|teams|discord|sms|telegram)\b/iu;
const ASKS_WHERE =
  /\bwhere (?:do|does|will|are|is) (?:you|it|they|findings?)\b[^.?!]*\b(?:report|sent?|post|notif|go|told)|\bhow (?:will|do|are|would|can) (?:you|i|we)\b[^.?!]*\b(?:tell|notify|report|alert|know|learn|told|notified|informed)\b(?! (?:if|whether|that|which))|\bwho (?:is|gets|will be) (?:told|notified|alerted|informed)\b/iu;
const REPORTS = /\b(?:report|send|post|notify|deliver|message|write|forward|where|how)\b/iu;

/** @param services that are known by now @param hasChecks whether anything is watched already */
export function readRequest(text: string, services: readonly Service[], hasChecks: boolean): Request {
  const said = plain(text);
  const base = readIntent(said, { answeredCause: false, aboutInvestigation: false });
  if (base.kind === 'introduction' || base.kind === 'thanks') return { kind: base.kind };
  const control = readControl(said);
  if (control) return control;
  if (ASKS_WHERE.test(said)) return { kind: 'channel' };
  const passage = { text: said };
  const { bySeverity } = takeUnable(passage);
  if (takeReporting(passage).length + bySeverity.length > 0 && FILLER.test(passage.text)) return { kind: 'channel' };
  if (!/[\p{L}\p{N}]/u.test(said) || RENAMES.test(said)) return { kind: 'unclear' };
  if (hasChecks && INVESTIGATES.test(said)) return { kind: 'change' };
  const reading = readWishes(text, services);
  const isWatching = WATCHES.test(said) || isBid(said, reading);
  if (hasChecks && SETS.test(said) && isChange(said, reading)) return { kind: 'change' };
  if (!isWatching && isQuestion(said, base.kind)) return { kind: 'question' };
  if (hasChecks && isChange(said, reading)) return { kind: 'change' };
  if (reading.wishes.length > 0)
    return isWatching ||
      ADD.test(said) ||
      !hasChecks ||
      reading.wishes.some(({ settings }) => hasSettings(settings)) ||
      hasLimit(reading)
      ? { kind: 'watch' }
      : { kind: 'question' };
  if (!isWatching && CHANNEL.test(said) && REPORTS.test(said)) return { kind: 'channel' };
  if (isWatching || reading.named.unknown.length > 0) return { kind: 'watch' };
  if (hasSettings(reading.settings)) return { kind: hasChecks ? 'change' : 'watch' };
  return { kind: 'unclear' };
}

function readControl(said: string): Request | undefined {
  if (DELETE.test(said)) return { kind: 'delete' };
  const control = readAsked(said, true);
  if (control) return { kind: control };
  if (PAUSE.test(said)) return { kind: 'pause' };
  if (RESUME.test(said)) return { kind: 'resume' };
  const toggle = TOGGLE.exec(said)?.groups;
  if (toggle && !/^(?:the\s+)?investigat/iu.test(toggle['of'] ?? '')) {
    return {
      kind: 'toggle',
      of: toggle['of'] ?? '',
      enabled: /^(?:enable|re-?enable|resume|un|activate|.* on$)/iu.test(toggle['verb'] ?? ''),
    };
  }
  const run = RUN.exec(said);
  if (run) return { kind: 'run', of: run.groups?.['of']?.trim() ?? '' };
  const test = TEST.exec(said);
  if (test) return { kind: 'test', of: test.groups?.['of']?.trim() ?? '' };
  const removed = REMOVE.exec(said)?.groups;
  const of = removed?.['a'] ?? removed?.['b'] ?? removed?.['c'];
  // `don't check on weekends` takes no check out.
  const isQuiet =
    /^(?:on|at|between|during|in|over|from|before|after)\b/iu.test(of ?? '') &&
    takeSchedule({ text: said }).quiet_hours !== undefined;
  if (of !== undefined && !isQuiet && !readInstruction(said)) {
    return {
      kind: 'remove',
      of,
      everything: /^(?:all|every|everything|any)\b(?:\s+(?:of\s+)?(?:it|them|the checks?|checks?))?[\s.!]*$/iu.test(of),
    };
  }
  if (WATCHES.test(said) && !said.includes('?')) return undefined;
  const asked = readAsked(said, false);
  if (asked) return { kind: asked };
  if (PLAN.test(said)) return { kind: 'plan' };
  if (FINDINGS.test(said) && !/\binvestigation\b/iu.test(said)) return { kind: 'findings' };
  return SESSIONS.test(said) ? { kind: 'sessions' } : undefined;
}

function isQuestion(said: string, base: string): boolean {
  if (
    base === 'edit' ||
    base === 'start investigation' ||
    base === 'read investigation' ||
    base === 'list investigations'
  )
    return /^(?!.*\bevery\b)/iu.test(said);
  return (
    (QUESTION.test(said) || said.endsWith('?')) &&
    !/\bevery\s+(?:\d|minute|hour|day|week|second|morning|evening)/iu.test(said)
  );
}

/** Nothing new is named, or what is named is to be different. */
function isChange(said: string, { wishes, settings }: Reading): boolean {
  if (ADD.test(said) && wishes.length > 0) return false;
  const isSensitivity =
    /\b(?:more|less|too) sensitive\b|\bfewer (?:false )?(?:alarms|alerts|findings)\b|\b(?:too|so|very|pretty|quite) (?:noisy|chatty|spammy)\b|\btoo many (?:false )?(?:alarms|alerts|findings|notifications|messages|pages)\b/iu.test(
      said,
    );
  if (isSensitivity) return true;
  if (wishes.some(({ subject }) => subject.kind === 'instruction')) return false;
  const saysSettings =
    hasSettings(settings) ||
    wishes.some((wish) => hasSettings(wish.settings)) ||
    takeNewLimit({ text: said }).threshold !== undefined;
  if (!saysSettings) return false;
  if (wishes.length === 0) return !WATCHES.test(said) || /\bcheck\b/iu.test(said);
  if (/^(?:please\s+)?(?:check|run|look at|read)\s+(?:the|my|your|those|these)\b/iu.test(said)) return true;
  // Without a word that begins something new it is said of what is watched already.
  if (!WATCHES.test(said) && wishes.every(({ subject }) => subject.kind === 'health')) return true;
  return CHANGE.test(said) && !/\b(?:watch|monitor|(?:tell|alert|notify|warn) (?:me|us) (?:if|when))\b/iu.test(said);
}

/** `can you also look at the latency of gateway?` */
function isBid(said: string, reading: Reading): boolean {
  return BIDS.test(said) && (ADD.test(said) || hasLimit(reading) || hasSettings(reading.settings));
}

function hasLimit({ wishes }: Reading): boolean {
  return wishes.some(({ subject }) => 'limit' in subject && Object.keys(subject.limit).length > 0);
}
