/**
 * The playbook of a monitoring agent's chat. It drafts a plan from a few templates; what it does not understand it says,
 * and points to the plan form of the web app. It answers questions about the system as any chat does.
 */
import type { Playbook, Situation, Turn } from '../../decide.ts';
import type { Call } from '../../transcript.ts';
import { readChat, type Chat } from '../conversation/chat.ts';
import { conversation } from '../conversation/index.ts';
import { readIntent } from '../conversation/intent.ts';
import { openCase } from '../investigation/case-file.ts';
import { telemetryOf } from '../telemetry.ts';
import { draftPlan, type Draft } from './draft.ts';
import { call, callsOf, jsonOf, lastCall, rowsOf, textOf, wasMade } from '../calls.ts';
import { bullets, cite, failureOf, name, paragraphs, quote } from '../wording.ts';

const UPDATE = 'update_monitoring_plan';
const READ = 'read_monitoring_plan';
const MAX_TURNS = 9;
const MAX_LISTED = 10;
const FORM =
  'To change anything else, use the form under “Plan” on this agent’s page in the web app; pause, resume and delete it there too.';
const HELP = paragraphs(
  'Without an Anthropic API key I am Casebook’s offline model and understand a few plain sentences:',
  bullets([
    '“Watch the latency and errors of checkout every minute” (without a limit, I compare with the usual values)',
    '“Tell me if the error rate of payments is above 5 %, critical”',
    '“Watch for "connection refused" in the logs of orders”, “Watch all services every 5 minutes”',
    '“What are you watching?”, “Did you find anything?”',
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
    text: 'I read the plan.',
    tool: READ,
    input: {},
    answer(result, made) {
      const checks = rowsOf(result, 'checks').map((check) => `${checkLine(check)}${cite(made)}`);
      if (checks.length === 0) return paragraphs(`I watch nothing yet${cite(made)}.`, HELP);
      const state = result['active'] === false ? 'I am paused. This is the plan:' : 'This is what I watch:';
      return paragraphs(state, bullets(checks), reporting(result));
    },
  },
  {
    said: /\b(?:did|have) you (?:find|found|see|seen|notice)\b|^(?:show|list)\b.*\bfindings\b/iu,
    text: 'I look up the findings.',
    tool: 'list_monitoring_findings',
    input: { limit: MAX_LISTED },
    answer(result, made) {
      const lines = rowsOf(result, 'findings').map((finding) => {
        const investigation = textOf(finding, 'investigation_id');
        const also = investigation === '' ? '' : `, investigated as ${name(investigation)}`;
        return `${textOf(finding, 'status')}, ${textOf(finding, 'severity')}: ${quote(textOf(finding, 'title'), 160)}${also}${cite(made)}`;
      });
      if (lines.length === 0) return `I have found nothing so far${cite(made)}.`;
      return paragraphs('My findings, the latest first:', bullets(lines));
    },
  },
];
const WATCHES =
  /\b(?:watch|monitor|observe|keep an eye|look (?:at|for|after|out|whether|if)|track|check|alert|notify|warn|(?:tell|let) (?:me|us)|every|each|above|below|exceeds?)\b/iu;
const QUESTION = /^(?:what|which|who|why|how|when)\b/iu;

export const monitoring: Playbook = {
  // A key without permission to change the plan may still ask about it.
  fits: ({ offered }) => offered.has(UPDATE) || offered.has(READ),
  play(situation) {
    const chat = readChat(situation);
    const said = chat.question.text.trim();
    const action = ACTIONS.find((one) => one.said.test(said));
    if (action) return act(chat, action);
    return WATCHES.test(said) && !QUESTION.test(said) ? draft(chat) : answer(situation, chat);
  },
};

function act({ calls, situation }: Chat, { text, tool, input, answer: said }: Action): Turn {
  const made = lastCall({ calls }, tool);
  if (!made && situation.tools.has(tool)) return { text, calls: [call(tool, input)] };
  if (!made) return { text: `The tool for that (${tool}) is not available in this chat.`, calls: [] };
  return { text: made.isError ? `That did not work: ${problemsOf(made)}.` : said(jsonOf(made), made), calls: [] };
}

function answer(situation: Situation, { question }: Chat): Turn {
  const intent = readIntent(question.text);
  if (intent !== undefined && intent !== 'introduction') return conversation.play(situation);
  const head =
    intent === 'introduction'
      ? 'I am a monitoring agent: I watch what you ask me to.'
      : 'I did not understand that, so nothing is changed.';
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
    if (can('list_sources') && callsOf(file, 'list_sources').length === 0)
      return { text: 'I look up the telemetry sources.', calls: [call('list_sources', {})] };
    const listing = telemetry.asked
      .map(({ id }) => call('list_services', { source: id }))
      .filter((one) => can(one.name) && !wasMade(file, one));
    if (listing.length > 0) return { text: 'I look up the services.', calls: listing };
    if (drafted.calls.length > 0) return { text: 'I look for metrics that measure that.', calls: drafted.calls };
  }
  const { checks, notes } = drafted;
  if (checks.length === 0) {
    const why = 'Nothing is changed: I could not turn that into a check.';
    return { text: paragraphs(why, bullets(notes), notes.length > 0 ? FORM : HELP), calls: [] };
  }
  if (!can(UPDATE)) return { text: `I may not change the plan here (${UPDATE}). ${FORM}`, calls: [] };
  const summary = `Watches ${checks.map(({ title }) => title).join('; ')}.`.slice(0, 1_000).toWellFormed();
  const reason = question.text.trim().slice(0, 1_000).toWellFormed();
  return { text: 'I write that into the plan.', calls: [call(UPDATE, { patch: { summary, checks }, reason })] };
}

function writtenAnswer(made: Call, { checks, notes }: Draft): string {
  if (made.isError) return paragraphs(`The plan was not accepted, so nothing is changed: ${problemsOf(made)}.`, FORM);
  const result = jsonOf(made);
  const written = rowsOf(result, 'checks').filter(({ id }) => checks.some((check) => check.id === id));
  return paragraphs(
    'This is what I understood and watch from now on:',
    bullets(written.map(checkLine)),
    checks.some(({ check }) => check.type === 'instruction')
      ? 'I follow an instruction in your own words only as far as it names services, metrics, logs, changes or alerts.'
      : '',
    bullets(notes),
    reporting(result),
    `Anything else you said is not in the plan. ${FORM}`,
  );
}

function reporting(result: Record<string, unknown>): string {
  const channel = textOf(result, 'reports_to');
  return channel === ''
    ? 'I do not report to anyone yet: choose a channel on this agent’s page.'
    : `I report to ${quote(channel, 80)}.`;
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
