/** What is said of checks that were written, and of what was not. */
import type { Chat } from '../conversation/chat.ts';
import { bullets, cite, failureOf, listed, name, paragraphs, sentence } from '../conversation/wording.ts';
import type { CaseFile } from '../investigation/case-file.ts';
import { isLive, usableSources } from '../investigation/sources.ts';
import { quote } from '../investigation/statements.ts';
import { currentPlan } from './current-plan.ts';
import { USUAL_INTERVAL, type CheckInput, type Draft, type Outcome } from './drafting/draft-types.ts';
import type { Telemetry } from './drafting/telemetry.ts';
import { refusedPlaces, reporting, updates } from './play.ts';
import { unableLines } from './reading/unable.ts';
import type { Reading } from './reading/wish.ts';
import { actions, condition, scheduled, titled } from './words.ts';

const MOST_SERVICES_SHOWN = 15;
const MOST_NOTES = 12;

export interface Written {
  draft: Draft;
  check: CheckInput;
  isNew: boolean;
}

export interface Situation {
  telemetry: Telemetry;
  reading: Reading;
  outcome: Outcome;
  written: Written[];
}

export function watchAnswer(chat: Chat, { telemetry, reading, outcome, written }: Situation, file: CaseFile): string {
  const { accepted, refused } = updates(file);
  const [refusal] = refused;
  const bad = refusal ? refusedPlaces(refusal) : [];
  const kept = accepted && refusal ? written.filter((_, index) => !bad.includes(index)) : written;
  const open = [
    ...new Set([
      ...outcome.problems,
      ...unknowns(reading, telemetry),
      ...unreadLines(reading),
      ...unableLines(reading.unable, (one) => quote(one, 160)),
      ...refusals(refusal, written),
    ]),
  ];
  if (!accepted)
    return nothingWritten(chat, {
      telemetry,
      written,
      open,
      file,
      where: reading.reporting.length > 0 ? whereTo(file, reading.reporting) : '',
    });
  const head = kept.every(({ isNew }) => isNew) ? 'I watch from now on' : 'This is how I watch from now on';
  const isPaused = currentPlan(file)?.active === false;
  return paragraphs(
    `${isPaused ? 'I have written this into the plan, but I am **paused**: say “resume” to have it watched' : `**${head}**`}${cite(accepted)}:`,
    bullets(kept.map(checkLine)),
    howOften(kept),
    `${whatThen(kept)} ${whereTo(file, reading.reporting)}`,
    notes(kept, reading, file),
    open.length > 0 ? `What I did not take on:\n\n${bullets(open)}` : '',
  );
}

function checkLine({ draft, check }: Written): string {
  const now = draft.now === undefined ? '' : ` Now: ${draft.now}.`;
  const severity = check.severity === undefined ? '' : `, ${check.severity}`;
  return `**${titled(check.title)}** (\`${check.id}\`), ${scheduled(check.schedule)}${severity}. A finding: ${condition({ ...check.check }, draft.unit)}.${now}`;
}

function howOften(kept: readonly Written[]): string {
  const unsaid = kept.filter(({ draft }) => draft.wish.settings.schedule.when === undefined);
  if (unsaid.length === 0) return '';
  const which =
    unsaid.length === kept.length
      ? ''
      : ` for ${listed(
          unsaid.map(({ check }) => `\`${check.id}\``),
          5,
        )}`;
  return `You name no interval${which}, so I check every ${USUAL_INTERVAL / 60} minutes.`;
}

function whatThen(kept: readonly Written[]): string {
  const ways = [...new Set(kept.map(({ check }) => actions(check.on_finding)))];
  if (ways.length === 1)
    return `On a finding ${ways[0]}; you are told as well when it is over.`.replace(
      'nobody is notified; you are told as well when it is over',
      'nobody is notified',
    );
  return kept.map(({ check }) => `On a finding of \`${check.id}\` ${actions(check.on_finding)}.`).join(' ');
}

/**
 * Where it reports, and how that is set: not in this conversation.
 * @param named where the person wants to be told
 */
export function whereTo(file: CaseFile, named: readonly string[] = []): string {
  const channel = reporting(file);
  const wanted = named.filter((one) => !channel?.toLowerCase().includes(one.toLowerCase()));
  const unset =
    wanted.length === 0
      ? ''
      : `As to ${listed(wanted.map((one) => quote(one, 120)))}: where I report is not set in this conversation. `;
  const config = 'in the configuration of this agent (PATCH /api/monitoring-chat/{chat_id}/config)';
  if (channel !== undefined)
    return `${unset}I report to ${titled(channel)}.${wanted.length > 0 ? ` Another channel is set ${config}.` : ''}`;
  return `${unset}No notification channel is set, so findings are only to be seen here and in the list; set Slack, a webhook or e-mail ${config}.`;
}

function notes(kept: readonly Written[], { settings, named }: Reading, file: CaseFile): string {
  const taken = named.taken.map(({ said, name: meant, others }) => {
    const more = others.length > 0 ? ` (${listed(others.slice(0, 3).map(name))} may be meant as well)` : '';
    return `I take “${name(said)}” to mean ${name(meant)}${more}.`;
  });
  const clock = kept.some(
    ({ check }) => check.schedule.cron !== undefined || (check.schedule.quiet_hours?.length ?? 0) > 0,
  );
  const zone =
    clock && kept.every(({ check }) => check.schedule.time_zone === undefined)
      ? ['You name no time zone, so times are UTC; say for example “in Europe/Berlin”.']
      : [];
  const learned = kept.some(({ check }) => 'condition' in check.check && check.check.condition.type === 'baseline')
    ? [
        'Where you name no limit I compare with what was usual before; name one (“above 500 ms”) to have it compared with that.',
      ]
    : [];
  const instructions = kept.some(({ check }) => check.check.type === 'instruction')
    ? [
        'An instruction is carried out with tools in each run. Without an API key I do that by a written playbook: I look at alerts, metrics, logs and changes of what it names, and say so when that is not enough.',
      ]
    : [];
  const gone = telemetryGone(file);
  const all = [
    ...new Set([
      ...settings.schedule.notes,
      ...taken,
      ...zone,
      ...kept.flatMap(({ draft }) => draft.notes),
      ...learned,
      ...instructions,
      ...gone,
    ]),
  ];
  return all.length > 0 ? bullets(all.slice(0, MOST_NOTES).map(sentence)) : '';
}

function telemetryGone({ sources }: CaseFile): string[] {
  return (sources?.result.sources ?? [])
    .flatMap(({ id, error }) =>
      error === undefined
        ? []
        : [`${name(id)} does not answer at the moment: ${quote(error, 120)}${cite(sources?.call)}`],
    )
    .slice(0, 3);
}

function unknowns({ named }: Reading, { services, asked }: Telemetry): string[] {
  if (named.unknown.length === 0) return [];
  const known =
    services.length > 0
      ? `The services I know are ${listed(
          services.map((one) => name(one.name)),
          MOST_SERVICES_SHOWN,
        )}.`
      : 'I know no services yet.';
  const where = asked.length > 0 ? ` in ${listed(asked.map(({ id }) => name(id)))}` : '';
  return [`I know no ${listed(named.unknown.map((one) => `“${name(one)}”`))}${where}. ${known}`];
}

function unreadLines({ unread, named }: Reading): string[] {
  // A name that nobody knows is told of already.
  const open = unread.filter((one) => !named.unknown.some((unknown) => one.includes(unknown)));
  return open.slice(0, 5).map((one) => `I did not understand ${quote(one, 160)}.`);
}

function refusals(
  refusal: ReturnType<typeof updates>['refused'][number] | undefined,
  written: readonly Written[],
): string[] {
  if (!refusal) return [];
  if (refusal.problems.length === 0) return [`The plan was refused: ${failureOf(refusal.call)}${cite(refusal.call)}.`];
  return refusal.problems.slice(0, 8).map(({ at, problem }) => {
    const check = written[Number(/checks\.(\d+)/.exec(at)?.[1] ?? -1)];
    return `${check ? `**${titled(check.check.title)}**` : 'The plan'} was refused: ${quote(problem, 240)}${cite(refusal.call)}.`;
  });
}

function nothingWritten(
  chat: Chat,
  {
    telemetry,
    written,
    open,
    file,
    where,
  }: { telemetry: Telemetry; written: readonly Written[]; open: readonly string[]; file: CaseFile; where: string },
): string {
  const has = (tool: string): boolean => chat.situation.offered.has(tool);
  const why = !has('update_monitoring_plan')
    ? 'This chat may not change the plan: the key needs the scope monitoring:write.'
    : usableSources(file.sources).length === 0
      ? noTelemetry(file)
      : written.length > 0 && updates(file).refused.length === 0
        ? 'I had to answer before I could write it into the plan.'
        : '';
  const live = telemetry.asked.find(isLive);
  const example = telemetry.services[0]?.name;
  const help =
    why !== '' || !live || example === undefined
      ? ''
      : `Say for example: “Watch the latency and errors of ${name(example)} every minute”, “Tell me if the error rate of ${name(example)} goes above 5 % for 10 minutes” or “Watch all services”.`;
  return paragraphs(
    '**I watch nothing new.**',
    why,
    open.length > 0 ? bullets(open) : '',
    open.length === 0 && why === '' ? 'I did not understand what is to be watched.' : '',
    where,
    help,
  );
}

function noTelemetry({ sources, failures }: CaseFile): string {
  const failed = failures.find(({ tool }) => tool === 'list_sources');
  if (failed) return `I could not find out which telemetry there is: ${failureOf(failed)}${cite(failed)}.`;
  return `There is no telemetry that I could watch${cite(sources?.call)}: set PROMETHEUS_URL or LOKI_URL, or connect a satellite, then tell me again.`;
}
