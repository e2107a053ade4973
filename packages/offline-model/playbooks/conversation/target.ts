/** Which source and service a question is about. */
import { conclude } from '../investigation/conclusion.ts';
import { openCase, type CaseFile, type Settled } from '../investigation/case-file.ts';
import {
  canLead,
  chooseSources,
  isLive,
  pointsTo,
  usableSources,
  timeIn,
  type ListedSource,
  type SourceChoice,
} from '../investigation/sources.ts';
import { withSymptom } from '../investigation/survey.ts';
import { lexicalScores } from '../investigation/words.ts';
import { servicesIn, unknownServiceIn, withoutQuotes } from '../reading.ts';
import { servicesOf } from '../telemetry.ts';
import { given } from '../calls.ts';
import { iso } from '../wording.ts';
import type { Chat } from './chat.ts';
import { isAboutNow } from './intent.ts';

export interface Target {
  choice: SourceChoice;
  /** Absent: all services. */
  service?: string;
  /** Otherwise the service comes from an earlier question. */
  isNamed: boolean;
  /** A name that no source knows. */
  unknown?: string;
}

const GOES_ON = /^(?:and|also|but|so|then|ok)\b|\b(?:it|its|they|their|that|this)\b/i;

/** A chat stays with its source until a question names another, or is a new one about a cause. */
export function settle(chat: Chat, sources: CaseFile['sources'], isNew: boolean): Settled | undefined {
  const { text } = chat.question;
  const usable = usableSources(sources);
  const previous = chat.earlierCalls.findLast((call) => !call.isError && given(call, 'source') !== undefined);
  const source = usable.find(({ id }) => previous !== undefined && id === given(previous, 'source'))?.id;
  const fitting = source === undefined || (isNew && !GOES_ON.test(text)) ? closest(text, usable) : undefined;
  if (source === undefined || fitting) return fitting;
  return usable.some((one) => one.id !== source && pointsTo(text, one)) ? undefined : { source, stays: true };
}

/** The recording whose title and alerts share most with the question; live sources are about now. */
function closest(text: string, all: readonly ListedSource[]): Settled | undefined {
  const usable = all.filter((one) => !isLive(one) || canLead(one));
  if (usable.some(isLive) || all.some((one) => pointsTo(text, one))) return undefined;
  const scoresOf = (texts: readonly string[]): number[] => lexicalScores(canonical(text), texts.map(canonical));
  const titles = scoresOf(usable.map(({ id, title }) => `${id} ${title}`));
  const alerts = usable.flatMap((source) => source.alerts.map((alert) => ({ source, alert })));
  const shared = scoresOf(alerts.map(({ alert }) => `${alert.name} ${alert.service} ${alert.summary}`));
  const scores = usable.map((source, index) => {
    const own = shared.filter((_, at) => alerts[at]?.source === source);
    return (titles[index] ?? 0) + own.reduce((sum, score) => sum + score / own.length, 0);
  });
  const best = usable[scores.indexOf(Math.max(...scores))];
  return best && Math.max(...scores) > 0 ? { source: best.id, stays: false } : undefined;
}

function canonical(text: string): string {
  return text
    .replaceAll(/\b(?:fail|error|fault|unavailab|down|broken|5xx)\w*/giu, 'fail')
    .replaceAll(/\b(?:slow|latenc|delay|hang|time-?out)\w*/giu, 'slow');
}

/** @returns undefined without a usable source */
export function targetOf(chat: Chat, file: CaseFile): Target | undefined {
  const { text } = chat.question;
  const choice = chooseSources({ ...file, query: withSymptom(text), settled: settle(chat, file.sources, false) });
  if (!choice) return undefined;
  const { primary, services } = choice;
  const words = withoutQuotes(withoutSource(text, primary));
  const listed = services ? (servicesOf(file, services.id) ?? []) : [];
  const known = [...new Set([...listed, ...primary.alerts.map(({ service }) => service)])];
  const [named] = servicesIn(words, known);
  if (named !== undefined) return { choice, service: named, isNamed: true };
  const unknown = unknownServiceIn(words);
  if (unknown !== undefined && !primary.title.toLowerCase().includes(unknown.toLowerCase()))
    return { choice, isNamed: false, unknown };
  const before = /\b(?:all|every|each|any)\b/i.test(words) ? undefined : lastService(chat);
  return { choice, isNamed: false, ...(before !== undefined && known.includes(before) && { service: before }) };
}

const NOW_MS = 10 * 60_000;

/** The last minutes of a live source, where a question is about now. Empty: the tool decides. */
export function periodOf({ question: { text, context }, period }: Chat, { choice }: Target): Chat['period'] {
  const now = isLive(choice.primary) ? Date.parse(timeIn(context) ?? '') : Number.NaN;
  if (Number.isNaN(now)) return {};
  return isAboutNow(text) ? { from: iso(now - NOW_MS), to: iso(now) } : period;
}

/** The service that `it` means: the cause or subject of an earlier question. */
export function lastService({ earlier, earlierCalls }: Chat): string | undefined {
  for (const { turn } of earlier.toReversed()) {
    const calls = earlierCalls.filter((call) => call.turn >= turn && !call.isError);
    const cause = conclude(openCase(calls)).cause?.service;
    const service = cause ?? calls.flatMap((call) => given(call, 'service') ?? []).at(-1);
    if (service !== undefined) return service;
  }
  return undefined;
}

/** Removes the source's name, whose parts may look like services. */
function withoutSource(text: string, { id }: ListedSource): string {
  return text.replaceAll(id, ' ').replaceAll(id.split(':').at(-1) ?? id, ' ');
}
