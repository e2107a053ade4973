/** Which source and service a question looks at. */
import type { CaseFile } from '../../investigation/case-file.ts';
import { knownServices } from '../../investigation/conclusion.ts';
import { isLive, type ListedSource } from '../../investigation/sources.ts';
import { name } from '../../investigation/statements.ts';
import { mentions } from '../../investigation/words.ts';
import type { ListServicesResult } from '../../../../features/tools/results.ts';
import { askedOf } from '../calls.ts';
import type { Chat } from '../chat.ts';
import { caseOf, lastService, previousSource } from '../earlier.ts';
import { objectIn, serviceIn } from '../services.ts';
import { subjectOf, withoutSource } from '../subject.ts';
import { windowIn, type NamedWindow } from '../times.ts';

export interface Target {
  source: ListedSource;
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
 * @returns undefined while sources are not known, or there is none; `services` while the services must be listed before
 * it is known which one is meant
 */
export function targetOf(chat: Chat, file: CaseFile): Target | undefined | { source: ListedSource; needs: 'services' } {
  const subject = subjectOf(chat, file, previousSource(chat) !== undefined);
  if (!subject) return undefined;
  const { source } = subject;
  const text = withoutSource(chat.question.text, source);
  const window = windowIn(text, source, chat.now);
  const known = servicesKnown(chat, file, source);
  const listed = file.services?.result.source === source.id;
  const meant = serviceIn(text, known);
  // Only the whole list tells that a word is no part of another name, what it describes, or that there is no such service.
  const isPlain = meant !== undefined && [meant.name, `${meant.name}s`].some((one) => mentions(text, one));
  if (!listed && !isPlain && canList(file, source)) {
    if (objectIn(withoutSearch(text)) !== undefined || known.length === 0) return { source, needs: 'services' };
  }
  if (meant) return { source, service: meant.name, named: true, said: meant.said, others: meant.others, window };
  const unknown = objectIn(withoutSearch(text));
  if (unknown !== undefined && !isOwnWord(unknown, source))
    return { source, named: false, others: [], unknown, window };
  const wholeSystem = /\b(?:all|every|each|any|overall|everything|everywhere|system)\b/i.test(text);
  return { source, service: wholeSystem ? undefined : lastService(chat, source.id), named: false, others: [], window };
}

/** Every service that anything read from the source names. */
function servicesKnown(chat: Chat, file: CaseFile, source: ListedSource): ListServicesResult['services'] {
  if (file.services?.result.source === source.id) return file.services.result.services;
  const all = caseOf(askedOf([...chat.earlierCalls, ...chat.calls], source.id));
  if (all.services) return all.services.result.services;
  const names = new Set([...knownServices(all), ...source.alerts.map(({ service }) => service)]);
  return [...names].map((name) => ({ name, metrics: 0 }));
}

function canList(file: CaseFile, source: ListedSource): boolean {
  const tried = file.transcript.calls.some(
    ({ tool, input }) => tool === 'list_services' && input['source'] === source.id,
  );
  return !tried && source.capabilities.includes('services');
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
export function incidentWindow(chat: Chat, source: ListedSource): NamedWindow {
  if (!isLive(source) || source.alerts.length > 0) return {};
  const { ranking } = caseOf(askedOf([...chat.earlierCalls, ...chat.calls], source.id));
  const { from, to } = ranking?.result.incident ?? {};
  return from && to ? { from, to } : {};
}
