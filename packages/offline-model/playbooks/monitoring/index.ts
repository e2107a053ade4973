/**
 * The playbook of a monitoring agent's chat. It drafts a plan from a few templates; what it does not understand it says,
 * and points to the plan form of the web app. It answers questions about the system as any chat does.
 */
import type { Playbook, Situation, Turn } from '../../decide.ts';
import type { Call } from '../../transcript.ts';
import { readChat, type Chat } from '../conversation/chat.ts';
import { conversation } from '../conversation/index.ts';
import { readIntent } from '../conversation/intent.ts';
import { openCase, type CaseFile } from '../investigation/case-file.ts';
import { words } from '../investigation/words.ts';
import { telemetryOf } from '../telemetry.ts';
import { draftPlan, type Draft } from './draft.ts';
import { call, isRecord, jsonOf, lastCall, rowsOf, textOf, wasMade } from '../calls.ts';
import { bullets, cite, failureOf, name, paragraphs, quote } from '../wording.ts';

const UPDATE = 'update_monitoring_plan';
const READ = 'read_monitoring_plan';
const MAX_TURNS = 9;
const MAX_LISTED = 10;
const CHECKING = 'Checking the plan.';
const FORM =
  'To change anything else, open the plan on this agent’s page and edit it there; pause, resume or delete the agent there too.';
const HELP = paragraphs(
  'Without an Anthropic API key, Casebook’s offline model answers. It understands a few plain sentences:',
  bullets([
    '“Watch the latency and errors of checkout every minute” (without a threshold, it alerts on deviation from the baseline)',
    '“Tell me if the error rate of payments is above 5 %, critical”',
    '“Watch for "connection refused" in the logs of orders”, “Watch all services every 5 minutes”',
    '“Drop the latency check of checkout”, “What are you watching?”, “Did you find anything?”',
  ]),
  FORM,
);

/** A tool call, and the answer from its result. */
interface Action {
  said: RegExp;
  text: string;
  tool: string;
  input: Record<string, unknown>;
  answer(result: Record<string, unknown>, made: Call): string;
}

const ACTIONS: readonly Action[] = [
  {
    said: /^(?:what|which|show|list)\b.*\b(?:watch(?:ing)?|monitor(?:ing)?|plan|checks)\b/iu,
    text: CHECKING,
    tool: READ,
    input: {},
    answer(result, made) {
      const checks = rowsOf(result, 'checks').map((check) => `${checkLine(check)}${cite(made)}`);
      if (checks.length === 0) return paragraphs(`Nothing is watched yet${cite(made)}.`, HELP);
      const state = result['active'] === false ? 'Paused. The plan:' : 'Watching:';
      return paragraphs(state, bullets(checks), reporting(result));
    },
  },
  {
    said: /\b(?:did|have) you (?:find|found|see|seen|notice)\b|^(?:show|list)\b.*\bfindings\b/iu,
    text: 'Checking the findings.',
    tool: 'list_monitoring_findings',
    input: { limit: MAX_LISTED },
    answer(result, made) {
      const lines = rowsOf(result, 'findings').map((finding) => {
        const investigation = textOf(finding, 'investigation_id');
        const also = investigation === '' ? '' : `, investigation ${name(investigation)}`;
        return `${textOf(finding, 'status')}, ${textOf(finding, 'severity')}: ${quote(textOf(finding, 'title'), 160)}${also}${cite(made)}`;
      });
      if (lines.length === 0) return `No findings so far${cite(made)}.`;
      return paragraphs('Findings, newest first:', bullets(lines));
    },
  },
];
const WATCHES =
  /\b(?:watch|monitor|observe|keep an eye|look (?:at|for|after|out|whether|if)|track|check|alert|notify|warn|(?:tell|let) (?:me|us)|every|each|above|below|exceeds?)\b/iu;
const DROPS =
  /^(?:please\s+)?(?:drop|remove|delete|forget|stop(?: \w+ing)?|(?:do not|don['’]t|no longer) (?:watch|check|monitor))\b/iu;
const QUESTION = /^(?:what|which|who|why|how|when)\b/iu;

export const monitoring: Playbook = {
  // A key without permission to change the plan may still ask about it.
  fits: ({ offered }) => offered.has(UPDATE) || offered.has(READ),
  play(situation) {
    const chat = readChat(situation);
    const said = chat.question.text.trim();
    const action = ACTIONS.find((one) => one.said.test(said));
    if (action) return act(chat, action);
    if (DROPS.test(said)) return drop(chat);
    return WATCHES.test(said) && !QUESTION.test(said) ? draft(chat) : answer(situation, chat);
  },
};

function act({ calls, situation }: Chat, { text, tool, input, answer: said }: Action): Turn {
  const made = lastCall({ calls }, tool);
  if (!made && situation.tools.has(tool)) return { text, calls: [call(tool, input)] };
  if (!made) return { text: `The tool for that (${tool}) is not available in this chat.`, calls: [] };
  return { text: made.isError ? `That failed: ${problemsOf(made)}.` : said(jsonOf(made), made), calls: [] };
}

function answer(situation: Situation, { question }: Chat): Turn {
  const intent = readIntent(question.text);
  if (intent !== undefined && intent !== 'introduction') return conversation.play(situation);
  const head =
    intent === 'introduction'
      ? 'I am a monitoring agent: I watch what you ask me to.'
      : 'I did not understand that. Nothing changed.';
  return { text: paragraphs(head, HELP), calls: [] };
}

/** Looks up sources, services and metrics, then writes the checks into the plan. */
function draft({ calls, situation, question, turnsSpent }: Chat): Turn {
  const can = (tool: string): boolean => situation.tools.has(tool);
  const file = openCase(calls);
  const made = lastCall(file, UPDATE);
  const telemetry = telemetryOf(file, question.text);
  const drafted = draftPlan(question.text, telemetry, can);
  if (made) return { text: writtenAnswer(made, drafted), calls: [] };
  if (turnsSpent < MAX_TURNS) {
    const opening = [call(READ, {}), call('list_sources', {})].filter((one) => can(one.name) && !wasMade(file, one));
    if (opening.length > 0) return { text: 'Checking the plan and the telemetry sources.', calls: opening };
    const listing = telemetry.asked
      .map(({ id }) => call('list_services', { source: id }))
      .filter((one) => can(one.name) && !wasMade(file, one));
    if (listing.length > 0) return { text: 'Listing the services.', calls: listing };
    if (drafted.calls.length > 0) return { text: 'Looking for matching metrics.', calls: drafted.calls };
  }
  const { checks, notes } = drafted;
  if (checks.length === 0) {
    const why = 'Nothing changed: that could not be turned into a check.';
    return { text: paragraphs(why, bullets(notes), notes.length > 0 ? FORM : HELP), calls: [] };
  }
  if (!can(UPDATE)) return { text: `This chat may not change the plan (${UPDATE}). ${FORM}`, calls: [] };
  const kept = plannedChecks(file).filter(({ id }) => !checks.some((check) => check.id === id));
  return update(question.text, [...kept, ...checks], checks);
}

/** Removes the checks whose ids and titles have all the words of the order. */
function drop({ calls, situation: { tools }, question: { text } }: Chat): Turn {
  const made = lastCall({ calls }, UPDATE);
  if (made) return { text: writtenAnswer(made, { checks: [], calls: [], notes: [] }), calls: [] };
  if (tools.has(READ) && !lastCall({ calls }, READ)) return { text: CHECKING, calls: [call(READ, {})] };
  const said = words(text.trim().replace(DROPS, '')).filter((word) => word !== 'check');
  const planned = plannedChecks({ calls });
  const isNamed = (own: readonly string[]): boolean => said.length > 0 && said.every((word) => own.includes(word));
  const gone = planned.filter(({ id, title }) => isNamed(words(`${id} ${title}`)));
  if (gone.length === 0 || !tools.has(UPDATE))
    return { text: `Nothing changed: no check matches that. ${FORM}`, calls: [] };
  const [kept, removals] = [planned.filter((one) => !gone.includes(one)), gone.map(({ id }) => ({ id, remove: true }))];
  return update(text, kept, removals);
}

/** As the plan was read. */
function plannedChecks(file: Pick<CaseFile, 'calls'>): { id: string; title: string }[] {
  const { plan } = jsonOf(lastCall(file, READ) ?? { body: '' });
  const rows = rowsOf(isRecord(plan) ? plan : {}, 'checks');
  return rows.map((row) => ({ id: textOf(row, 'id'), title: textOf(row, 'title') }));
}

/** @param watched after the change */
function update(text: string, watched: readonly { title: string }[], checks: readonly object[]): Turn {
  const titles = watched
    .map(({ title }) => title.replace(/^\p{Lu}(?=\p{Ll})/u, (letter) => letter.toLowerCase()))
    .join('; ');
  const summary = titles === '' ? '' : `Watches ${titles}.`.slice(0, 1_000).toWellFormed();
  const reason = text.trim().slice(0, 1_000).toWellFormed();
  return { text: 'Updating the plan.', calls: [call(UPDATE, { patch: { summary, checks }, reason })] };
}

function writtenAnswer(made: Call, { checks, notes }: Draft): string {
  if (made.isError) return paragraphs(`Nothing changed, because the plan was not accepted: ${problemsOf(made)}.`, FORM);
  const result = jsonOf(made);
  const isShown = ({ id }: Record<string, unknown>) => checks.length === 0 || checks.some((check) => check.id === id);
  const written = rowsOf(result, 'checks').filter(isShown);
  return paragraphs(
    'Now watching:',
    bullets(written.map(checkLine)) || 'Nothing.',
    checks.some(({ check }) => check.type === 'instruction')
      ? 'An instruction in your own words is followed only as far as it names services, metrics, logs, changes or alerts.'
      : '',
    bullets(notes),
    reporting(result),
    `The rest of your message was not added to the plan. ${FORM}`,
  );
}

function reporting(result: Record<string, unknown>): string {
  const channel = textOf(result, 'reports_to');
  return channel === ''
    ? 'No channel configured: choose one on this agent’s page.'
    : `Reports to ${quote(channel, 80)}.`;
}

function checkLine(check: Record<string, unknown>): string {
  return `${name(textOf(check, 'id'))}: ${quote(textOf(check, 'description'), 300)}`;
}

function problemsOf(made: Call): string {
  const problems = rowsOf(jsonOf(made), 'problems').map(
    (one) => `${name(textOf(one, 'at'))}: ${quote(textOf(one, 'problem'), 160)}`,
  );
  return problems.length > 0 ? problems.join('; ') : failureOf(made);
}
