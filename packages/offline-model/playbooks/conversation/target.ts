import type { Call } from '../../transcript.ts';
import { askedOf, given } from '../calls.ts';
import type { Chat } from './chat.ts';
import type { Settled, CaseFile } from '../investigation/case-file.ts';
import { conclude, knownServices } from '../investigation/conclusion.ts';
import {
  chooseSources,
  isLive,
  pointsTo,
  usableSources,
  type ListedSource,
  type SourceChoice,
} from '../investigation/sources.ts';
import { withSymptom } from '../investigation/survey.ts';
import { lexicalScores } from '../investigation/words.ts';
import { servicesIn, unknownServiceIn } from '../reading.ts';
import { caseOf } from '../telemetry.ts';
import { iso } from '../wording.ts';

export interface Target {
  choice: SourceChoice;
  /** All sources of the same system. */
  system: string[];
  /** Absent: all services. */
  service?: string;
  /** Otherwise the service comes from an earlier question. */
  isNamed: boolean;
  /** A name that no source knows. */
  unknown?: string;
  window: NamedWindow;
}

export const STAYS = 'this chat is about it';
const GOES_ON = /^(?:and|also|but|so|then|what about|how about|ok)\b|\b(?:it|its|they|their|that|this|there|same)\b/i;

/** A chat stays with its source until a question names another, or is a new one about a cause. */
export function settle(chat: Chat, file: CaseFile, isNew = false): Settled | undefined {
  const { text } = chat.question;
  const previous = chat.earlierCalls.findLast(({ input, isError }) => !isError && typeof input['source'] === 'string');
  const source = previous && given(previous, 'source');
  const sources = usableSources(file.sources);
  if (source === undefined || !sources.some(({ id }) => id === source)) return closest(text, sources);
  if (sources.some((one) => one.id !== source && pointsTo(text, one))) return undefined;
  return isNew && !GOES_ON.test(text) ? closest(text, sources) : { source, why: STAYS };
}

/** The recording whose title and alerts share most with the question; live sources are about now. */
function closest(text: string, sources: readonly ListedSource[]): Settled | undefined {
  if (sources.some(isLive) || sources.some((one) => pointsTo(text, one))) return undefined;
  const asked = canonical(text);
  const titles = lexicalScores(
    asked,
    sources.map(({ id, title }) => canonical(`${id} ${title}`)),
  );
  const alerts = sources.flatMap((source) => source.alerts.map((alert) => ({ source, alert })));
  const shared = lexicalScores(
    asked,
    alerts.map(({ alert }) => canonical(`${alert.name} ${alert.service} ${alert.summary}`)),
  );
  const scores = sources.map((source, index) => {
    const own = shared.filter((_, at) => alerts[at]?.source === source);
    const mean = own.reduce((sum, score) => sum + score, 0) / Math.max(1, own.length);
    return 2 * (titles[index] ?? 0) + Math.max(0, ...own) + mean;
  });
  const best = sources[scores.indexOf(Math.max(...scores))];
  return best && Math.max(...scores) > 0
    ? { source: best.id, why: 'its title and alerts fit your question best' }
    : undefined;
}

function canonical(text: string): string {
  return text
    .replaceAll(/\b(?:fail|error|fault|unavailab|down|broken|5xx)\w*/giu, 'fail')
    .replaceAll(/\b(?:slow|latenc|delay|hang|time-?out)\w*/giu, 'slow');
}

/** @returns undefined without a usable source */
export function targetOf(chat: Chat, file: CaseFile): Target | undefined {
  const { text } = chat.question;
  const choice = chooseSources({ ...file, query: withSymptom(text), settled: settle(chat, file) });
  if (!choice) return undefined;
  const system = systemOf(file, choice.primary);
  const plain = withoutSource(text, choice.primary);
  const target: Target = { choice, system, isNamed: false, window: windowIn(plain, choice.primary, chat.now) };
  const read = caseOf(askedOf([...chat.earlierCalls, ...chat.calls], system));
  const known = [
    ...new Set([
      ...knownServices(file),
      ...knownServices(read),
      ...choice.primary.alerts.map(({ service }) => service),
    ]),
  ];
  const [service] = servicesIn(plain, known);
  if (service !== undefined) return { ...target, service, isNamed: true };
  const unknown = unknownServiceIn(plain.replaceAll(/["“`][^"”`]*["”`]/g, ' '));
  if (unknown !== undefined && !choice.primary.title.toLowerCase().includes(unknown.toLowerCase()))
    return { ...target, unknown };
  const isWhole = /\b(?:all|every|each|any|everything|system)\b/i.test(plain);
  const before = isWhole ? undefined : lastService(chat, system);
  return { ...target, ...(before !== undefined && { service: before }) };
}

/** All live sources together, or one recorded incident. */
function systemOf({ sources }: CaseFile, source: ListedSource): string[] {
  return isLive(source)
    ? usableSources(sources)
        .filter(isLive)
        .map(({ id }) => id)
    : [source.id];
}

/** The service that `it` means: the cause or subject of an earlier question. */
export function lastService(chat: Chat, system?: readonly string[]): string | undefined {
  for (const index of chat.earlier.keys().toArray().toReversed()) {
    const made = callsFor(chat, index).filter(({ isError }) => !isError);
    const calls = system === undefined ? made : askedOf(made, system);
    const cause = calls.some(isRanking) ? conclude(caseOf(calls)).cause?.service : undefined;
    const named = cause ?? calls.flatMap((call) => given(call, 'service') ?? []).at(-1);
    if (named !== undefined) return named;
  }
  return undefined;
}

/** The chat as of its last question about a cause. */
export function lastCause(chat: Chat): Chat | undefined {
  const index = chat.earlier
    .keys()
    .toArray()
    .findLastIndex((at) => callsFor(chat, at).some(isRanking));
  const question = chat.earlier[index];
  if (question === undefined) return undefined;
  const all = [...chat.earlierCalls, ...chat.calls];
  return {
    ...chat,
    question,
    earlier: chat.earlier.slice(0, index),
    earlierCalls: all.filter(({ turn }) => turn < question.turn),
    calls: all.filter(({ turn }) => turn >= question.turn),
  };
}

function callsFor(chat: Chat, index: number): Call[] {
  const from = chat.earlier[index]?.turn ?? 0;
  const to = chat.earlier[index + 1]?.turn ?? chat.question.turn;
  return chat.earlierCalls.filter(({ turn }) => turn >= from && turn < to);
}

const isRanking = ({ tool, isError }: Call): boolean => tool === 'rank_root_causes' && !isError;

/** Removes the source's name, whose parts may look like services. */
function withoutSource(text: string, { id }: ListedSource): string {
  return text.replaceAll(id, ' ').replaceAll(id.split(':').at(-1) ?? id, ' ');
}

export interface NamedWindow {
  /** ISO times. */
  from?: string;
  to?: string;
}

const TIME = /\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2})?Z?|(?<![\d:.])(?:[01]?\d|2[0-3]):[0-5]\d(?![\d:])/giu;
const RELATIVE = /\b(?:last|past)\s+(\d{1,3})?\s*(min(?:ute)?s?|hours?)\b/i;
const AROUND_MS = 10 * 60_000;

export function windowIn(text: string, source: ListedSource, now = ''): NamedWindow {
  const day = (isLive(source) ? now : (source.window?.to ?? '')).slice(0, 10);
  const [first, second] = [...text.matchAll(TIME)]
    .map(([time]) =>
      Date.parse(
        time.includes('-') ? `${time.replace(' ', 'T').replace(/Z$/i, '')}Z` : `${day}T${time.padStart(5, '0')}Z`,
      ),
    )
    .filter((at) => !Number.isNaN(at));
  if (first === undefined) {
    const [, count = '1', unit = ''] = RELATIVE.exec(text) ?? [];
    const end = Date.parse(now);
    if (unit === '' || !isLive(source) || Number.isNaN(end)) return {};
    return { from: iso(end - Number(count) * (unit.startsWith('h') ? 60 : 1) * 60_000), to: iso(end) };
  }
  if (second !== undefined) return { from: iso(first), to: iso(second) };
  if (/\b(?:since|after|from)\b/i.test(text)) return { from: iso(first) };
  if (/\b(?:before|until|till)\b/i.test(text)) return { to: iso(first) };
  return { from: iso(first - AROUND_MS), to: iso(first + AROUND_MS) };
}
