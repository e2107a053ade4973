/** Which source a question is about. */
import { isLive, networkOf, usableSources, type ListedSource } from '../investigation/sources.ts';
import type { CaseFile } from '../investigation/case-file.ts';
import { lexicalScores, mentions } from '../investigation/words.ts';
import type { Chat } from './chat.ts';
import { previousSource } from './earlier.ts';
import { resolveTime, timesIn } from './times.ts';
import { comparable, subjectWords } from './vocabulary.ts';

export interface Subject {
  source: ListedSource;
  why: string;
  /** The time that the question names, ISO. */
  at?: string;
  /** Other sources whose titles and alerts share as many words with the question. */
  similar: ListedSource[];
  /** The question names it, an alert of it, a time in it, or something that its title and alerts are about. */
  pointed: boolean;
  /** It is the source that the chat was about before. */
  stays: boolean;
}

/** Closeness counts shared words. By this share closer another source must be for a chat to leave the one it is about. */
const LEAVE = 0.2;
/** Words that go on about what was asked before. */
const GOES_ON = /^(?:and|also|but|so|then|what about|how about)\b|\b(?:it|its|still|same)\b/i;
/** People ask about now, unless they name a recorded incident, an alert of it or a full time in it. */
const LIVE = 10;
const NAMED = 40;
const ALERT_NAMED = 20;
const PASTED = 10;
const FULL_TIME = 15;
const CLOCK_TIME = 5;
const NEAREST = 3;
const NEAR_MS = 90 * 60_000;

interface Scored {
  source: ListedSource;
  at?: string;
  named: number;
  near: number;
  close: number;
  /** All of these together. */
  fits: number;
}

/**
 * @param followUp the question goes on about what was asked before, so its source is kept unless another one is named
 */
export function subjectOf(chat: Chat, file: CaseFile, followUp: boolean): Subject | undefined {
  const sources = usableSources(file.sources);
  const { text } = chat.question;
  const [time] = timesIn(text);
  const closenesses = closeness(text, sources);
  const scored = sources.map((source, index): Scored => {
    const at = time === undefined ? undefined : resolveTime(time, source, chat.now);
    const named = namedBy(text, source);
    const near = nearness(at, time, source);
    const close = closenesses[index] ?? 0;
    return { source, at, named, near, close, fits: named + near + close };
  });
  const previous = previousSource(chat);
  const kept = scored.find(({ source }) => source.id === previous);
  const now = ({ source }: Scored): number => (kept === undefined && isLive(source) ? LIVE : 0);
  const ordered = scored.toSorted((a, b) => b.fits + now(b) - a.fits - now(a));
  const [best] = ordered;
  if (!best) return undefined;
  const stays = kept !== undefined && isAboutSame(kept, best, followUp || GOES_ON.test(text));
  const chosen = forMetrics(stays ? kept : best, scored);
  const { source, at } = chosen;
  const similar = ordered
    .filter((one) => one !== chosen && one.close > 0 && one.close >= chosen.close / 2)
    .map((one) => one.source);
  const said = comparable(describe(source)).split(' ');
  const shares = subjectWords(text).some((word) => said.includes(word));
  const why = stays ? 'this chat is about it' : sources.length === 1 ? 'it is the only one' : reason(chosen);
  return { source, at, why, similar, pointed: shares || chosen.named > 0 || chosen.near > 0, stays };
}

/** Live sources show parts of one system; it is asked through the one that has metrics. */
function forMetrics(chosen: Scored, scored: readonly Scored[]): Scored {
  if (!isLive(chosen.source) || chosen.named > 0 || chosen.source.capabilities.includes('metrics')) return chosen;
  const metrics = scored.filter(({ source }) => isLive(source) && source.capabilities.includes('metrics'));
  return metrics.find(({ source }) => networkOf(source) === networkOf(chosen.source)) ?? metrics[0] ?? chosen;
}

/** The ids of the sources that show the same system: all live ones together, or one recorded incident. */
export function systemOf({ sources }: CaseFile, source: ListedSource): string[] {
  if (!isLive(source)) return [source.id];
  return usableSources(sources).flatMap((one) => (isLive(one) ? [one.id] : []));
}

function isAboutSame(kept: Scored, best: Scored, goesOn: boolean): boolean {
  // It does not cover the time that is named, and another one does.
  if (kept.at === undefined && best.near > 0) return false;
  return goesOn ? best.named <= kept.named : best.fits <= kept.fits + LEAVE * kept.close;
}

function reason({ source, named, near, close }: Scored): string {
  if (named > 0) return 'you name it or its alert';
  if (near > 0) return 'it covers the time you name';
  if (isLive(source)) return 'it shows the system as it is now';
  return close > 0 ? 'its title and alerts fit your question best' : 'nothing in your question points to another one';
}

/** Whether a question says what it is about at all. */
export function saysWhat(text: string): boolean {
  return subjectWords(text).length > 0 || timesIn(text).length > 0;
}

/** How much the words of a question are those of each source: its title, its closest alert, and its alerts on the whole. */
function closeness(text: string, sources: readonly ListedSource[]): number[] {
  const asked = comparable(text);
  const titles = lexicalScores(
    asked,
    sources.map(({ id, title }) => comparable(`${id} ${title}`)),
  );
  const alerts = sources.flatMap((source) =>
    source.alerts.map(({ name, service, summary }) => ({ source, text: comparable(`${name} ${service} ${summary}`) })),
  );
  const alertScores = lexicalScores(
    asked,
    alerts.map((alert) => alert.text),
  );
  return sources.map((source, index) => {
    const own = alertScores.filter((_, at) => alerts[at]?.source === source);
    const mean = own.length > 0 ? own.reduce((sum, score) => sum + score, 0) / own.length : 0;
    return 2 * (titles[index] ?? 0) + Math.max(0, ...own) + mean / 2;
  });
}

function describe({ id, title, alerts }: ListedSource): string {
  return [id, title, ...alerts.map(({ name, service, summary }) => `${name} ${service} ${summary}`)].join(' ');
}

function namedBy(text: string, { id, alerts }: ListedSource): number {
  if (namesOf(id).some((one) => mentions(text, one))) return NAMED;
  const named = alerts.filter(({ name }) => mentions(text, name));
  if (named.length === 0) return 0;
  // Alerts of one name are told apart by the figures of a pasted one.
  const figures = text.match(/\d+\.\d+/g) ?? [];
  const isPasted = named.some(({ summary }) => figures.some((figure) => summary.includes(figure)));
  return ALERT_NAMED + (isPasted ? PASTED : 0);
}

/** What a source is called: its id, and the part of it that is its own. */
function namesOf(id: string): string[] {
  return [id, id.split(':').at(-1) ?? id];
}

/** A text without the names of a source, whose parts would look like those of services. */
export function withoutSource(text: string, { id }: ListedSource): string {
  return namesOf(id).reduce((rest, one) => (mentions(rest, one) ? rest.replaceAll(one, ' ') : rest), text);
}

/** A time within a recorded incident says more the closer it is to an alert; a time of day may be one of today. */
function nearness(at: string | undefined, said: string | undefined, source: ListedSource): number {
  if (at === undefined || said === undefined) return 0;
  const isFull = said.includes('-');
  if (isLive(source)) return isFull ? 0 : CLOCK_TIME + NEAREST;
  const time = Date.parse(at);
  if (!(time >= Date.parse(source.window?.from ?? '') && time < Date.parse(source.window?.to ?? ''))) return 0;
  const distance = Math.min(...source.alerts.map((alert) => Math.abs(Date.parse(alert.at) - time)), NEAR_MS);
  return (isFull ? FULL_TIME : CLOCK_TIME) + NEAREST * (1 - distance / NEAR_MS);
}
