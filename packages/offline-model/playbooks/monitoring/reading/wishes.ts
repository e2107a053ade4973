/** What a person wants watched, when, and what then: read from their own words and the names of the services there are. */
import type { Passage } from './passage.ts';
import { leftover } from './leftovers.ts';
import { takePolicy } from './policies.ts';
import { hideQuotes, plain, unhide, type Hidden } from './quotes.ts';
import { takeReporting } from './reporting.ts';
import { takeSchedule, type SaidSchedule } from './schedules.ts';
import type { NamedServices } from './services.ts';
import { takeLimit } from './thresholds.ts';
import { subjectsIn, WHOLE, type SaidSubjects } from './subjects.ts';
import { takeUnable } from './unable.ts';
import type { Reading, Service, Settings, Wish } from './wish.ts';

const VERBS = String.raw`(?:watch|monitor|observe|keep an eye|look (?:for|whether|if|at|into|out)|search|scan|grep|track|check (?:that|whether|if|for|the|on)|(?:tell|alert|notify|warn|page|inform|ping) (?:me|us) (?:if|when|whenever|about|of)|let (?:me|us) know)`;
const NEXT = new RegExp(
  String.raw`(?:,\s*|\s+)(?:and then|and also|and|also|then|plus)\s+(?=(?:also\s+|please\s+|to\s+)*${VERBS}\b)`,
  'giu',
);
export const SENTENCE = /(?<=[\p{L}\p{N}%)\ue000-\ue3ff"'’”])[.!?]+(?=\s|$)\s*|\s*;\s*|\n+/u;
const MOST_STATEMENTS = 30;
const MOST_WISHES = 25;
export const FILLER =
  /^[\s\p{P}]*(?:(?:please|thanks?(?:\s+(?:a lot|so much|very much|again|in advance))?|thank you(?:\s+(?:so much|very much))?|many thanks(?: in advance)?|cheers|wait|oops|nope|hm+|hi(?:\s+there)?|hello|hey|good (?:morning|evening|afternoon)|casebook|ok(?:ay)?|cool|great|nice|perfect|good|sure|yes|yeah|no|sorry|oh|right|well|but|so|and|also|then|that'?s (?:it|all)|i (?:want|need|would like|'d like) (?:you )?to|can you|could you|that|it|instead|now|too|as well|watch|monitor|check|run|do|this|the|for|me|us|to)[\s\p{P}]*)*$/iu;
/** Said of what the statement before is about. */
const ITS = /\b(?:its|their)\b/iu;
/** A condition without a service of its own. */
const CONDITION =
  /^\W*(?:and\s+|also\s+)*(?:(?:tell|alert|notify|warn|page|ping|inform) (?:me|us)|let (?:me|us) know)\s+(?:if|when|whenever|once)\b/iu;
const SETTINGS_ONLY =
  /\b(?:all|every|each)\s+(?:of\s+)?(?:them|these|checks?)\b|\b(?:check|run|do|look at|watch)\s+(?:it|this|them|everything|that)\b/iu;

interface Statement {
  said: string;
  /** It says nothing but how and when. */
  isEmpty: boolean;
  /** Parts of it that nothing was made of. */
  left: string[];
  settings: Settings;
  found: SaidSubjects;
}

/** @param services those that are known; none while they are not */
export function readWishes(text: string, services: readonly Service[]): Reading {
  const known = new Set(services.map(({ name }) => name.toLowerCase()));
  const hidden = hideQuotes(plain(text), (quoted) => known.has(quoted.toLowerCase()));
  const passage: Passage = { text: hidden.text };
  const unable = takeUnable(passage);
  const reporting = takeReporting(passage).map((one) => unhide(one, hidden));
  const statements = passage.text
    .replaceAll(NEXT, ' ; ')
    .split(SENTENCE)
    .filter((said) => /[\p{L}\p{N}\ue000-\ue3ff]/u.test(said))
    .slice(0, MOST_STATEMENTS)
    .map((said) => readStatement(said, hidden, services));
  const wishes: Wish[] = [];
  const unread: string[] = [];
  const all: Settings[] = [];
  for (const [index, { said, isEmpty, settings, found, left }] of statements.entries()) {
    unread.push(...left);
    const before = wishes.at(-1);
    if (found.subjects.length > 0) {
      const theirs = before && refersBack(said) ? before.services : [];
      wishes.push(
        ...found.subjects.map(({ subject, services: own }) => ({
          subject,
          services: own.length > 0 ? own : theirs,
          settings,
        })),
      );
      continue;
    }
    if (before && attachLimit(before, said)) {
      if (hasSettings(settings)) all.push(settings);
      continue;
    }
    const isSetting = hasSettings(settings);
    if (isSetting) all.push(settings);
    // `check whether … and tell me if so`: the end of an instruction.
    if (!isSetting && before?.subject.kind === 'instruction' && index > 0 && !isEmpty) {
      before.subject = {
        ...before.subject,
        instruction: `${before.subject.instruction}; ${unhide(said, hidden).trim()}`,
      };
    } else if (!isSetting && !isEmpty) unread.push(unhide(said, hidden).trim());
  }
  return {
    wishes: wishes.slice(0, MOST_WISHES),
    settings: joined(all, wishes),
    named: namesOf(statements),
    unread,
    reporting,
    unable,
  };
}

function readStatement(said: string, hidden: Hidden, services: readonly Service[]): Statement {
  const passage: Passage = { text: said };
  const schedule = takeSchedule(passage);
  const policy = takePolicy(passage);
  const rest = passage.text.replaceAll(/\s+/gu, ' ').trim();
  const settings = { schedule, policy };
  const isEmpty = FILLER.test(rest) || (hasSettings(settings) && FILLER.test(rest.replace(SETTINGS_ONLY, '')));
  const named: NamedServices = { names: [], taken: [], unknown: [] };
  const found = isEmpty ? { subjects: [], named } : subjectsIn(rest, hidden, services);
  const left = found.subjects.length > 0 ? leftover(rest, found, services).map((one) => unhide(one, hidden)) : [];
  return { said, isEmpty, settings, found, left };
}

/** `watch cart; tell me if errors exceed 2 %` is said of cart. */
function refersBack(said: string): boolean {
  return ITS.test(said) || (CONDITION.test(said) && !WHOLE.test(said));
}

/** `watch the latency; warn me above 300 ms`: a limit alone is that of what was named before. */
function attachLimit({ subject }: Wish, said: string): boolean {
  if (!('limit' in subject) || subject.limit.threshold) return false;
  const limit = takeLimit({ text: said });
  if (!limit.threshold) return false;
  subject.limit = { ...subject.limit, ...limit };
  return true;
}

/** What goes for everything: statements that say nothing else, and a schedule or hours that were named once. */
function joined(alone: readonly Settings[], wishes: readonly Wish[]): Settings {
  const all = [...new Set([...alone, ...wishes.map(({ settings }) => settings)])];
  const once = <K extends keyof SaidSchedule>(key: K): SaidSchedule[K] | undefined => {
    const own = alone.flatMap(({ schedule }) => (schedule[key] === undefined ? [] : [schedule[key]])).at(-1);
    const said = all.flatMap(({ schedule }) => (schedule[key] === undefined ? [] : [schedule[key]]));
    return own ?? (new Set(said.map((one) => JSON.stringify(one))).size === 1 ? said[0] : undefined);
  };
  const when = once('when');
  const time_zone = once('time_zone');
  const quiet_hours = once('quiet_hours');
  const actions = all.flatMap(({ policy }) => policy.on_finding ?? []);
  const own = alone.reduce((sum, { policy }) => ({ ...sum, ...policy }), {});
  const saidOnce = all.filter(({ policy }) => policy.on_finding !== undefined);
  return {
    schedule: {
      ...(when && { when }),
      ...(time_zone && { time_zone }),
      ...(quiet_hours && { quiet_hours }),
      notes: [...new Set(all.flatMap(({ schedule }) => schedule.notes))],
    },
    policy: { ...(saidOnce.length === 1 && actions.length > 0 && { on_finding: actions }), ...own },
  };
}

export function hasSettings({ schedule, policy }: Settings): boolean {
  const { when, time_zone, quiet_hours } = schedule;
  return [when, time_zone, quiet_hours].some((one) => one !== undefined) || Object.keys(policy).length > 0;
}

function namesOf(statements: readonly Statement[]): NamedServices {
  const all = statements.map(({ found }) => found.named);
  const unique = <T>(items: T[], key: (item: T) => string): T[] => [
    ...new Map(items.map((item) => [key(item), item])).values(),
  ];
  return {
    names: unique(
      all.flatMap(({ names }) => names),
      String,
    ),
    taken: unique(
      all.flatMap(({ taken }) => taken),
      ({ said }) => said,
    ),
    unknown: unique(
      all.flatMap(({ unknown }) => unknown),
      String,
    ),
  };
}
