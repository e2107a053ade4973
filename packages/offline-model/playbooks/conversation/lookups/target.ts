/** Which source and service a question looks at. */
import { wasCalled, type CaseFile } from '../../investigation/case-file.ts';
import { knownServices } from '../../investigation/conclusion.ts';
import { chooseSources, isLive, type ListedSource, type SourceChoice } from '../../investigation/sources.ts';
import { name } from '../../investigation/statements.ts';
import { mentions } from '../../investigation/words.ts';
import type { ListServicesResult } from '../../../../../src/features/tools/results.ts';
import { askedOf } from '../calls.ts';
import type { Chat } from '../chat.ts';
import { caseOf, lastService, previousSource } from '../earlier.ts';
import { objectIn, serviceIn } from '../services.ts';
import { subjectOf, systemOf, withoutSource } from '../subject.ts';
import { windowIn, type NamedWindow } from '../times.ts';

export interface Target {
  /** Which source to ask for what. */
  choice: SourceChoice;
  source: ListedSource;
  /** The ids of all sources that show the same system. */
  system: string[];
  /** Undefined: all services. */
  service?: string;
  /** The question names the service; otherwise it is the one that was spoken of before. */
  named: boolean;
  /** What the person said, where that is not the service's name. */
  said?: string;
  /** Other services that it may mean. */
  others: string[];
  /** What the person named and no source knows. */
  unknown?: string;
  window: NamedWindow;
}

/**
 * @returns undefined while sources are not known, or there is none; `needs` while the services must be listed before it
 * is known which one is meant
 */
export function targetOf(chat: Chat, file: CaseFile): (Target & { needs?: 'services' }) | undefined {
  const subject = subjectOf(chat, file, previousSource(chat) !== undefined);
  const settled = subject && { source: subject.source.id, why: subject.why };
  const choice = chooseSources({ ...file, settled });
  if (!subject || !choice) return undefined;
  const { source } = subject;
  const system = systemOf(file, source);
  const text = withoutSource(chat.question.text, source);
  const target: Target = { choice, source, system, named: false, others: [], window: windowIn(text, source, chat.now) };
  const read = caseOf(askedOf([...chat.earlierCalls, ...chat.calls], system));
  const known = servicesKnown(file, read, source);
  const meant = serviceIn(text, known);
  const object = objectIn(withoutSearch(text));
  // Only the whole list tells that a word is no part of another name, what it describes, or that there is no such service.
  const isPlain = meant !== undefined && [meant.name, `${meant.name}s`].some((one) => mentions(text, one));
  const isListed = file.services !== undefined || !choice.services || wasCalled(file, 'list_services');
  if (!isListed && !isPlain && (object !== undefined || known.length === 0)) {
    return { ...target, needs: 'services' };
  }
  if (meant) return { ...target, service: meant.name, named: true, said: meant.said, others: meant.others };
  if (object !== undefined && !isOwnWord(object, source)) return { ...target, unknown: object };
  const wholeSystem = /\b(?:all|every|each|any|overall|everything|everywhere|system)\b/i.test(text);
  return { ...target, service: wholeSystem ? undefined : lastService(chat, system) };
}

/** The services that were listed, else every one that anything read from the system names. */
function servicesKnown(file: CaseFile, read: CaseFile, source: ListedSource): ListServicesResult['services'] {
  const listed = file.services ?? read.services;
  if (listed) return listed.result.services;
  const names = new Set([...knownServices(read), ...source.alerts.map(({ service }) => service)]);
  return [...names].map((service) => ({ name: service, metrics: 0 }));
}

/** What logs are searched for names no service. */
function withoutSearch(text: string): string {
  return text.replaceAll(/["“][^"”]*["”]/g, ' ').replaceAll(/(\b(?:search|grep|look)\b[^.?!]*?)\bfor\s+\S+/gi, '$1 ');
}

function isOwnWord(object: string, { id, title }: ListedSource): boolean {
  return `${id} ${title}`.toLowerCase().includes(object.toLowerCase());
}

/** What was taken for what, so that a wrong guess is seen. */
export function assumed({ service, said, others }: Target): string {
  if (said === undefined || service === undefined) return '';
  const more = others.length > 0 ? ` (${others.slice(0, 3).map(name).join(', ')} may be meant as well)` : '';
  return `I take “${said}” to mean ${name(service)}${more}.`;
}

/** The default of a live source without alerts is the last hour; of the others it is the time around the alert. */
export function incidentWindow(chat: Chat, { source, system }: Target): NamedWindow {
  if (!isLive(source) || source.alerts.length > 0) return {};
  const { ranking } = caseOf(askedOf([...chat.earlierCalls, ...chat.calls], system));
  const { from, to } = ranking?.result.incident ?? {};
  return from && to ? { from, to } : {};
}
