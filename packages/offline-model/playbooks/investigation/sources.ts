/** Which sources to ask, and which alert to explain. */
import type { SourceCapability } from '../../../../src/features/sources/port.ts';
import type { ListSourcesResult } from '../../../../src/features/tools/results.ts';
import type { CaseFile } from './case-file.ts';
import { lexicalScores, mentions, namesIn } from './words.ts';

/** The tier of a live source. */
const LIVE = 1;
/** The tier of a source that the query names. */
const NAMED = 2;
/** A time in the query counts as much as two words that no other source has. */
const TIME_SCORE = 2;

export type ListedSource = ListSourcesResult['sources'][number];
type ListedAlert = ListedSource['alerts'][number];

export interface SourceChoice {
  primary: ListedSource;
  /** The source to ask for each capability, if any. */
  metrics?: ListedSource;
  logs?: ListedSource;
  changes?: ListedSource;
  dependencies?: ListedSource;
  traces?: ListedSource;
  services?: ListedSource;
  alert?: ListedAlert;
}

/**
 * Chooses the source that the query names (by its id, its alert, or a time in its window), else a live one, else
 * another recorded incident; among equals the one that shares the rarest words with the query. Other sources of the
 * same live system fill in what it lacks; a recorded incident never mixes with a live system.
 */
export function chooseSources({ query, sources, settled }: CaseFile): SourceChoice | undefined {
  const usable = usableSources(sources);
  const scores = lexicalScores(query, usable.map(describe));
  const ordered = usable
    .map((source, index) => ({
      source,
      score: (scores[index] ?? 0) + (coversTime(query, source) ? TIME_SCORE : 0),
      tier: tierOf(query, source),
    }))
    .sort((a, b) => b.tier - a.tier || b.score - a.score || alerting(b.source) - alerting(a.source));
  const best = ordered.find(({ source }) => source.id === settled?.source) ?? leading(ordered);
  if (!best) return undefined;
  const primary = best.source;
  const near = (source: ListedSource): number => Number(networkOf(source) === networkOf(primary));
  const others = ordered
    .map(({ source }) => source)
    .filter((source) => isLive(source) && isLive(primary))
    .sort((a, b) => near(b) - near(a));
  const having = (capability: SourceCapability) =>
    [primary, ...others].find((source) => source.capabilities.includes(capability));
  return {
    primary,
    metrics: having('metrics'),
    logs: having('logs'),
    changes: having('changes'),
    dependencies: having('dependencies'),
    traces: having('traces'),
    services: having('services'),
    alert: chooseAlert(query, primary.alerts),
  };
}

interface Candidate {
  source: ListedSource;
  score: number;
  tier: number;
}

/** If logs or a graph fit best, start with the metrics of the same system. */
function leading(ordered: readonly Candidate[]): Candidate | undefined {
  const best = ordered.find(({ source, tier }) => tier === NAMED || canLead(source)) ?? ordered[0];
  if (!best || best.tier !== LIVE || best.source.capabilities.includes('metrics')) return best;
  const together = ordered.filter(({ source }) => isLive(source) && networkOf(source) === networkOf(best.source));
  return together.find(({ source }) => source.capabilities.includes('metrics')) ?? best;
}

function alerting({ alerts }: ListedSource): number {
  return Number(alerts.length > 0);
}

/** Sources behind one satellite belong together, and so do those of the installation. */
export function networkOf({ id }: ListedSource): string {
  return /^satellite:[^/]+/.exec(id)?.[0] ?? '';
}

/** Capabilities of systems with tools of their own: what they offer is not asked through a source. */
const OF_TOOLS: ReadonlySet<SourceCapability> = new Set(['sql', 'tools']);

/** The sources that answer and can be asked as sources. */
export function usableSources(sources: CaseFile['sources']): ListedSource[] {
  return workingSources(sources).filter(({ capabilities }) => capabilities.some((one) => !OF_TOOLS.has(one)));
}

/** The sources that answer. */
export function workingSources(sources: CaseFile['sources']): ListedSource[] {
  return sources?.result.sources.filter((source) => !source.error && source.capabilities?.length > 0) ?? [];
}

/** Whether an investigation can begin there: logs or changes alone name no service to begin with. */
export const canLead = ({ capabilities }: ListedSource): boolean =>
  capabilities.includes('services') || capabilities.includes('metrics');

export const pointsTo = (text: string, source: ListedSource): boolean => tierOf(text, source) === NAMED;

function chooseAlert(query: string, alerts: ListedAlert[]): ListedAlert | undefined {
  const scores = lexicalScores(query, alerts.map(describeAlert));
  let best = 0;
  for (const [index, alert] of alerts.entries()) {
    const score = (scores[index] ?? 0) + (mentions(query, alert.service) ? 1 : 0);
    scores[index] = score;
    if (score > (scores[best] ?? 0)) best = index;
  }
  return alerts[best];
}

export interface Symptom {
  service: string;
  metric?: string;
  /** ISO time. */
  at?: string;
}

/**
 * The symptom to explain: the alert, unless the query names another service; else the service in the query; else a
 * guess.
 */
export function symptomOf(file: CaseFile, choice: SourceChoice): Symptom | undefined {
  const { query, services } = file;
  const { alert } = choice;
  const known = services?.result.services.map((service) => service.name) ?? [];
  const [named] = namesIn(query, known);
  if (alert && (!named || named === alert.service || isAbout(query, alert))) {
    return { service: alert.service, metric: alert.metric, at: alert.at };
  }
  const at = timeIn(query);
  if (named) return { service: named, at };
  const descriptions = services?.result.services.map(({ name, description }) => `${name} ${description ?? ''}`) ?? [];
  const scores = lexicalScores(query, descriptions);
  const guess = known[scores.indexOf(Math.max(...scores))];
  return guess === undefined ? undefined : { service: guess, at };
}

export function needsServices({ query }: CaseFile, { alert }: SourceChoice): boolean {
  return !alert || !isAbout(query, alert);
}

function isAbout(query: string, alert: ListedAlert): boolean {
  return mentions(query, alert.service) || mentions(query, alert.name);
}

export function timeIn(text: string): string | undefined {
  const found = /\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2})?(?:Z|[+-]\d{2}:?\d{2})?/.exec(text)?.[0];
  return found && !Number.isNaN(Date.parse(found)) ? found.replace(' ', 'T') : undefined;
}

function describe(source: ListedSource): string {
  return [source.id, source.title, ...source.alerts.map(describeAlert)].join(' ');
}

function describeAlert(alert: ListedAlert): string {
  return `${alert.name} ${alert.service} ${alert.metric ?? ''} ${alert.summary}`;
}

/** 2: named by the query; 1: live; 0: a recorded incident that nothing points to. */
function tierOf(query: string, source: ListedSource): number {
  const names = [source.id, source.id.split(':').at(-1) ?? '', ...source.alerts.map(({ name }) => name)];
  if (names.some((name) => mentions(query, name))) return NAMED;
  if (isLive(source)) return LIVE;
  return coversTime(query, source) ? NAMED : 0;
}

function coversTime(query: string, source: ListedSource): boolean {
  const at = Date.parse(timeIn(query) ?? '');
  const { from, to } = source.window ?? { from: '', to: '' };
  return at >= Date.parse(from) && at < Date.parse(to);
}

export function isLive(source: ListedSource): boolean {
  return source.kind !== 'recorded-incident';
}
