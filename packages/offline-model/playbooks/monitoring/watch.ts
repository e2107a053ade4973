/** Writes what a person wants watched into the plan. */
import type { PlannedCall, Turn } from '../../decide.ts';
import { callsOf } from '../conversation/calls.ts';
import type { Chat } from '../conversation/chat.ts';
import { listed, name } from '../conversation/wording.ts';
import { call } from '../investigation/gather.ts';
import type { CaseFile } from '../investigation/case-file.ts';
import { currentPlan, type CurrentCheck } from './current-plan.ts';
import { draftAll } from './drafting/draft.ts';
import { checkOf, type Draft } from './drafting/draft-types.ts';
import { servicesOf, telemetryOf, type Telemetry } from './drafting/telemetry.ts';
import { readFirst, refusedPlaces, updates, updating, type Can, type Play } from './play.ts';
import { readWishes } from './reading/wishes.ts';
import { watchAnswer, type Situation, type Written } from './watch-answer.ts';

const MOST_CHECKS = 50;
const SUMMARY_CHARACTERS = 600;

export function watchPlay(chat: Chat, can: Can): Play {
  return {
    plan: { query: chat.question.text, next: (file) => nextTurn(chat, file, can) },
    answer: (file) => watchAnswer(chat, situationOf(chat, file, can), file),
  };
}

function nextTurn(chat: Chat, file: CaseFile, can: Can): Turn | undefined {
  const first = readFirst(file, can, [call('list_sources', {})]);
  if (first) return { ...first, text: 'I look at the plan as it is, and at which telemetry there is.' };
  const { telemetry, outcome, written } = situationOf(chat, file, can);
  const listing = servicesToList(telemetry, file, can);
  if (listing.length > 0)
    return { text: `I list the services of ${listed(telemetry.asked.map(({ id }) => name(id)))}.`, calls: listing };
  if (outcome.calls.length > 0) return { text: narration(outcome.calls), calls: unique(outcome.calls) };
  if (!can('update_monitoring_plan')) return undefined;
  const { refused, accepted, mayTryAgain } = updates(file);
  if (accepted) return undefined;
  const patch = (checks: readonly Written[]) => updating(chat, writing(checks), { patch: patchOf(checks, file) });
  if (refused.length === 0) return written.length > 0 ? patch(written) : undefined;
  const [refusal] = refused;
  const bad = refusal ? refusedPlaces(refusal) : [];
  const good = written.filter((_, index) => !bad.includes(index));
  return mayTryAgain && bad.length > 0 && good.length > 0 ? patch(good) : undefined;
}

function situationOf(chat: Chat, file: CaseFile, can: Can): Situation {
  const { text } = chat.question;
  const telemetry = telemetryOf(file, text);
  const reading = readWishes(text, telemetry.services);
  const outcome = draftAll({ chat, telemetry, can }, reading);
  return { telemetry, reading, outcome, written: write(outcome.drafts, currentPlan(file)?.checks ?? []) };
}

/** Drafts as checks: one that watches what an existing one watches takes its place. */
function write(drafts: readonly Draft[], current: readonly CurrentCheck[]): Written[] {
  const taken = new Set(current.map(({ id }) => id));
  const written: Written[] = [];
  for (const draft of drafts) {
    const check = checkOf(draft, taken);
    const same = current.find((one) => subjectKey(one.check) === subjectKey({ ...draft.subject }));
    if (written.some((one) => subjectKey({ ...one.check.check }) === subjectKey({ ...draft.subject }))) continue;
    if (!same && taken.size >= MOST_CHECKS) continue;
    taken.add(check.id);
    written.push({ draft, check: same ? { ...check, id: same.id } : check, isNew: !same });
  }
  return written;
}

/** What a check looks at, whatever its limits are. */
function subjectKey(check: Record<string, unknown>): string {
  const keys = [
    'type',
    'source',
    'service',
    'services',
    'metric',
    'promql',
    'statistic',
    'pattern',
    'level',
    'caller',
    'callee',
    'instruction',
  ];
  return JSON.stringify(keys.map((key) => check[key] ?? null));
}

function patchOf(written: readonly Written[], file: CaseFile): Record<string, unknown> {
  const before = currentPlan(file)?.checks ?? [];
  const titles = [
    ...before.filter(({ id }) => written.every(({ check }) => check.id !== id)).map(({ title }) => title),
    ...written.map(({ check }) => check.title),
  ];
  const summary = `Watches ${titles.join('; ')}.`;
  return {
    summary: (summary.length > SUMMARY_CHARACTERS
      ? `${summary.slice(0, SUMMARY_CHARACTERS - 1)}…`
      : summary
    ).toWellFormed(),
    checks: written.map(({ check }) => ({ ...check })),
  };
}

function servicesToList({ asked }: Telemetry, file: CaseFile, can: Can): PlannedCall[] {
  if (!can('list_services')) return [];
  const made = callsOf(file, 'list_services').map(({ input }) => input['source']);
  return asked
    .filter(({ id }) => !made.includes(id) && !servicesOf(file, id))
    .map(({ id }) => call('list_services', { source: id }));
}

function narration(calls: readonly PlannedCall[]): string {
  const searched = calls.some(({ name: tool }) => tool === 'search_metrics');
  return searched
    ? 'I look for the metrics that measure that.'
    : 'I look at how these stand now, so that the checks fit.';
}

function writing(checks: readonly Written[]): string {
  return checks.length === 1 ? 'I write the check into the plan.' : `I write ${checks.length} checks into the plan.`;
}

function unique(calls: readonly PlannedCall[]): PlannedCall[] {
  return [...new Map(calls.map((one) => [JSON.stringify(one), one])).values()];
}
