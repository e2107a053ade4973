/** What there is: sources with their alerts, services, and questions that can be asked about them. */
import type { CaseFile } from '../../investigation/case-file.ts';
import { isLive, usableSources, type ListedSource } from '../../investigation/sources.ts';
import { quote } from '../../investigation/statements.ts';
import { bullets, cite, clock, day, listed, name, paragraphs } from '../wording.ts';

const MOST_SOURCES = 10;
const MOST_SERVICES = 30;
const MOST_ALERTS = 12;

/** `Services of shop: …` for the services that were listed. */
export function serviceList({ services }: CaseFile): string {
  if (!services) return '';
  const names = services.result.services.map((service) => name(service.name));
  return `The services of ${name(services.result.source)} are ${listed(names, MOST_SERVICES)}${cite(services.call)}.`;
}

/** The sources with one line each, and a question that can be asked about each of the first. */
export function incidentList(file: CaseFile): string {
  const sources = usableSources(file.sources);
  if (sources.length === 0) return '';
  const lines = sources.slice(0, MOST_SOURCES).map((source) => sourceLine(source) + cite(file.sources?.call));
  return paragraphs(`What I can look at:\n\n${bullets(lines)}`, examples(file));
}

export function sourceLine(source: ListedSource): string {
  const { id, title, window, kind } = source;
  if (isLive(source)) return `${name(id)} (${name(kind)}), live`;
  return `${name(id)}: ${quote(title, 100)}${window ? `, recorded on ${day(window.from)} from ${clock(window.from)} to ${clock(window.to)} UTC` : ''}`;
}

/** Two or three questions with the names of what there really is. */
export function examples(file: CaseFile): string {
  const sources = usableSources(file.sources);
  const [first, second] = sources.flatMap((source) => source.alerts.slice(0, 1).map((alert) => ({ source, alert })));
  const service = first?.alert.service ?? file.services?.result.services[0]?.name;
  const questions = [
    ...(first ? [`What caused ${name(first.alert.name)} in ${name(first.source.id)}?`] : []),
    ...(second && second.source !== first?.source
      ? [`Why does ${name(second.alert.service)} have trouble in ${name(second.source.id)}?`]
      : []),
    ...(service ? [`Show me the errors in the logs of ${name(service)}`] : ['Which services are there?']),
  ];
  return `You can ask for example:\n\n${bullets(questions.map((question) => `“${question}”`))}`;
}

/** The alerts of all sources, those of the one that the chat is about first. */
export function alertList(file: CaseFile, about: string | undefined): string {
  const sources = usableSources(file.sources).toSorted((a, b) => Number(b.id === about) - Number(a.id === about));
  const cited = cite(file.sources?.call);
  const lines = sources.flatMap((source) =>
    source.alerts.map(
      (alert) =>
        `${name(alert.name)} of ${name(alert.service)}, ${day(alert.at)} at ${clock(alert.at)} UTC, in ${name(source.id)}: ${quote(alert.summary, 140)}${cited}`,
    ),
  );
  const quiet = sources.filter((source) => source.alerts.length === 0).map(({ id }) => name(id));
  const none = quiet.length > 0 ? `No alert fires in ${listed(quiet, MOST_SOURCES)}${cited}.` : '';
  if (lines.length === 0) return none;
  const recorded = sources.some((source) => !isLive(source) && source.alerts.length > 0);
  const head = recorded
    ? 'These alerts fired; those of a recorded incident at the time of its recording:'
    : 'These alerts fire:';
  const more = lines.length > MOST_ALERTS ? 'There are more; ask for the alerts of one source to see them.' : '';
  return paragraphs(none, head, bullets(lines.slice(0, MOST_ALERTS)), more);
}
