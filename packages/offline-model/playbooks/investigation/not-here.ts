/** Questions that are about nothing the sources know: asked back, never answered from the nearest incident. */
import type { Report } from '../../../../src/features/investigations/report/schema.ts';
import { servicesIn, signalsIn } from '../reading.ts';
import { listed, name } from '../wording.ts';
import type { CaseFile } from './case-file.ts';
import { Citations, members } from './citations.ts';
import { namedByPeople } from './conclusion.ts';
import { isLive, pointsTo, timeIn, usableSources, type SourceChoice } from './sources.ts';
import { lexicalScores } from './words.ts';

/** `time`: it names a time that no source covers; `subject`: no service, alert or time that one knows. */
export type Mismatch = 'time' | 'subject';

const MAX_NAMED = 12;
/** Says that something is wrong, and not what. */
const TROUBLE = /\b(?:broke|broken|wrong|problem|issue|incident|outage|alert\w*|paged|degraded|unhealthy)\b/iu;

/** @returns undefined if the question is about something the sources know, or if that cannot be told yet */
export function mismatchOf(file: CaseFile, choice: SourceChoice): Mismatch | undefined {
  const { query, services, settled, ranking } = file;
  const { primary } = choice;
  if (ranking || settled?.stays) return undefined;
  if (isOutside(timeIn(query), choice)) return 'time';
  const canTell = services !== undefined || choice.services === undefined;
  return !canTell || isKnown(file, primary) || namedByPeople(file).length > 0 ? undefined : 'subject';
}

/** A live source's window ends when it was listed, so a later time is not outside of it. */
function isOutside(at: string | undefined, { primary }: SourceChoice): boolean {
  if (at === undefined || !primary.window) return false;
  const moment = Date.parse(at);
  return moment < Date.parse(primary.window.from) || (!isLive(primary) && moment >= Date.parse(primary.window.to));
}

function isKnown({ query, services }: CaseFile, primary: SourceChoice['primary']): boolean {
  if (pointsTo(query, primary)) return true;
  const known = [
    ...(services?.result.services ?? []).map((service) => service.name),
    ...primary.alerts.map(({ service }) => service),
  ];
  if (servicesIn(query, [...new Set(known)]).length > 0) return true;
  const described = (services?.result.services ?? []).flatMap(({ description }) => description ?? []);
  if (lexicalScores(query, described).some((score) => score > 0)) return true;
  // What fires now is what "it is slow" is about; what once fired is not.
  if (isLive(primary) && primary.alerts.length > 0 && (signalsIn(query).length > 0 || TROUBLE.test(query))) return true;
  const titles = [`${primary.id} ${primary.title}`, ...primary.alerts.map((alert) => `${alert.name} ${alert.summary}`)];
  return lexicalScores(withoutSignals(query), titles).some((score) => score > 0);
}

/** Without the words of symptoms, which any incident shares. */
function withoutSignals(text: string): string {
  return signalsIn(text).reduce((left, { said }) => left.replaceAll(new RegExp(said, 'giu'), ' '), text);
}

/** A question back, with what the sources know. */
export function askBack(file: CaseFile, choice: SourceChoice, mismatch: Mismatch): Report {
  const citations = new Citations();
  const { primary } = choice;
  const of = (source: SourceChoice['primary']): string => citations.cite(file.sources?.call, members(source, 'id'));
  const covered = usableSources(file.sources)
    .slice(0, MAX_NAMED)
    .map((source) => {
      const { window } = source;
      const period = window ? ` covers ${name(window.from)} to ${name(window.to)}` : ' is live';
      return `${name(source.id)}${isLive(source) ? '' : ' (recorded)'}${period}${of(source)}.`;
    });
  const names = (file.services?.result.services ?? []).map((service) => name(service.name));
  const [first] = file.services?.result.services ?? [];
  const services =
    names.length > 0 && first
      ? `Services of ${name(primary.id)}: ${listed(names, MAX_NAMED)}${citations.cite(file.services?.call, members(first, 'name'))}.`
      : '';
  const said = {
    time: {
      title: 'No connected source covers that time',
      why: `${name(timeIn(file.query) ?? '')} is outside the period that ${name(primary.id)} covers${of(primary)}.`,
      ask: 'Ask about a time that a source covers, or connect a source with data from then.',
    },
    subject: {
      title: 'Which service is this about? The question matches nothing connected',
      why: `The question names no service, alert or time that any source knows${of(primary)}.`,
      ask: 'Ask again and name the affected service, the alert or the time.',
    },
  }[mismatch];
  return {
    title: said.title,
    root_cause: { service: null, statement: said.why },
    confidence: 0,
    summary: [said.why, services, ...covered].filter(Boolean).join(' '),
    hypotheses: [],
    timeline: [],
    impact: said.why,
    recommended_change: { summary: said.ask },
    citations: citations.list,
  };
}
