/** Questions that one or two calls answer: logs, changes, dependencies, metrics, and what there is. */
import type { PlannedCall, Turn } from '../../../decide.ts';
import type { CaseFile } from '../../investigation/case-file.ts';
import { call } from '../../investigation/gather.ts';
import { usableSources } from '../../investigation/sources.ts';
import { given } from '../calls.ts';
import type { Chat } from '../chat.ts';
import { previousSource } from '../earlier.ts';
import type { Intent, LookupKind } from '../intent.ts';
import type { Plan } from '../replay.ts';
import { subjectOf } from '../subject.ts';
import { bullets, cite, failureOf, listed, name, paragraphs } from '../wording.ts';
import { changes } from './changes.ts';
import { dependencies } from './dependencies.ts';
import { logs } from './logs.ts';
import type { Lookup } from './lookup.ts';
import { metric, metricList } from './metric.ts';
import { alertList, examples, serviceList, sourceLine } from './overview.ts';
import { targetOf } from './target.ts';

const LOOKUPS: Record<LookupKind, Lookup> = { logs, changes, dependencies, metric };
const MOST_METRICS = 50;

type Overview = Extract<Intent, { kind: 'overview' }>['of'];
type Can = (tool: string) => boolean;

export function lookupPlan(chat: Chat, kinds: readonly LookupKind[], can: Can): Plan {
  return plan(chat, can, (file) => {
    const target = targetOf(chat, file);
    if (!target) return undefined;
    if (target.needs) return listServices(target.choice.services?.id, can);
    if (target.unknown !== undefined) return undefined;
    const wanted = kinds.map((kind) => LOOKUPS[kind]).filter(({ tool, part }) => can(tool) && target.choice[part]);
    const calls = wanted
      .flatMap((lookup) => lookup.calls(chat, file, target, target.choice[lookup.part]?.id ?? ''))
      .filter(({ name: tool }) => can(tool));
    return { text: narration(wanted, calls), calls };
  });
}

/** Says what the calls look at, which is less than the lookups may still want. */
function narration(wanted: readonly Lookup[], calls: readonly PlannedCall[]): string {
  const services = [...new Set(calls.flatMap((call) => given(call, 'service') ?? []))];
  const metrics = calls.flatMap((call) => given(call, 'metric') ?? []);
  const sources = [...new Set(calls.flatMap((call) => given(call, 'source') ?? []))];
  const what = metrics.length > 0 ? metrics.map(name) : wanted.map((lookup) => lookup.what);
  return `I look at ${listed(what)}${services.length > 0 ? ` of ${listed(services.map(name))}` : ''} in ${listed(sources.map(name))}.`;
}

export function lookupAnswer(chat: Chat, kinds: readonly LookupKind[], file: CaseFile): string {
  const target = targetOf(chat, file);
  if (!target || target.needs) return withoutTarget(file);
  const { unknown, source } = target;
  if (unknown !== undefined) {
    const among = serviceList(file) || `Ask “list the services” to see those there are.`;
    return `I know no service called “${name(unknown)}” in ${name(source.id)}. ${among}`;
  }
  return paragraphs(
    ...kinds.map((kind) => {
      const lookup = LOOKUPS[kind];
      if (!chat.situation.offered.has(lookup.tool))
        return `I cannot look at ${lookup.what}: this chat does not offer the tool for it (${lookup.tool}).`;
      if (!target.choice[lookup.part])
        return `${name(source.id)} has no ${lookup.what} to look at${cite(file.sources?.call)}.`;
      return lookup.answer(chat, file, target);
    }),
  );
}

export function overviewPlan(chat: Chat, of: Overview, can: Can): Plan {
  return plan(chat, can, (file) => {
    if (of === 'alerts' || of === 'sources') return undefined;
    const target = targetOf(chat, file);
    if (!target) return undefined;
    const { services, metrics } = target.choice;
    if (target.needs || of === 'services') return listServices(services?.id, can);
    if (!metrics) return undefined;
    const input = { source: metrics.id, service: target.service, limit: MOST_METRICS };
    return can('search_metrics')
      ? { text: `I list the metrics of ${name(metrics.id)}.`, calls: [call('search_metrics', input)] }
      : undefined;
  });
}

export function overviewAnswer(chat: Chat, of: Overview, file: CaseFile): string {
  if (!file.sources || usableSources(file.sources).length === 0) return withoutTarget(file);
  if (of === 'alerts') return alertList(file, previousSource(chat));
  if (of === 'sources') return paragraphs(sourceList(file), examples(file));
  const target = targetOf(chat, file);
  if (of === 'metrics') return metricList(file, target?.service) || withoutTarget(file);
  return described(file) || withoutTarget(file);
}

/** The sources first, then what `next` says. */
function plan(chat: Chat, can: Can, next: (file: CaseFile) => Turn | undefined): Plan {
  return {
    query: chat.question.text,
    settle: (file) => {
      const subject = subjectOf(chat, file, previousSource(chat) !== undefined);
      return subject && { source: subject.source.id, why: subject.why };
    },
    next(file) {
      if (file.sources) return next(file);
      if (!can('list_sources') || file.failures.length > 0) return undefined;
      return { text: 'I look at which telemetry sources there are.', calls: [call('list_sources', {})] };
    },
  };
}

function listServices(source: string | undefined, can: Can): Turn | undefined {
  if (source === undefined || !can('list_services')) return undefined;
  return { text: `I list the services of ${name(source)}.`, calls: [call('list_services', { source })] };
}

function sourceList(file: CaseFile): string {
  const lines = usableSources(file.sources).map(
    (source) => `${sourceLine(source)}; it has ${listed(source.capabilities)}${cite(file.sources?.call)}`,
  );
  return `These are the telemetry sources:\n\n${bullets(lines)}`;
}

function described({ services }: CaseFile): string {
  if (!services) return '';
  const { source, services: all, truncated } = services.result;
  const lines = all.map((one) => `${name(one.name)}${one.description ? `: ${name(one.description)}` : ''}`);
  const more = truncated ? '\n\nThere are more than I was given.' : '';
  return `The services of ${name(source)}${cite(services.call)}:\n\n${bullets(lines)}${more}`;
}

function withoutTarget({ sources, failures }: CaseFile): string {
  const [failed] = failures;
  if (failed) return `I cannot look that up: ${failed.tool} gave no answer: ${failureOf(failed)}${cite(failed)}.`;
  if (!sources) return 'I cannot look that up: no telemetry source was read.';
  if (usableSources(sources).length > 0) return 'I could not find out what your question is about.';
  return `I cannot look that up, because no telemetry source can be read${cite(sources.call)}. Set PROMETHEUS_URL for metrics, LOKI_URL for logs, or CASEBOOK_INCIDENTS_DIR for a folder of recorded incidents.`;
}
